"""The tracked record of a task's data: ``record.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict


class Hashes(TypedDict):
    """sha256 of the rows as read and as cleaned, of the split and of the shots."""

    rows: str
    clean: str
    split: str
    shots: str


class Spread(TypedDict, total=False):
    """Count, mean, extremes and quantiles of numbers; only the count if there are none."""

    count: int
    mean: float
    min: float
    q25: float
    median: float
    q75: float
    p90: float
    p99: float
    max: float


class Values(Spread):
    """The same of the values of a regression task, and how many of them are distinct."""

    distinct: int


class Lengths(TypedDict):
    """Lengths of the texts, in words and tokens: their number, mean and quantiles."""

    empty: int
    words: Spread
    tokens: Spread
    share_above_512_tokens: float


class Overlap(TypedDict):
    """Test rows that share a group with a train row, and their share."""

    test_rows: int
    share: float


class Duplicated(TypedDict):
    """Groups of at least two rows, the rows in them, and those of the largest."""

    groups: int
    rows: int
    largest: int


class Conflicts(TypedDict):
    """Groups of duplicates that differ in their labels, and their rows.

    Attributes:
        best_accuracy: the largest share of all duplicate rows that any system which answers texts of a group
            alike could get wholly right (None for regression, where answers are not right or wrong, and where
            there are no duplicates).
        best_accuracy_of_all: the same share of all rows, a ceiling of the task for systems that look past case
            and whitespace.
    """

    groups: int
    rows: int
    best_accuracy: NotRequired[float | None]
    best_accuracy_of_all: NotRequired[float | None]


class Groups(TypedDict):
    """Projects, documents or posts: their number, the largest, and those on both sides of the hold-out."""

    count: int
    largest: int
    on_both_sides: int
    test_rows_of_such: int
    test_share_of_such: float


class LengthDrift(TypedDict):
    """Kolmogorov-Smirnov's statistic (0..1) of lengths of train and test texts, and its asymptotic p."""

    statistic: float
    p: float


class VocabularyDrift(TypedDict):
    """Words of test that train lacks: number, share of distinct words, share of all occurrences."""

    unseen_words: int
    share_of_distinct: float
    share_of_occurrences: float


class Drift(TypedDict):
    """How train and test differ: in the share of each label, in lengths and in words."""

    labels: Mapping[str, float]
    words: LengthDrift | None
    vocabulary: VocabularyDrift


class Tags(TypedDict):
    """Rows and tokens of a token task, with its entities or its tags, each counted."""

    rows: int
    tokens: int
    entities: NotRequired[Mapping[str, int]]
    tags: NotRequired[Mapping[str, int]]
    verb_share: NotRequired[float]


class LabelCount(TypedDict):
    """Rows that carry a label, their share, and how many each part of a protocol has."""

    rows: int
    share: float
    paper: Mapping[str, int]
    strict: Mapping[str, int]
    grouped: Mapping[str, int]


class Answers(TypedDict, total=False):
    """The answers to learn, in the form that suits the kind of task: labels, numbers, or tags of tokens."""

    labels: Mapping[str, LabelCount]
    rows_without_label: int
    label_sets: int
    values: Mapping[str, Values]
    tokens: Mapping[str, Tags]


class Facts(Answers):
    """Counts of ``selu.splits.audit``; ``labels``, ``values`` or ``tokens`` by the kind of the task."""

    task: str
    kind: str
    rows: int
    parts: Mapping[str, Mapping[str, int]]
    removed_from_test_by_grouped: int
    lengths: Mapping[str, Lengths]
    duplicates: Mapping[str, Duplicated]
    overlap: Mapping[str, Mapping[str, Overlap]]
    conflicts: Mapping[str, Conflicts]
    groups: Groups
    drift: Drift


class DataRecord(TypedDict):
    """``record.json``: which rows a task has here, their split, and counts."""

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
