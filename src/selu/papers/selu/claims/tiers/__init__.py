"""Claims on the tiers of systems and on Figure 5 (V-A)."""
