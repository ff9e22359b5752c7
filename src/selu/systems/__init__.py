"""Whatever answers: ways to learn a task from its rows."""
