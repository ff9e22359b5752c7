"""Plans, identities and stores of results; imports no heavy library."""
