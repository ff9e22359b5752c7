"""Claims on how systems were trained and tuned, and on what the published scripts do (IV)."""
