"""Claims on what the benchmark consists of: tasks, data, splits, systems, metrics (I to IV)."""
