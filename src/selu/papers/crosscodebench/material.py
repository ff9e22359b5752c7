"""The material of CrossCodeBench's tables and claims: published numbers, by split, method and type.

Tables 1 to 6 and the numbers of the text (``text``) are the paper's, and so is which scores of Table 5 are bold
or underlined (``marks``). From the authors' repository are ``scripts``, what their code does, and
``categories``, the type of each category; ``collection`` lists the data sets of the 216 tasks. ``others`` are
scores that those print who publish outputs for its sources. ``sources`` has the data sets on both sides of each
split, by the list of tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from selu.boards.rounding import HALF, Range, unit
from selu.papers.published import PublishedTables
from selu.vocabulary import Published

TYPES = (
    "Classification",
    "Fill in the Blank",
    "Translation",
    "Generation",
    "Summarization",
    "Type Prediction",
    "Question Answering",
)
SUB_TYPES = {
    "Classification": ("Binary", "Multi-label"),
    "Generation": ("Rewrite", "Text-to-Code", "Code-to-Text"),
}
SHORTCUTS = ("Copy Ex-output", "Copy Ins-input")
OFF_THE_SHELF = ("Off-the-shelf Tk-Instruct, 2/0-instruct", "Off-the-shelf Tk-Instruct, 2/2-instruct")
SUPERVISED = "Supervised CodeT5"
PRETRAINED_ON_CODE = ("PLBART", "CodeT5")
MODELS = (*PRETRAINED_ON_CODE, "Tk-Instruct")
SHOTS = ("zero-shot", "1-shot", "2-shot", "3-shot", "4-shot")
POSITIVE, MIXED = "2/0-instruct", "2/2-instruct"
PAIRS = {  # an Intra split -> the Inter split with the same evaluation tasks
    "Cat-Intra-CD": "Cat-Inter-CD",
    "Cat-Intra-BF": "Cat-Inter-BF",
    "Sub-Intra-ML": "Sub-Inter-ML",
    "Sub-Intra-C2T": "Sub-Inter-C2T",
}
SHARED = "Data sets on both sides"
_UNITS = {"K": 10**3, "M": 10**6}


class Column(NamedTuple):
    """A column of Table 5: a split and a metric."""

    split: str
    metric: str

    @property
    def name(self) -> str:
        """The name as in the table's file."""
        return f"{self.split}: {self.metric}"


@dataclass(frozen=True)
class Material(PublishedTables):
    """Published numbers of CrossCodeBench."""

    benchmark = "crosscodebench"

    def amount(self, table: str, row: str, column: str) -> Range:
        """Read what a number of instances such as 4.83M or 135K can have been before it was rounded.

        Raises:
            SeluError: it is no such number.
        """
        text = self.published(table, row, column)
        scale = _UNITS.get(text[-1:], 1)
        bare = text if scale == 1 else text[:-1]
        try:
            half = unit(bare) * HALF * scale
            middle = unit(bare) * round(float(bare) / float(unit(bare))) * scale
        except ValueError:
            raise self.refused(table, row, column, "is not a number of instances") from None
        return Range(middle - half, middle + half)

    @property
    def splits(self) -> list[str]:
        """The splits of Table 4, in its order."""
        return self.row_names("table4")

    @property
    def columns(self) -> list[Column]:
        """The columns of Table 5, in its order."""
        names = self.column_names("table5")
        return [Column(*name.split(": ")) for name in names]

    def score(self, row: str, column: Column) -> float:
        """Read a score of Table 5, in percent."""
        return self.number("table5", row, column.name)

    def rows_of(self, model: str) -> list[str]:
        """List the rows of Table 5 of a fine-tuned model, in their order."""
        return [row for row in self.row_names("table5") if row.startswith(f"{model}, ")]

    def methods_of(self, model: str) -> list[str]:
        """List the learning methods with which a model was fine-tuned, in the order of Table 5."""
        return [row.partition(", ")[2] for row in self.rows_of(model)]

    @property
    def fine_tuned(self) -> list[str]:
        """The rows of Table 5 that are fine-tuned on other tasks."""
        return [row for model in MODELS for row in self.rows_of(model)]

    def best(self, rows: Sequence[str], column: Column) -> tuple[float, str]:
        """Find the highest score of some rows, and the first row that has it."""
        return max(((self.score(row, column), row) for row in rows), key=lambda scored: scored[0])

    def of_type(self, type_: str, column: str) -> int:
        """Read a number of Table 3, of a type or of a sub-type such as ``Generation: Rewrite``."""
        return self.count("table3", type_, column)

    def evaluated(self, split: str) -> str:
        """Name the type or sub-type whose tasks a split evaluates."""
        ends = {
            "CD": "Classification: Binary",
            "BF": "Generation: Rewrite",
            "ML": "Classification: Multi-label",
            "C2T": "Generation: Code-to-Text",
            "Trans": "Translation",
            "QA": "Question Answering",
        }
        return ends[split.rpartition("-")[2]]

    def is_inter(self, split: str) -> bool:
        """Return whether a split trains on the other types, too."""
        return self.published("table4", split, "Scope") == "Inter-Type"


def read(tables: Mapping[str, Mapping[tuple[str, str], Published]]) -> Material:
    """Read the material of these tables.

    Raises:
        SeluError: a score of Table 5 is not a percentage.
    """
    material = Material(tables)
    material.require_within("table5", 0, 100)
    return material
