"""One task from pinned bytes to verified rows, and back from the disk."""
