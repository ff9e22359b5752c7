"""The archive of the project, its record of provenance, and the check of a machine."""
