"""selu: a containerised reproducibility package for benchmark papers."""

__version__ = "0.2.0"
