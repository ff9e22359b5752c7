"""Shared by the claims on hierarchy and usage: r of tables and of the authors' files, and its significance."""

from __future__ import annotations

from collections.abc import Iterable

from selu.papers.blanca.claims._known import HALF, ordered
from selu.papers.blanca.evaluators.correlation import significance
from selu.papers.blanca.material import TASKS, Material
from selu.papers.claims import exceptions, finding, listed, noted, portion
from selu.stats.rounding import agrees
from selu.vocabulary import Finding

HU, FT = "HU-BERTOverflow", "FT-BERTOverflow"


def range_of(paper: Material, section: str, task: str, lowest: str, highest: str) -> Finding:
    """Compare the ends of a table with the two numbers of the text and their models."""
    scores = paper.scores(task)
    low, high = ordered(scores)[-1], ordered(scores)[0]
    stated = [paper.number("text", section, f"{which} r") for which in ("Lowest", "Highest")]
    because = f"r goes from {scores[low]:.2f} ({low}) to {scores[high]:.2f} ({high})."
    fits = (low, high) == (lowest, highest) and stated == [scores[low], scores[high]]
    other = other_r(paper, task, (lowest, highest))
    return noted(
        fits, because, note=exceptions(other) if other else None, lowest=low, highest=high, text=stated
    )


def own_r(paper: Material, task: str, encoder: str) -> float | None:
    """Read the r that the authors' distances give, or their log where those are not here; none without both."""
    row = f"{task}/{encoder}"
    table = next((table for table in ("rescored", "logs") if (row, "r") in paper.tables.get(table, {})), None)
    return paper.number(table, row, "r") if table else None


def other_r(paper: Material, task: str, encoders: Iterable[str]) -> str:
    """Name the encoders whose r in the authors' files differs from the table; '' if there are none."""
    table, column = TASKS[task]
    found = {name: own_r(paper, task, name) for name in encoders}
    other = [
        f"{r:.4f} for {name}"
        for name, r in found.items()
        if r is not None and not agrees(r, paper.published(table, name, column))
    ]
    return f"The authors' files give {listed(other)}." if other else ""


def all_significant(paper: Material, task: str, pairs: int) -> Finding:
    """Compute p from the smallest r that rounds to each printed one."""
    scores = paper.scores(task)
    p = {name: significance(max(0.0, abs(r) - HALF), pairs) for name, r in scores.items()}
    low = [name for name, value in p.items() if value <= 0.01]
    wrong = [name for name, r in scores.items() if r < 0]
    because = (
        f"{portion(len(low), len(p))} r have p of at most 0.01 at {pairs:,} pairs; the smallest is "
        f"{min(scores.values()):.2f}."
    )
    caveat = exceptions(f"Farther classes are nearer for {listed(wrong)}.") if wrong else None
    return finding(len(low) == len(p), because, caveat=caveat, p=p)
