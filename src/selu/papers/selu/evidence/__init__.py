"""Runs and re-scored predictions beside the published scores."""
