"""Metrics of answers to issues, each with its variant in its name; pure functions of texts and paths."""
