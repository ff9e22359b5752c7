"""Fields of heads.json, and of its heads in groups of equal ones."""

from __future__ import annotations

from typing import TypedDict


class _Linear(TypedDict, total=False):
    inputs: str
    outputs: str
    bias: bool
    tied: bool
    p: float  # of a dropout


class Step(_Linear):
    """A layer of a head."""

    name: str


class Head(TypedDict):
    """A head that is built: an entry of heads.json."""

    family: str
    architecture: str
    kind: str
    head: str
    stack: str
    pool: str
    steps: list[Step]
    outputs: str
    activation: str


class HeadGroup(TypedDict):
    """Heads that differ in nothing but their architecture; ``outcomes`` has kinds by activation and outputs."""

    stack: str
    pool: str
    families: list[str]
    steps: list[Step]
    outcomes: dict[tuple[str, str], list[str]]
