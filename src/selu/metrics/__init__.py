"""Scores of predictions and their intervals: pure functions of arrays."""
