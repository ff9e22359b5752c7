"""selu: a containerised reproducibility package for benchmark papers."""

__version__ = "0.1.0"
