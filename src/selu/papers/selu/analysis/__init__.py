"""What follows from the published scores: aggregates, statistics, and groups of systems and tasks."""
