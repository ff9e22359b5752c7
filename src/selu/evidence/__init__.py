"""The input of a report's parts: runs, rows, records."""
