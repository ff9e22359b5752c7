"""A repository's issues and pull requests, from GitHub's answers to entries of Table 2."""
