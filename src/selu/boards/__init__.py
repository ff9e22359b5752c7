"""Tables of systems and tasks of any publisher: reading, ranking, tests."""
