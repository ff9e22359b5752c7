"""The tracked record of a task's data: ``record.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict


class Hashes(TypedDict):
    """sha256 of the rows as read and as cleaned, of the split and of the shots."""

    rows: str
    clean: str
    split: str
    shots: str


class Lengths(TypedDict):
    """Lengths of the texts, in words and tokens: their number, mean and quantiles."""

    empty: int
    words: Mapping[str, float]
    tokens: Mapping[str, float]
    share_above_512_tokens: float


class Overlap(TypedDict):
    """Test rows that share a group with a train row, and their share."""

    test_rows: int
    share: float


class Facts(TypedDict):
    """What ``selu.splits.audit`` counts; ``labels``, ``values`` or ``tokens`` by the kind of the task."""

    task: str
    kind: str
    rows: int
    parts: Mapping[str, Mapping[str, int]]
    removed_from_test_by_grouped: int
    lengths: Mapping[str, Lengths]
    duplicates: Mapping[str, Mapping[str, int]]
    overlap: Mapping[str, Mapping[str, Overlap]]
    conflicts: Mapping[str, Mapping[str, float | int | None]]
    groups: Mapping[str, float | int]
    drift: Mapping[str, Mapping[str, Any]]
    labels: NotRequired[Mapping[str, Any]]
    values: NotRequired[Mapping[str, Mapping[str, float]]]
    tokens: NotRequired[Mapping[str, Mapping[str, Any]]]
    entities: NotRequired[Mapping[str, Any]]
    tags: NotRequired[Mapping[str, Any]]


class DataRecord(TypedDict):
    """``record.json``: which rows a task has here, their split, and what was counted."""

    task: str
    kind: str
    standing: str
    rows: int
    instances: int
    deviations: list[str]
    split: str
    hashes: Hashes
    audit: Facts
    cleaning: Mapping[str, int]
    made_of: NotRequired[Mapping[str, str]]
