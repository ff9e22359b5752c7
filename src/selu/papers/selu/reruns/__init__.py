"""Reruns and re-scored predictions beside the printed scores: cells, differences, and claims on them."""
