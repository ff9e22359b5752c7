"""Attention over texts side by side in one row, on a CPU and on a GPU."""
