"""Re-runs and re-scored predictions beside the published scores: scores, differences, and claims on them."""
