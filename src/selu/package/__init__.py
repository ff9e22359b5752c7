"""Archive, provenance record, reproduction of the clone, and the check of a machine."""
