"""One folder per published benchmark: what that paper says, declared."""
