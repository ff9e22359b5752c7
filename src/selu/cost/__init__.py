"""Time, memory and money of planned runs."""
