"""Systems that learn from the vectors that a sentence encoder gives texts."""
