"""Models that answer a prompt by a text, or by the likeliest of some labels; how one learns to."""
