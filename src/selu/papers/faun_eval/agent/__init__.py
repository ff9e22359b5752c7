"""Answers of the user's own agent, beside the published ones."""
