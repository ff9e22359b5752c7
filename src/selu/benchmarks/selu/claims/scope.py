"""What the benchmark covers (abstract, I-III, IV-A, IV-B, Tables I-III)."""
