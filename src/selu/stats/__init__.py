"""Statistics of paired scores: pure functions of arrays."""
