"""Records of FAUN-Eval's measurements in ``docs/measurements``: histories, patches and trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NotRequired, TypedDict

from selu.papers.faun_eval.records import Area, Difference, FoundFiles, Mean, Step


class LanguageStep(Step):
    """A filter's counts of the pairs of one language."""

    language: str


class TaskCounts(TypedDict):
    """How many tasks of each kind are made."""

    questions: int
    localization: int
    editing: int


class HistoryRow(TypedDict):
    """The pipeline's results on a repository's history; ``beyond`` counts unlisted pairs by reason."""

    repository: str
    head: str
    lacks: int
    commits: int
    pairs: int
    published: int
    found: int
    missing: list[str]
    beyond: Mapping[str, int]
    steps: list[Step]
    languages: list[LanguageStep]
    tasks: TaskCounts
    wall_s: float
    processor_s: float


class Histories(TypedDict):
    """``faun_eval_histories.json``."""

    pairs: int
    repositories: list[HistoryRow]


InFile = Literal["applies", "codebleu_file", "edit_file"]


class FileMean(Mean):
    """A mean, and over how many tasks."""

    tasks: int


class Agreement(TypedDict):
    """Answers of which the published evaluation says the same, of how many."""

    same: int
    tasks: int


class PatchedSet(TypedDict):
    """A set's patches in the files of their tasks."""

    system: str
    applies: NotRequired[FileMean]
    codebleu_file: NotRequired[FileMean]
    edit_file: NotRequired[FileMean]
    evaluated: NotRequired[Agreement]


class Change(TypedDict):
    """The area of CodeBLEU of the edited file minus that of a metric; not there for itself."""

    change: NotRequired[Difference]


class PatchStudyRow(Area, Change):
    """The area of a metric over all patches."""

    metric: str
    patches: int
    resolved: int
    tasks: int


class Patches(TypedDict):
    """``faun_eval_patches.json``."""

    tasks: int
    repositories: list[str]
    short: int
    sets: list[PatchedSet]
    study: list[PatchStudyRow]


class RankedTask(TypedDict):
    """A task's rank of the right file, by part of the issue and way of ranking; None where it is not ranked."""

    task: str
    candidates: int
    ranks: Mapping[str, Mapping[str, int | None]]


class NamedPaths(TypedDict):
    """A way's hit at 1 among the paths that tasks and answers name; ``change`` is that of the tree minus this.

    ``way`` is that in the tree; what ranks by the texts of files has no row.
    """

    way: str
    hit_1: Mean
    change: Mean


class Trees(TypedDict):
    """``faun_eval_trees.json``."""

    files: FoundFiles
    named: list[NamedPaths]
    ranks: list[RankedTask]
