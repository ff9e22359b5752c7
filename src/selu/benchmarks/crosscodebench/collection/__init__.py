"""The collection: 216 tasks, the rows of those that are to be had, and the published archive's own form."""
