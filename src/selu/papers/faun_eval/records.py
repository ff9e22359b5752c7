"""Records of FAUN-Eval that are written and read as JSON: in its reports and in ``docs/measurements``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NotRequired, TypedDict

from selu.papers.records import Interval, PinnedSource


class Ends(TypedDict):
    """The bounds of an interval."""

    low: float
    high: float


class Mean(Ends):
    """A mean over tasks, with the bounds of its interval."""

    score: float


class Difference(Interval):
    """The mean of paired differences, with its interval."""

    difference: float


class Area(Interval):
    """The area under the ROC curve, with its interval."""

    auc: float


# -- rescored.json -----------------------------------------------------------------------------------------

Lite = TypedDict("Lite", {"tasks": int, "of one file": int, "repositories": int})


class AnswerSet(TypedDict):
    """A set of answers: counts, and by metric its mean over all tasks and the interval.

    ``resolved`` and ``applied`` are there where the set was evaluated; ``applied`` is None where that is not
    listed.
    """

    system: str
    kind: str
    tasks: int
    answered: int
    left_out: Mapping[str, int]
    faults: Mapping[str, int]
    scores: Mapping[str, float]
    intervals: Mapping[str, Interval]
    resolved: NotRequired[int]
    applied: NotRequired[int | None]


FirstOutcomes = TypedDict("FirstOutcomes", {"resolved first": NotRequired[int]})


class PublishedSet(AnswerSet, FirstOutcomes):
    """A published set: also how many tasks its first evaluation resolved, and its files."""

    source: list[PinnedSource]


class StudyRow(Area):
    """How well a metric tells resolved patches from others: of a set, of all, or of a stratum (``system``)."""

    system: str
    metric: str
    patches: int
    resolved: int
    tasks: int


class Pair(Difference):
    """Two sets compared by a metric, on all tasks or on a stratum."""

    metric: str
    one: str
    other: str
    tasks: str


class StratumPair(Pair):
    """Two sets compared on a stratum of ``number`` tasks."""

    number: int


class LengthRow(Mean):
    """A set's mean over the short, medium or long issues."""

    unit: str
    metric: str
    system: str
    part: str
    tasks: int


class RepositoryRow(TypedDict):
    """A set's answers on the tasks of one repository: the first file is right, and the tests pass."""

    system: str
    repository: str
    tasks: int
    right_file: int
    resolved: NotRequired[int]


class Rescored(TypedDict):
    """``rescored.json``."""

    finding: str
    lite: Lite
    sets: list[PublishedSet]
    repositories: list[RepositoryRow]
    study: list[StudyRow]
    strata: list[StudyRow]
    paired: list[Pair]
    paired_strata: list[StratumPair]
    lengths: list[LengthRow]


# -- retrieval.json and scores.json of a model -------------------------------------------------------------

HitKey = Literal["hit_1", "hit_5", "hit_10"]
ChangeKey = Literal["change_1", "change_5", "change_10"]
HITS: Mapping[int, tuple[HitKey, ChangeKey]] = {
    1: ("hit_1", "change_1"),
    5: ("hit_5", "change_5"),
    10: ("hit_10", "change_10"),
}


class FilesRow(TypedDict):
    """A way of ranking paths by a part of the issue; its changes are from the whole issue."""

    way: str
    part: str
    answered: int
    hit_1: NotRequired[Mean]
    hit_5: NotRequired[Mean]
    hit_10: NotRequired[Mean]
    change_1: NotRequired[Mean]
    change_5: NotRequired[Mean]
    change_10: NotRequired[Mean]


class FilesPair(TypedDict):
    """Hits of one way of ranking minus those of another on the same tasks, by the whole issue."""

    one: str
    other: str
    hit_1: NotRequired[Mean]
    hit_5: NotRequired[Mean]
    hit_10: NotRequired[Mean]


class FoundFiles(TypedDict):
    """The results of retrieving the file at fault; ``candidates`` is their median, ``chance`` by hit."""

    tasks: int
    candidates: float
    chance: Mapping[HitKey, float]
    rows: list[FilesRow]
    paired: NotRequired[list[FilesPair]]
    among: NotRequired[str]


