"""Sources of bytes, and safe readers that check them before use."""
