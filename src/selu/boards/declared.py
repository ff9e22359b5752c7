"""The declaration of a paper's boards: which table entries are the score of a system on a task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from selu.vocabulary import KnownFields

UNKNOWN = "not recorded here"  # a licence that nobody looked up


@dataclass(frozen=True, slots=True)
class Source(KnownFields):
    """Places of one table.

    ``row`` and ``column`` are texts in which ``{system}`` and ``{task}`` stand for names, as in
    ``{system}/F1-score``. What stands in neither is named: ``system`` or ``task``. ``place`` says where a
    reader finds the score, with the same names, where the table's name does not.
    """

    table: str
    row: str
    column: str
    system: str = ""
    task: str = ""
    place: str = ""
    without: tuple[str, ...] = ()  # names of systems or tasks that are left out, as a column of averages


@dataclass(frozen=True, slots=True)
class About(KnownFields):
    """Facts that a reader of a task's scores should find beside them; unknown ones are empty.

    Attributes:
        asks: what a system is asked, in which ``{task}`` stands for its name.
        data: address of the data set.
        licence: of the data set, as its publisher states it.
        id: of the task with rows whose scores these are, where its name doesn't say so; one page has both.
    """

    asks: str = ""
    data: str = ""
    licence: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Licence(KnownFields):
    """What is known of the licence of some systems (``licences.yaml`` of the package).

    Attributes:
        systems: their names in a ranking, or ids of systems that are run here.
        licence: as its publisher states it; or that none is stated, or that there are no weights.
        source: address where it is stated, or where it was looked for.
        of: what has the licence, where that is not the system itself, such as the model that it is made from,
            or who says so.
        weights: address of the weights or of the repository, where no ranking says it.
    """

    systems: tuple[str, ...]
    licence: str
    source: str = ""
    of: str = ""
    weights: str = ""

    @property
    def text(self) -> str:
        """The licence, and what has it."""
        return f"{self.licence} ({self.of})" if self.of else self.licence


@dataclass(frozen=True, slots=True)
class Declared(KnownFields):
    """A board of a paper, as ``paper.yaml`` of its package declares it.

    Attributes:
        lower: tasks on which a lower score is better.
        mean, rank: columns of the first table that say this of each system, and hold no scores.
        rows: its row with the number of test rows of each task.
        computed: its scores are in no table of the paper; they were computed here from published answers.
        notes: what a reader should know of it, a sentence each.
        about: what is true of all its tasks, and ``tasks``, by name, what is of one alone.
        systems: address of the weights or of the repository of a system, by its name; ``weights`` is that of
            all systems whose name is an id of a hub, in which ``{system}`` stands for the name.
    """

    id: str
    title: str
    sources: tuple[Source, ...]
    lower: tuple[str, ...] = ()
    mean: str = ""
    rank: str = ""
    rows: str = ""
    computed: bool = False
    notes: tuple[str, ...] = ()
    about: About = About()
    tasks: Mapping[str, About] = field(default_factory=dict)
    systems: Mapping[str, str] = field(default_factory=dict)
    weights: str = ""

    def about_task(self, task: str) -> About:
        """Return what is known of a task."""
        own = self.tasks.get(task, About())
        known = {
            field.name: getattr(own, field.name) or getattr(self.about, field.name) for field in fields(About)
        }
        return About(**{**known, "asks": known["asks"].replace("{task}", task)})

    def link(self, system: str) -> str:
        """Find the address of a system; empty where none is known."""
        named = self.weights.replace("{system}", system) if "/" in system else ""
        return self.systems.get(system, named)
