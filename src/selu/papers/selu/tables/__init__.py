"""Tables of SELU's paper computed again, and those of its data and re-runs."""
