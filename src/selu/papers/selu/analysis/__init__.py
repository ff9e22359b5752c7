"""What follows from the printed scores: aggregates, statistics, and groups of systems and tasks."""
