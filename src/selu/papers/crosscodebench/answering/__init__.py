"""Systems that answer rows of the collection here: baselines, a small open model, models of somebody's own."""
