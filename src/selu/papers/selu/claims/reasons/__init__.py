"""Claims on what correlates with performance: size, architecture, adaptation, kinds of tasks (V-B)."""
