"""The notebooks of a paper: run, stripped of what varies, and kept."""
