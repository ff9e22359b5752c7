"""The material of BLANCA's tables and claims: its encoders, and the published numbers.

Tables 1 to 8 and the numbers of the text (``text``) are the paper's, and so is which of them are bold
(``bold``). From the authors' repository are ``logs`` and ``related``, the results of their runs on L, F,
H, U and on related questions; ``distances``, the pairs of H by class distance (figure 5); ``scripts``, what
their scripts do. What was scored again from their distances (``rescored``, ``usage``) stands beside these where
it is here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from selu.papers.published import PublishedTables
from selu.vocabulary import KnownFields, Published

TASKS = {  # letter of a task -> its table, and the column by which the paper ranks encoders
    "R": ("table3", "MRR"),
    "L": ("table4", "T"),
    "F": ("table5", "T"),
    "H": ("table6", "Pearson r"),
    "U": ("table7", "Pearson r"),
}
TABLE8 = {"R": "R: MRR", "L": "L", "F": "F", "H": "H", "U": "U"}  # the same in Table 8
MEANS = {"L": ("Linked", "Unlinked"), "F": ("Related", "Unrelated")}  # columns of the two mean distances
OWN = "own"  # tuned on the task of the table alone


@dataclass(frozen=True, slots=True)
class Encoder(KnownFields):
    """An encoder of the paper; the comment of systems.yaml says what its fields are."""

    name: str
    table1: str | None
    code: bool
    base: str | None
    tasks: str | None

    @property
    def id(self) -> str:
        """The name, which is unique."""
        return self.name


@dataclass(frozen=True)
class Material(PublishedTables):
    """Encoders and published numbers of BLANCA."""

    benchmark = "blanca"

    encoders: tuple[Encoder, ...]

    def scores(self, task: str) -> Mapping[str, float]:
        """Read the ranked column of a task's table: encoder -> score, in the printed order."""
        table, column = TASKS[task]
        return {row: self.number(table, row, column) for row, name in self.tables[table] if name == column}

    def multitask(self, column: str) -> Mapping[str, float]:
        """Read a column of Table 8: encoder -> score, in the printed order."""
        return {
            row: self.number("table8", row, column) for row, name in self.tables["table8"] if name == column
        }

    def chosen(self, task: str, encoders: Sequence[Encoder]) -> Mapping[str, float]:
        """Read the scores of those of these encoders that a task's table has."""
        names = {encoder.name for encoder in encoders}
        return {name: score for name, score in self.scores(task).items() if name in names}

    @property
    def bases(self) -> list[Encoder]:
        """The encoders that were not tuned on any task of BLANCA."""
        return [encoder for encoder in self.encoders if encoder.base is None]

    @property
    def multi(self) -> list[Encoder]:
        """The encoders that were tuned on several tasks."""
        return [encoder for encoder in self.encoders if encoder.tasks not in (None, OWN)]

    def gap(self, task: str, encoder: str) -> float:
        """Subtract the two printed mean distances of L or F: how much farther apart unrelated pairs are."""
        close, far = (self.number(TASKS[task][0], encoder, column) for column in MEANS[task])
        return far - close


_RANGES = {"table3": (0, 1), "table4": (0, inf), "table5": (0, inf), "table6": (-1, 1), "table7": (-1, 1)}


def read(tables: Mapping[str, Mapping[tuple[str, str], Published]]) -> Material:
    """Read the material of the declared encoders and these tables.

    Raises:
        SeluError: a score of Tables 3 to 7 lies outside its range.
    """
    from selu.papers.declared import read_records

    encoders = read_records(__name__.rpartition(".")[0], "systems.yaml", Encoder)
    material = Material(tables, encoders)
    for table, ends in _RANGES.items():
        material.require_within(table, *ends)
    return material
