"""The material of the competition's tables and claims: tasks, entrants, and the published numbers.

Tables 1 to 3 and the numbers of the text (``text``) are the paper's. ``baselines`` are the result files of
the issue baselines in the competition's repository, ``protocol`` what its notebook 1-Dataset.ipynb does to
extract the issue reports, ``stacc`` the summary sheet of the comment baseline there,
``dopamin`` the printed output of the winning team's evaluation notebook. Tables that were counted from the data
files (``facts``) and the scores of our own runs (``reruns``) stand beside them where they are available.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from selu.papers.nlbse24 import formulas
from selu.papers.published import PublishedTables
from selu.vocabulary import KnownFields, Published, SeluError, Task

LABELS = ("Bug", "Feature", "Question")
METRICS = ("Precision", "Recall", "F1-score")
REPOSITORIES = ("react", "tensorflow", "vscode", "bitcoin", "opencv")
LANGUAGES = ("Java", "Pharo", "Python")
PARTS = ("Training", "Testing", "Training + Testing")
TOTAL = "Total"
OF_ALL = "Average"
PER_LABEL = 100  # issues of one label, repository and part (section 2.1)
BASELINE, WINNER = "Al-Kaswan et al.", "Hai and Bui"  # of Table 3


class Track(StrEnum):
    """The two competitions."""

    ISSUES = "issues"
    COMMENTS = "comments"


@dataclass(frozen=True, slots=True)
class Entrant(KnownFields):
    """A participant of a track, and its model; baselines are the organisers'."""

    team: str
    track: Track
    model: str
    kind: str
    baseline: bool
    single: bool
    results: str | None

    @property
    def id(self) -> str:
        """The team, which is unique."""
        return self.team


@dataclass(frozen=True)
class Material(PublishedTables):
    """Tasks, entrants and published tables of the competition."""

    benchmark = "nlbse24"

    tasks: tuple[Task, ...]
    entrants: tuple[Entrant, ...]

    def teams(self, track: Track, *, baseline: bool | None = None) -> list[str]:
        """List the teams of a track in the order of its table: all, submissions only, or baselines only."""
        return [
            entrant.team
            for entrant in self.entrants
            if entrant.track is track and baseline in (None, entrant.baseline)
        ]

    def entrant(self, team: str) -> Entrant:
        """Return the entrant of that team."""
        return next(entrant for entrant in self.entrants if entrant.team == team)

    def issue(self, team: str, metric: str = "F1-score", label: str = OF_ALL) -> float:
        """Return a score of Table 1."""
        return self.number("table1", f"{team}/{metric}", label)

    @cached_property
    def issue_f1(self) -> Mapping[str, float]:
        """Team -> average F1 of Table 1, baselines too, in the printed order."""
        return {team: self.issue(team) for team in self.teams(Track.ISSUES)}

    def distribution(self, row: str, part: str, column: str) -> int:
        """Return a count of Table 2; ``row`` is LANGUAGE/CATEGORY or LANGUAGE/Total."""
        return int(self.number("table2", row, f"{part}: {column}"))

    @cached_property
    def categories(self) -> Mapping[str, str]:
        """Rows of Table 2 (``Java/Expand``) -> places in the results (``java/expand``), in printed order."""
        names = {"Key impl. points": "keyimplementationpoints", "Dev. notes": "developmentnotes"}
        rows = [row for row in dict.fromkeys(row for row, _ in self.tables["table2"]) if TOTAL not in row]
        return {
            row: f"{language.lower()}/{names.get(name, name.lower().replace(' ', ''))}"
            for row in rows
            for language, name in [row.split("/")]
        }

    def categories_of(self, language: str) -> list[str]:
        """Return rows of Table 2 of one language."""
        return [row for row in self.categories if row.startswith(f"{language}/")]

    def comment(self, team: str, column: str = "Average F1-score") -> float:
        """Return a number of Table 3."""
        return self.number("table3", team, column)

    def per_category(self, results: str, column: str = "f1") -> Mapping[str, float]:
        """Map each row of Table 2 to the published number of its category (``stacc`` or ``dopamin``)."""
        return {row: self.number(results, place, column) for row, place in self.categories.items()}

    def result(self, results: str, place: str, column: str) -> str:
        """Return a published number of a category with all digits: the sheets leave out zeros at the end."""
        texts = [cell.published for (_, name), cell in self.tables[results].items() if name == column]
        digits = max(len(text.partition(".")[2]) for text in texts)
        whole, _, fraction = self.published(results, place, column).partition(".")
        return f"{whole}.{fraction:0<{digits}}"

    def text(self, section: str, what: str) -> float:
        """Return a number of the text, its unit left out."""
        words = {"six": 6.0, "Five": 5.0, "single": 1.0, "one": 1.0, "zero": 0.0}
        text = self.published("text", section, what)
        return words[text] if text in words else float(text.split()[0].replace(",", "").rstrip("+%"))

    def by_language(self, table: str, column: str) -> Mapping[str, int]:
        """Return a counted column of a fact table for each language."""
        return {language: int(self.number(table, language, column)) for language in LANGUAGES}

    def facts(self, table: str) -> Mapping[tuple[str, str], Published]:
        """Return the places of a fact table, (row, column) -> value, in the order of its file.

        Raises:
            SeluError: it is not here; says how to get it.
        """
        if table not in self.tables:
            raise SeluError(
                f"reports/{self.benchmark}/data/facts/{table}.csv is missing: run 'dvc pull' to get it, or "
                f"'selu prepare --paper {self.benchmark}' to count it."
            )
        return self.tables[table]

    @property
    def formula(self) -> formulas.Score:
        """The ranking score of section 3.2."""
        names = ("Weight of F1", "Weight of runtime", "Longest runtime (secs.)")
        return formulas.Score(*(self.text("3.2", name) for name in names))


_SCORES = {"precision", "recall", "f1", "Average Precision", "Average Recall", "Average F1-score"}
_TIMES = {"avg_runtime_s", "Avg. Inference Runtime (secs.)"}


def read(tables: Mapping[str, Mapping[tuple[str, str], Published]]) -> Material:
    """Return the material of the declared tasks and entrants, and these tables.

    Raises:
        SeluError: a score is not in 0..1, a number of sentences no whole one, or a time below 0.
    """
    from selu.papers.declared import read_records
    from selu.papers.nlbse24 import design

    entrants = read_records(design.PACKAGE, "entrants.yaml", Entrant)
    material = Material(tables, design.tasks(), entrants)
    for table in ("table1", "table2", "table3", "baselines", "stacc", "dopamin"):
        for row, column in tables.get(table, {}):
            if table in ("table1", "table2") or column in _SCORES | _TIMES:
                _check(material, table, row, column)
    return material


def _check(material: Material, table: str, row: str, column: str) -> None:
    try:
        number = material.number(table, row, column)
    except SeluError:  # a word: the claim that can't be computed from it quotes it
        return
    fine, why = 0 <= number <= 1, "precision, recall and F1 lie in 0..1"
    if table == "table2":
        fine, why = number >= 0 and number.is_integer(), "sentences are counted in whole numbers from 0 on"
    if column in _TIMES:
        fine, why = 0 <= number < float("inf"), "a time is a number of seconds from 0 on"
    if not fine:
        text = material.published(table, row, column)
        raise SeluError(f"{table}.csv, row {row!r}, column {column!r}: reads {text}, but {why}; correct it.")
