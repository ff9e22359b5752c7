"""How it was measured (IV-C, IV-D, VII)."""
