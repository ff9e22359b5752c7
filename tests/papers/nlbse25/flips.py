"""Other scores turn each verdict: else a claim would hold whatever the teams say."""

from __future__ import annotations

from collections.abc import Callable

from selu.papers.nlbse25.claims import SYSTEMS
from selu.papers.nlbse25.material import Material

NAME = "nlbse25"
UNIXCODER, CODEBERT = list(SYSTEMS)[4:]
Flip = Callable[[Material], Material]


def on_each_task(paper: Material, system: str, score: str) -> Material:
    return paper.with_places({("scores", system, task): score for task in paper.board.tasks})


def as_graphic(paper: Material, table: str, system: str, source: str) -> Material:
    """GRAPHiC's numbers of another table in each category."""
    return paper.with_places(
        {(table, system, task): paper.published(source, "GRAPHiC", task) for task in paper.board.tasks}
    )


def above(paper: Material, points: float, worse: int = 0) -> Material:
    """A submitted model that is so much better than the baseline in each category, but for some."""
    f1 = {task: paper.number("scores", "Baseline", task) for task in paper.board.tasks}
    gains = {task: -0.01 if at < worse else points / 100 for at, task in enumerate(f1)}
    return paper.with_places({("mock", "Mock et al.", task): f"{f1[task] + gains[task]:.6f}" for task in f1})


def other_f1(system: str) -> Flip:
    return lambda paper: paper.with_published("scores", system, "Java: usage", "0.990000")


def of_other_rows(system: str) -> Flip:
    """A recall that no number of 892 rows gives."""
    return lambda paper: paper.with_published("recall", system, "Java: summary", "0.829448")


FLIPS: dict[str, Flip] = {
    "NC01": lambda paper: paper.with_published("scores", "Baseline", "Java: other", "0.500000"),
    "NC02": lambda paper: paper.exchanged("GRAPHiC", UNIXCODER),
    "NC03": lambda paper: paper.exchanged("GRAPHiC", "Baseline"),
    "NC04": lambda paper: paper.exchanged("GRAPHiC", "Baseline"),
    "NC05": lambda paper: paper.exchanged("GRAPHiC", CODEBERT),
    "NC06": lambda paper: paper.with_published("scores", "GRAPHiC", "Mean", "0.7220093684"),
    "NC07": lambda paper: on_each_task(paper, "GRAPHiC", "1.000000"),
    "NC08": lambda paper: paper.with_places(
        {("scores", system, "Python: Usage"): "0.010000" for system in SYSTEMS}
    ),
    "NC09": lambda paper: on_each_task(paper, "Baseline", "0.500000"),
    **{f"NC{number}": other_f1(system) for number, system in enumerate(SYSTEMS, 13)},
    **{f"NC{number}": of_other_rows(system) for number, system in enumerate(SYSTEMS, 19)},
    "NC19": lambda paper: as_graphic(paper, "recall", "Baseline", "recall"),
    "NC25": lambda paper: as_graphic(paper, "notebook", "GRAPHiC", "scores"),
    "NC26": lambda paper: paper.with_published("text", "DataDogs", "submission score", "0.85"),
    "NC27": lambda paper: paper.with_published("text", "Mock et al.", "GFLOPs", "1,000"),
    "NC28": lambda paper: above(paper, 12),
    "NC29": lambda paper: above(paper, 8.9, worse=3),
    "NC30": lambda paper: paper.with_published("text", "Mock et al.", "average F1 (%)", "72.5"),
}
