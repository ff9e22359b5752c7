"""Claims on the ranking, its uncertainty, and what the paper concludes from it (V-A, VII)."""
