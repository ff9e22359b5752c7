"""Records of NLBSE'24 that are written and read as JSON: ``results.json`` and ``rescored.json``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypedDict

from selu.papers.records import Bootstrap, Interval

Measure = Literal["precision", "recall", "f1"]
KEYS: tuple[Measure, ...] = ("precision", "recall", "f1")
TrackName = Literal["issues", "comments"]
TRACKS: tuple[TrackName, ...] = ("issues", "comments")


class Measures(TypedDict):
    """Precision, recall and F1."""

    precision: float
    recall: float
    f1: float


class Scored(Measures, Interval):
    """The three measures, and the interval of F1."""


Scores = Mapping[str, Measures]  # by label, and their average
LabelScores = Mapping[str, Scored]


def measures(values: Iterable[float]) -> Measures:
    """Write down precision, recall and F1."""
    precision, recall, f1 = values
    return {"precision": precision, "recall": recall, "f1": f1}


# -- results.json ------------------------------------------------------------------------------------------


class Absent(TypedDict):
    """A planned run that is missing."""

    task: str
    run: str
    state: str
    reason: str


class Repeated(TypedDict):
    """The published baseline that an entrant repeats."""

    team: str
    model: str


class Runtime(TypedDict):
    """Seconds per text: the mean, the fastest and slowest repeat over all places, and each place's mean."""

    seconds: float
    fastest: float
    slowest: float
    repeats: int
    places: Mapping[str, float]
    machines: list[str]


class Entrant(TypedDict):
    """A system under a protocol as it was run on a track; ``tasks`` by place."""

    id: str
    system: str
    protocol: str
    single: bool
    picked_on: str
    seeds: list[int]
    tasks: Mapping[str, str]
    evidence: str
    absent: list[Absent]
    repeats: Repeated | None


class IssueEntrant(Entrant):
    """An entrant of the issue track: scores here and published, by place and label."""

    scores: Mapping[str, LabelScores]
    published: Mapping[str, Scores] | None
    runtime: Runtime | None


class Outperformed(TypedDict):
    """Categories above the published baseline, those that its digits leave undecided, and their number."""

    categories: list[str]
    undecided: list[str]
    of: int


class Score(TypedDict):
    """The competition's score: its bounds, cut off at zero, and from F1 and runtime as published."""

    value: float
    low: float
    high: float
    clipped: float
    of_printed_digits: float


class CommentEntrant(Entrant):
    """An entrant of the comment track; values over all categories are None if one was not run."""

    categories: Mapping[str, Scored]
    overall: Scored | None
    outperformed: Outperformed | None
    score: Score | None
    runtime: Runtime | None


class WholeEntrant(Entrant):
    """An entrant of the comment track that was run on every category."""

    categories: Mapping[str, Scored]
    overall: Scored
    outperformed: Outperformed
    score: Score | None
    runtime: Runtime | None


class Difference(Interval):
    """The paired difference of two entrants, and how probable it is that the first is better."""

    first: str
    second: str
    value: float
    probability: float
    probability_error: float


def seen_from(entry: Difference, system: str) -> tuple[float, float, float]:
    """Return the value and the bounds of a paired difference of this system minus the other one."""
    if entry["first"] == system:
        return entry["value"], entry["low"], entry["high"]
    return -entry["value"], -entry["high"], -entry["low"]


class Rank(TypedDict):
    """An entrant's rank with its interval, and the probability of each rank."""

    id: str
    rank: int
    low: int
    high: int
    probabilities: list[float]
    error: float


class Compared(TypedDict):
    """Paired differences and ranks of a track's entrants."""

    differences: list[Difference]
    ranking: list[Rank]
    not_ranked: list[str]


class IssueTrack(Compared):
    """Entrants of the issue track, compared."""

    entrants: list[IssueEntrant]


class CommentTrack(Compared):
    """Entrants of the comment track, compared."""

    entrants: list[CommentEntrant]


class NotRun(TypedDict):
    """A declared system without any run here, and its tracks."""

    system: str
    tracks: list[str]


class Results(TypedDict):
    """``results.json``."""

    bootstrap: Bootstrap
    issues: IssueTrack
    comments: CommentTrack
    not_run: list[NotRun]


# -- rescored.json -----------------------------------------------------------------------------------------


class Checked(TypedDict):
    """How many numbers of the result file are equal, which are not, and the largest difference."""

    verdict: str
    compared: int
    apart: list[str]
    largest_difference: float


class Overall(Checked):
    """Scores over the repositories, by label."""

    scores: Scores


class F1Interval(Interval, Bootstrap):
    """The interval of the average F1, and how it was drawn."""


class Cell(Overall):
    """Scores of one repository."""

    task: str
    system: str
    state: str
    evidence: str
    rows: int
    support: Mapping[str, int]
    interval_of_f1: F1Interval
    confusion_matrix: list[list[int]]


class PublishedScore(TypedDict):
    """A score of Table 1 beside the re-scored number, and whether it is that number rounded or cut off."""

    metric: str
    label: str
    printed: str
    value: float
    printed_as: list[str]
    equal: bool


class Run(TypedDict):
    """A published run, re-scored."""

    run: str
    team: str
    rows: int
    cells: list[Cell]
    overall: Overall
    table1: list[PublishedScore]


class SourcedRun(Run):
    """A published run, re-scored, and the pin of its predictions."""

    source: Mapping[str, str | int]


class Rescored(TypedDict):
    """``rescored.json``."""

    finding: str
    runs: list[SourcedRun]
