"""Records of CrossCodeBench that are written and read as JSON: scores of systems, and re-scored outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NotRequired, TypedDict

from selu.papers.records import PinnedSource


class Score(TypedDict):
    """A metric in percent; its interval where rows have scores of their own."""

    value: float
    low: NotRequired[float]
    high: NotRequired[float]


class Bounded(TypedDict):
    """A metric in percent, with its interval."""

    value: float
    low: float
    high: float


Scores = Mapping[str, Bounded]  # by metric


# -- baselines.json and scores.json of a model -------------------------------------------------------------


class RowScores(TypedDict):
    """Means over the rows of a task."""

    rows: int
    scores: Scores


class TaskScores(RowScores):
    """Scores of one task."""

    task: str
    type: str


class MeanScores(TypedDict):
    """Means over several tasks, each row alike (pooled) or each task alike (macro)."""

    tasks: int
    rows: int
    scores: Scores


class TypeScores(MeanScores):
    """Scores of the tasks of a type; ``mean`` says how they are averaged."""

    type: str
    mean: str


class SystemScores(TypedDict):
    """A system, or a format of prompts, by task and by type."""

    system: str
    tasks: list[TaskScores]
    types: list[TypeScores]


class TaskSize(TypedDict):
    """How many rows of a task are evaluated and learnt from."""

    task: str
    evaluated: int
    trained: int


class OutsideLabels(TypedDict):
    """How many answers to a task are none of its labels."""

    system: str
    task: str
    rows: int
    outside: int


class SizeScores(MeanScores):
    """Scores by the number of rows that are learnt from."""

    learnt: int


SystemsRecord = TypedDict(
    "SystemsRecord",
    {
        "tasks": list[TaskSize],
        "about": Mapping[str, str],
        "systems": list[SystemScores],
        "outside labels": list[OutsideLabels],
    },
)


class Baselines(SystemsRecord):
    """``baselines.json``."""

    sizes: list[SizeScores]


TunedOn = TypedDict("TunedOn", {"model": str, "split": str, "tasks": list[str], "rows": int, "held rows": int})


class AboutModel(TypedDict):
    """The model and how it was asked; ``tuned`` says what one was tuned on, whose identities are by format."""

    model: str
    parameters: int | None
    identity: Mapping[str, object]
    tuned: NotRequired[TunedOn]
    sample: Mapping[str, int]


class Comparison(TypedDict):
    """Whether a format scores more than another, by a metric on a group of tasks."""

    asks: str
    before: str
    after: str
    group: str
    metric: str
    mean: str
    tasks: int
    rows: int
    value: float
    low: float
    high: float
    answer: str


CellRecord = TypedDict(
    "CellRecord",
    {
        "task": str,
        "format": str,
        "asked tokens": int,
        "answered tokens": int,
        "seconds": float,
        "cut": int,
        "outside labels": int | None,
        "rows": list[int],
        "exact match": list[float],
        "BLEU, version a": list[float],
        "BLEU, version b": list[float],
        "ROUGE-L": list[float],
    },
)


class ModelScores(AboutModel):
    """``scores.json`` of a model: by format, formats compared, and cost by task and format."""

    formats: list[SystemScores]
    questions: list[Comparison]
    cells: list[CellRecord]


class SizedModel(TypedDict):
    """What the figure of sizes reads of a model's scores."""

    model: str
    parameters: int
    formats: list[SystemScores]


# -- rescored.json -----------------------------------------------------------------------------------------


class Met(TypedDict):
    """A published score beside ours."""

    metric: str
    published: str
    ours: str
    equal: bool


class OutputScores(TypedDict):
    """Scores of a system's published outputs by metric."""

    task: str
    system: str
    rows: int
    scores: Mapping[str, Score]


class RescoredRow(OutputScores):
    """The same beside what is published, and the file that it is from."""

    published: list[Met]
    source: PinnedSource


class Rescored(TypedDict):
    """``rescored.json``."""

    finding: str
    rows: list[RescoredRow]


# -- data/collection.json ----------------------------------------------------------------------------------

Way = Literal["exact input", "exact pair", "reversed pair", "near input", "near either way"]
Side = Literal["input", "output"]


class TaskFacts(TypedDict):
    """A task whose rows are here: counts, words by side, and problems by kind with the first place of each."""

    rows: int
    parts: Mapping[str, int]
    words: Mapping[Side, float]
    problems: Mapping[str, int]
    first: Mapping[str, str]


class SplitLeaks(TypedDict):
    """What training rows of a split have of its evaluation rows, by way."""

    split: str
    tuned: int
    evaluated: int
    training: int
    rows: int
    found: Mapping[Way, int]
    by_task: Mapping[str, Mapping[str, int]]
    dropped: int


Shared = TypedDict(
    "Shared",
    {
        "task": str,
        "other": str,
        "rows": int,
        "exact input": int,
        "exact pair": int,
        "reversed pair": int,
        "near input": int,
        "near either way": int,
    },
)


class Collection(TypedDict):
    """``data/collection.json``."""

    tasks: Mapping[str, TaskFacts]
    table2: Mapping[str, float]
    splits: list[SplitLeaks]
    held_out: list[SplitLeaks]
    between: list[Shared]
