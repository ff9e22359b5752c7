"""How BLANCA scores an encoder: pure functions from true answers and distances to scores."""
