"""Published scores before their rounding."""
