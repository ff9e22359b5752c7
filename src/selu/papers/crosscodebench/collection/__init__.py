"""The collection: 216 tasks, the rows of those that are available, and the published archive's own form."""
