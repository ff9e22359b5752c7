"""Table V and the performance drivers (V-B, VI third)."""
