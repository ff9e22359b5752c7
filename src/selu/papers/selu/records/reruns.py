"""Fields of cells.json, comparisons.json, recounted.json and claims_rerun.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict, TypeGuard

Part = Literal["strict", "paper"]  # a protocol
PARTS: tuple[Part, ...] = ("strict", "paper")  # validation-selected first


class WithState(TypedDict):
    """Any record that says whether it is present."""

    state: str


class OnRows(TypedDict):
    """Any record of a task that says which rows it covers."""

    task: str
    standing: str | None


class Bounds(TypedDict):
    """A score and the bounds of its interval."""

    value: float
    low: float
    high: float


class Summary(Bounds):
    """A score over all seeds: outermost bounds, their Monte-Carlo error, and test rows."""

    error: float
    rows: int


class SeedScore(TypedDict):
    """The score of one seed."""

    seed: int
    state: str
    value: float | None


class Shift(TypedDict):
    """A score under other libraries, and the first one's difference from it."""

    value: float
    difference: float


class Grouped(TypedDict):
    """A score over the test rows that the grouped split leaves."""

    rows: int
    rows_left: int
    value: float | None


class FitCost(TypedDict):
    """The cost of all fits of a score together; joules only if every run measured them."""

    seconds: float
    cpu_seconds: float
    joules: float | None
    fits: int


class _Cell(TypedDict):
    task: str
    system: str
    name: str
    kind: str
    metric: str
    published: float | None
    standing: str | None
    state: str
    states: Mapping[str, str]
    error: float | None
    rows: int | None
    seeds: list[SeedScore]
    exact: bool
    difference: float | None
    reason: str | None
    run: str | None
    environment: str | None
    chosen: Mapping[str, object] | None
    current: Shift | None
    strict: Bounds | None
    grouped: Grouped | None
    constant: bool | None
    cost: FitCost | None


class RerunCell(_Cell):
    """A cell of Table VI beside what was re-run: an entry of cells.json."""

    printed: str | None
    evidence: str | None
    value: float | None
    low: float | None
    high: float | None
    verdict: str | None


class ScoredCell(_Cell):
    """A re-run score if both the paper and we have one."""

    printed: str
    evidence: str
    value: float
    low: float
    high: float
    verdict: str


def scored(cell: RerunCell) -> TypeGuard[ScoredCell]:
    """Return whether both the paper and we have this score."""
    return cell["value"] is not None and cell["printed"] is not None


class Difference(TypedDict):
    """A mean difference of paired runs, with its bounds and their Monte-Carlo error."""

    value: float
    low: float
    high: float
    error: float


class Comparison(Difference):
    """A paired difference of runs on the same test rows: an entry of comparisons.json."""

    task: str
    system: str
    kind: str
    metric: str
    standing: str | None
    what: str
    first: list[str]
    second: list[str]
    seeds: int
    rows: int
    rows_left: int | None


class ComparisonBeside(Comparison):
    """The same beside a system that may be another: an entry of comparisons_finetuned.json."""

    beside: str


class LabelCounts(TypedDict):
    """Items of each label: answered rightly, that have it, that were given it (in all files, in all)."""

    right: Sequence[int]
    support: Sequence[int]
    answered: Sequence[int | None]
    answered_in_all: int | None
    rows: int | None


class CountedFile(TypedDict):
    """The counts of a result file of the authors: an entry of recounts.json."""

    task: str
    system: str
    path: str
    sha256: str
    matrix: list[list[int]] | None
    labels: LabelCounts | None
    contradictions: list[str]
    epoch: float | None


class RecountedCell(TypedDict):
    """A published score computed again from the authors' counts: an entry of recounted.json.

    Attributes:
        rows: items counted; None where items may have several labels, or none.
        expected: rows of the test part that the other systems' files of the task count.
        low, high: bootstrap interval over test rows; None where the file does not count rows.
        about_interval: what it assumes, or why there is none; None where it is that of the rows themselves.
        findings: what of the file deviates, a sentence each; ``reason`` has them in one text.
    """

    task: str
    system: str
    path: str
    published: str
    value: float
    equal: bool
    rows: int | None
    expected: int | None
    low: float | None
    high: float | None
    about_interval: str | None
    per_class: list[float]
    findings: list[str]
    verdict: str
    reason: str | None
    evidence: str
    state: str


class CellsRead(TypedDict):
    """The baselines' cells that a claim reads, and whether it is about published numbers alone."""

    systems: list[str]
    tasks: list[str]
    of_print: bool


class VerdictAnew(TypedDict):
    """A claim's verdict on other values, how many, and whether a number behind it changed."""

    verdict: str
    because: str
    cells: int
    changes: bool


class ClaimRerun(CellsRead):
    """A claim on rerun numbers: an entry of claims_rerun.json."""

    id: str
    verdict: str
    evidence: Mapping[str, int]
    with_rerun: VerdictAnew | None
    with_strict: VerdictAnew | None
