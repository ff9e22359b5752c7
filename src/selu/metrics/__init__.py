"""Scores of predictions and their intervals: pure functions of arrays, no files, no benchmark."""
