"""Runs and re-scored files beside the published tables."""
