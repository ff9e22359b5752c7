"""Systems that are trained on the rows."""
