"""The ten splits: their tasks, what they share, and what they leave when the paper's promise is kept."""
