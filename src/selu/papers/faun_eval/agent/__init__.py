"""Answers of an agent of one's own, beside those that are published."""
