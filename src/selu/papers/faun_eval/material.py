"""The material of FAUN-Eval's tables and claims: the published numbers, and re-scored answers.

Tables 1 to 5 and what the text says (``text``) are the paper's. Its text was read by OCR, which made a bracket,
a bar or the digit 1 of the arrow before each change of Table 5, and lost its direction: Table 5 holds changes
without that mark, ``ocr`` each cell as it was found. ``crawl`` counts the repositories of CodeRepoQA, a data
set of the same month that names thirty. What the study of published answers found (``study``) stands beside
these where it is here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from selu.boards.rounding import Range, behind, mean_of
from selu.papers.published import ABSENT, PublishedTables
from selu.vocabulary import Published

QA = ("BLEU", "ROUGE-L", "ROUGE-1", "ES")
MEAN = "QA average"
TASKS = {"question answering": MEAN, "fault localization": "EM", "code editing": "CodeBLEU"}
AVERAGE = "Average"
FULL = {"EM": "IT+IB", "CodeBLEU": "IT+IB+PT+PB"} | dict.fromkeys((*QA, MEAN), "IT+IB")
PARTS = {"issue title": "IT", "issue body": "IB", "pull request's title": "PT", "pull request's body": "PB"}
ENTRIES = 300
Place = tuple[str, str]  # row and column of a table
ALL_SETS = "all sets"  # rows of the study of published answers that claims read


@dataclass(frozen=True)
class Material(PublishedTables):
    """Published numbers of FAUN-Eval."""

    benchmark = "faun_eval"

    def scores(self, metric: str) -> Mapping[str, float]:
        """Read a row of Table 4 without its average: model -> score, in the published order."""
        columns = [column for row, column in self.tables["table4"] if row == metric and column != AVERAGE]
        return {model: self.number("table4", metric, model) for model in columns}

    def ranked(self, metric: str) -> list[str]:
        """Name the models by their score in Table 4, the best first; equal ones in the published order."""
        scores = self.scores(metric)
        return sorted(scores, key=lambda model: -scores[model])

    @property
    def models(self) -> list[str]:
        """The models of Table 3, in the published order."""
        return self.row_names("table3")

    def open_source(self, model: str) -> bool:
        """Return whether Table 3 calls a model open."""
        return self.published("table3", model, "Open-source") == "yes"

    def size(self, model: str) -> float:
        """Read a model's size in billions of parameters; nan where it is not published."""
        text = self.published("table3", model, "Size")
        digits = text.removesuffix("B")
        if text != ABSENT and (text == digits or not digits.replace(".", "", 1).isdigit()):
            raise self.refused("table3", model, "Size", "is not a size such as 7B")
        return float("nan") if text == ABSENT else float(digits)

    @property
    def ablated(self) -> list[str]:
        """The models of Table 5, in the published order."""
        columns = (column for row, column in self.tables["table5"] if row == f"{MEAN}: {FULL[MEAN]}")
        return [column for column in columns if not column.endswith(": change") and column != AVERAGE]

    def kept(self, metric: str) -> list[str]:
        """List the rows of a metric in Table 5 by the parts of the input that they keep, the full one first."""
        rows = self.row_names("table5")
        return [row.partition(": ")[2] for row in rows if row.partition(": ")[0] == metric]

    def without(self, metric: str, part: str) -> str:
        """Name the row of Table 5 from which a part of the input is missing."""
        return f"{metric}: {'+'.join(kept for kept in FULL[metric].split('+') if kept != PARTS[part])}"

    def change(self, row: str, model: str) -> float:
        """Compute how far a row of Table 5 is above or below the full input, in percent of the latter.

        Not a number where the full input scored 0, since nothing can be said in percent of that.
        """
        metric = row.partition(":")[0]
        full = self.number("table5", f"{metric}: {FULL[metric]}", model)
        return (self.number("table5", row, model) / full - 1) * 100 if full else float("nan")

    def rounded(self, table: str, row: str, column: str) -> Range:
        """Return the range of numbers that are published so; a plain 0 is exactly 0."""
        text = self.published(table, row, column)
        return Range(Fraction(0), Fraction(0)) if text == "0" else behind(text)

    def allows_change(self, row: str, model: str, published: str) -> bool:
        """Return whether a published change is, at its digits, one that the rounded scores of a row allow."""
        possible, half = self.possible_change(row, model), 0.5 / 10 ** len(published.partition(".")[2])
        size = abs(float(published))
        return possible is not None and float(possible.low) - half <= size <= float(possible.high) + half

    def can_be_mean(self, table: str, average: Place, scores: Sequence[Place]) -> bool:
        """Return whether an average can be the mean of scores of its table, given the rounding of all."""
        mean = mean_of([self.rounded(table, *score) for score in scores])
        return mean.meets(self.rounded(table, *average))

    def possible_change(self, row: str, model: str) -> Range | None:
        """Bound the change that the rounded scores of a row allow, without its sign; None where they are 0."""
        metric = row.partition(":")[0]
        full, score = (self.rounded("table5", place, model) for place in (f"{metric}: {FULL[metric]}", row))
        if full.low <= 0:
            return None
        ends = [(a / b - 1) * 100 for a, b in ((score.low, full.high), (score.high, full.low))]
        sizes = sorted(abs(end) for end in ends)
        return Range(Fraction(0) if ends[0] * ends[1] < 0 else sizes[0], sizes[1])


def read(tables: Mapping[str, Mapping[tuple[str, str], Published]]) -> Material:
    """Read the material of these tables.

    Raises:
        SeluError: a score of Tables 4 and 5 is not a number from 0 to 1.
    """
    material = Material(tables)
    for table in ("table4", "table5"):
        material.require_within(table, 0, 1, but=": change")
    return material
