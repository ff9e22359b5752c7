"""Figures of SELU's paper drawn again, and those of its data and re-runs."""
