"""Text: normalise, strip markup, mask. Knows nothing of tasks."""
