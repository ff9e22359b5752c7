"""One task from pinned bytes to vouched-for rows, and back from the disk."""