class AnswersRow(TypedDict):
    """A way of finding answers: their means by metric, and the gain over a random answer."""

    way: str
    answered: int
    same: int
    bleu: Mean
    rouge_l: Mean
    rouge_1: Mean
    edit: Mean
    mean: Mean
    gain: Mean


class FoundAnswers(TypedDict):
    """The results of retrieving answers."""

    questions: int
    repositories: int
    rows: list[AnswersRow]
    left_out: NotRequired[int]


class Retrieval(TypedDict):
    """``retrieval.json``."""

    finding: str
    files: FoundFiles
    questions: FoundAnswers


class NamedRow(TypedDict):
    """How often a model, or retrieval itself, names the file at fault first."""

    way: str
    hit_1: Mean
    change: Mean


class AskedCost(TypedDict):
    """Tokens asked and answered, and seconds, for a task."""

    asked: float
    answered: float
    seconds: float


class NamedScores(TypedDict):
    """The paths that a model named, scored; ``states`` counts its answers."""

    tasks: int
    states: Mapping[str, int]
    chance: float
    rows: list[NamedRow]
    cost: AskedCost | None


class Sample(TypedDict):
    """Which tasks a model was asked of how many, and what it was shown."""

    of: int
    among: str
    tasks: int
    paths: int
    characters: int
    answer_tokens: int
    seed: int


class NamedFiles(NamedScores):
    """The files that a model named, with the sample."""

    sample: Sample


class AnswerMeansRow(TypedDict):
    """A way of answering questions: its means by metric, and the change of their mean from a random answer."""

    way: str
    bleu: Mean
    rouge_l: Mean
    rouge_1: Mean
    edit: Mean
    mean: Mean
    change: Mean


class AnswerMeans(TypedDict):
    """Answers to questions, scored; ``empty`` and ``cut`` count the model's."""

    empty: int
    cut: int
    rows: list[AnswerMeansRow]
    cost: AskedCost | None


class QuestionSample(TypedDict):
    """Which questions a model was asked of how many."""

    of: int
    repositories: int
    questions: int
    answer_tokens: int
    seed: int


class AskedQuestions(AnswerMeans):
    """The answers of a model, with the sample."""

    sample: QuestionSample


class EditRow(TypedDict):
    """Edits of a model, or none: means over tasks, and the change of CodeBLEU from the unedited lines."""

    way: str
    applies: Mean
    codebleu: Mean
    edit: Mean
    exact: Mean
    change: Mean


class EditMeans(TypedDict):
    """Edits, scored; ``states`` counts the model's replies, ``cut`` those that the limit of tokens ended."""

    states: Mapping[str, int]
    cut: int
    rows: list[EditRow]
    cost: AskedCost | None


EditSample = TypedDict(
    "EditSample",
    {"of": int, "one place": int, "tasks": int, "characters": int, "answer_tokens": int, "seed": int},
)


class AskedEdits(EditMeans):
    """The edits of a model, with the sample."""

    sample: EditSample


class AskedModel(TypedDict):
    """``scores.json`` of a model that was asked."""

    model: str
    parameters: int | None
    identity: Mapping[str, str]
    files: NamedFiles
    questions: AskedQuestions
    edits: AskedEdits


# -- funnel.json and the measured histories ----------------------------------------------------------------


class Step(TypedDict):
    """How many pairs came to a filter and passed it."""

    filter: str
    came: int
    passed: int


class FunnelStep(Step):
    """A filter of the published list, and why it refused."""

    reasons: Mapping[str, int]


class RepositoryCount(TypedDict):
    """Pairs of a repository, and how many pass every filter."""

    repository: str
    pairs: int
    passed: int


class FunnelRecord(TypedDict):
    """``funnel.json``."""

    finding: str
    pairs: int
    passed: int
    steps: list[FunnelStep]
    repositories: list[RepositoryCount]
