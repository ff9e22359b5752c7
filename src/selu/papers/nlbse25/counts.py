"""Shapes of claims about precision, recall and F1: what follows from counts, and what no counts can give."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from selu.papers.claims import finding, listed, portion, signed, unless_known
from selu.papers.scores import Scores
from selu.papers.shapes import Shape
from selu.vocabulary import Finding

MISSING = "The F1 of the submitted model in each category is in the paper's table, which is not here"
_HALF = 0.5e-6 + 1e-12  # of the last of six decimals, and what floats add
_SECONDS, _GFLOPS = 5.0, 5000.0  # beyond which the competition gives nothing for speed and for computing


def recounted(scores: Scores, system: str, task: str) -> float | None:
    """Compute F1 from counts: the rows that were found, all positive rows, and those that were answered so.

    Returns:
        None where recall is not a share of the positive rows, or precision none of a whole number of answers.
    """
    p, r = (scores.number(table, system, task) for table in ("precision", "recall"))
    rows = _positives(scores, task)
    right = round(r * rows)
    if abs(right / rows - r) > _HALF:
        return None
    if not right:
        return 0.0
    given = round(right / p) if p else 0
    return 2 * right / (rows + given) if given and abs(right / given - p) <= _HALF else None


def f1_follows(system: str) -> Shape:
    """Shape "F1 of SYSTEM is that of its precision and recall"."""

    def follows(scores: Scores) -> Finding:
        wrong = []
        for task in scores.board.tasks:
            p, r, f1 = (scores.number(table, system, task) for table in ("precision", "recall", "scores"))
            near = ((max(p - _HALF, 0), max(r - _HALF, 0)), (p + _HALF, r + _HALF))
            low, high = (2 * a * b / (a + b) if a + b else 0.0 for a, b in near)
            if not low - _HALF <= f1 <= high + _HALF:
                wrong.append(task)
        count = len(scores.board.tasks)
        return finding(
            not wrong,
            f"{portion(count - len(wrong), count)} follow from precision and recall{_but(wrong)}.",
            wrong=wrong,
        )

    return Shape(
        "Each F1 is the harmonic mean of precision and recall, within the six decimals of the three.",
        "One of them is another number.",
        "",
        follows,
    )


def recall_of_these_rows(system: str) -> Shape:
    """Shape "recall of SYSTEM is of the test rows that others have"."""

    def is_of_these_rows(scores: Scores) -> Finding:
        wrong = {}
        for task in scores.board.tasks:
            recall, rows = scores.number("recall", system, task), _positives(scores, task)
            if np.abs(np.arange(rows + 1) / rows - recall).min() > _HALF:
                wrong[task] = f"{task} ({recall:.6f} is not a share of {rows:,})"
        count = len(scores.board.tasks)
        return finding(
            not wrong,
            f"{portion(count - len(wrong), count)} are shares of the positive test rows{_but(wrong.values())}.",
            wrong=wrong,
        )

    return Shape(
        "Each recall is a whole number of the positive test rows of its category, divided by their count.",
        "One of them is no such share, so that it is of other rows.",
        "",
        is_of_these_rows,
    )


def same_as_notebook(system: str) -> Shape:
    """Shape "the result file and the notebook of SYSTEM have the same F1"."""

    def is_the_same(scores: Scores) -> Finding:
        apart = {
            task: scores.number("notebook", system, task) - scores.number("scores", system, task)
            for task in scores.board.tasks
        }
        other = {task: round(value, 6) for task, value in apart.items() if abs(value) > 2 * _HALF}
        return finding(
            not other,
            f"{portion(len(apart) - len(other), len(apart))} scores are the same; the notebook's minus the "
            f"file's: {signed(other)}.",
            differences=other,
        )

    return Shape("Each F1 is the same in both.", "One of them differs.", "", is_the_same)


def submission_score(team: str, system: str = "") -> Shape:
    """Shape "the published submission score follows from F1, runtime and GFLOPs".

    Args:
        system: whose mean F1 it is of; by default the F1 that the team states.
    """

    def follows(scores: Scores) -> Finding:
        stated = scores.number("text", team, "submission score")
        seconds, gflops = (scores.number("text", team, name) for name in ("average runtime (s)", "GFLOPs"))
        f1 = _mean(scores, "scores", system) if system else scores.number("text", team, "average F1 (%)") / 100
        parts = [0.6 * f1, 0.2 * max(0, 1 - seconds / _SECONDS), 0.2 * max(0, 1 - gflops / _GFLOPS)]
        return finding(
            abs(sum(parts) - stated) <= 0.005 + 1e-9,
            f"F1 gives {parts[0]:.4f}, runtime {parts[1]:.4f} and GFLOPs {parts[2]:.4f}, together "
            f"{sum(parts):.4f}; {stated:.2f} is stated.",
            parts=[round(part, 6) for part in parts],
        )

    return Shape(
        "0.6 times F1, and 0.2 times what is left of 5 seconds and of 5,000 GFLOPs, add up to it, rounded.",
        "They add up to another number.",
        "",
        follows,
    )


def gain(f1: Callable[[Scores], float]) -> Shape:
    """Shape "this mean F1, of 100, is above the baseline's by the gain that Mock et al. state"."""

    def is_the_gain(scores: Scores) -> Finding:
        if missing := f1 is submitted and unless_known(scores, "mock", MISSING):
            return missing
        baseline = 100 * _mean(scores, "scores", "Baseline")
        points = f1(scores) - baseline
        stated = scores.number("text", "Mock et al.", "gain over the baseline (%)")
        relative = 100 * points / baseline
        return finding(
            min(abs(points - stated), abs(relative - stated)) <= 0.1,
            f"{f1(scores):.1f} is {points:.2f} points or {relative:.1f} % above the baseline's {baseline:.2f}; "
            f"{stated:.1f} is stated.",
            points=round(points, 4),
            relative=round(relative, 4),
        )

    return Shape(
        "In points, or as a share of the baseline's mean F1, it is the gain, within 0.1: both roundings.",
        "In neither.",
        "",
        is_the_gain,
    )


def submitted(scores: Scores) -> float:
    """Average the F1 of the submitted model over the categories."""
    return 100 * _mean(scores, "mock", "Mock et al.")


def in_readme(scores: Scores) -> float:
    """Return the README's F1 of another run of the submitted model."""
    return scores.number("text", "Mock et al.", "average F1 (%)")


def _positives(scores: Scores, task: str) -> int:
    return int(scores.number("positives", task, "positive"))


def _mean(scores: Scores, table: str, row: str) -> float:
    """Average the numbers of a row of a table over the categories."""
    return float(np.mean([scores.number(table, row, task) for task in scores.board.tasks]))


def _but(wrong: Collection[str]) -> str:
    return f"; not {listed(wrong)}" if wrong else ""
