"""Archive, record of provenance, the clone made again, the check of a machine."""
