"""SELU's pages of the site: leaderboard, scores, posterior, and the pairs of each system."""
