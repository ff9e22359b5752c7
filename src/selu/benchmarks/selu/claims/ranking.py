"""Table IV and what the paper says of it (V-A)."""
