"""The posterior matrices and the four tiers (V-A, Figure 5)."""
