"""Claims on baselines and prompted systems beside fine-tuned ones (V)."""
