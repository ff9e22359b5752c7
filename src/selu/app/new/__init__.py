"""``selu new``: the package of a paper, made of a table of its published scores."""
