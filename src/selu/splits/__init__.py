"""Splits and shots as ids, and the audit of what leaks between them."""
