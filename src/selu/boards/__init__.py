"""Tables of systems and tasks, whoever published them: read, ranked, tested."""
