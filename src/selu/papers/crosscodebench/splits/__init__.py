"""The ten splits: their tasks, their overlap, and what is left if the paper's promise is kept."""
