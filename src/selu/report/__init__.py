"""Notebooks, the site and the console: reads records, computes no score."""
