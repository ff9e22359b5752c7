"""Published scores recomputed from the counts in the authors' result files."""
