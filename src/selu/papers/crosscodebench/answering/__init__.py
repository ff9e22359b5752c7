"""Systems that answer rows of the collection: baselines, a small open model, the user's own models."""
