"""The classical baselines of SELU section IV-B. Their libraries are imported when a baseline is fitted."""
