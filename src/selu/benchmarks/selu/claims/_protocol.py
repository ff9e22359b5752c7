"""What the paper and its published scripts say or do, step by step (data/paper/selu/protocol.csv)."""

from __future__ import annotations

from selu.benchmarks.selu.material import Material
from selu.vocabulary import Kind

PAPER, FINAL, PREPRINT = "paper", "scripts final", "scripts preprint"
NO_PROTOCOL = "What the paper and its scripts do, step by step, is not in the package"
TOKEN_KINDS = (Kind.ENTITIES, Kind.MASKED)
SMALL_TASK = 10_000  # instances; IV-C's limit between the two learning rates


def says(m: Material, step: str, where: str) -> str:
    """What one side says or does at a step of the protocol."""
    return m.printed("protocol", step, where)
