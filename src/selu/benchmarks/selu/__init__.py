"""SELU: A Software Engineering Language Understanding Benchmark (Pena and Herbold)."""
