"""Claims on the contents of the benchmark: tasks, data, splits, systems, metrics (I to IV)."""
