"""Claims on what goes with performance: size, architecture, adaptation, kinds of tasks (V-B)."""
