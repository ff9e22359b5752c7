"""Rows of tasks: fetched, prepared and audited."""
