"""Runs spread over many machines by Ray."""
