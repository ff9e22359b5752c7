"""Runs of systems: those of the paper, and the user's own."""
