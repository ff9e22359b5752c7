"""``selu new``: the package of a paper, made from a table of its published scores."""
