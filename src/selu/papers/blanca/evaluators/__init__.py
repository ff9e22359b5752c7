"""BLANCA's scores of an encoder: pure functions from true answers and distances to scores."""
