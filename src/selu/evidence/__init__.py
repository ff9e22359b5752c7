"""What parts of a report are handed: runs, rows, records."""
