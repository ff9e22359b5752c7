"""From the issues and pull requests of a repository to tasks, as FAUN-Eval makes them (section 3)."""
