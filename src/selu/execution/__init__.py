"""From a plan to a sealed, scored run: one folder per family of systems."""
