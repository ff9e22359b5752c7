"""The fields of the JSON records that SELU's report writes and reads, a module per file or group of files."""
