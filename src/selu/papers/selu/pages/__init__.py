"""What SELU's pages of the site show: leaderboard, cells, posterior, and the pairs of each system."""
