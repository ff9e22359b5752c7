"""The authors' counts beside those of our runs, and whether independent labels give the intervals of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from selu.contents import ScoresContent
from selu.files import read_json
from selu.papers.selu.design import RESULTS
from selu.papers.selu.recounts.counts import Labels, Matrix
from selu.papers.selu.recounts.reading import Counted, Key

FIELDS = ("task", "system", "run", "protocol", "rows", "scores", "intervals", "bootstrap")
MACRO = "f1_macro"
DRAWS = 2000  # resamples of a width that is compared with another: its error is about 2 %


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of one class with one answer, in the authors' matrix and in ours.

    Attributes:
        label, answer: places among the task's labels; in a multi-label task ``label`` is the label, and
            ``answer`` 1 for items that were given it, 0 for others.
        has: of a multi-label task, whether the items have the label; True of another.
        theirs, ours: rows.
        totals: rows in all, in their matrix and in ours.
    """

    task: str
    label: int
    has: bool
    answer: int
    theirs: int
    ours: int
    totals: tuple[int, int]

    @property
    def shift(self) -> float:
        """The difference of the share of rows between our matrix and theirs."""
        return self.ours / self.totals[1] - self.theirs / self.totals[0]


@dataclass(frozen=True, slots=True)
class Width:
    """The interval of a run's macro F1 from its rows, and from its counts with labels as independent."""

    task: str
    run: str
    by_rows: float
    independent: float

    @property
    def ratio(self) -> float:
        """The width of the second divided by that of the first."""
        return self.independent / self.by_rows


def own_scores(root: Path) -> list[ScoresContent]:
    """Read the tracked scores of our runs, in the order of their folders.

    Raises:
        SeluError: one of them is damaged.
    """
    paths = sorted((root / RESULTS).glob("*/*/*/scores.json"))
    return [read_json(path, "dvc checkout results/selu", FIELDS) for path in paths]


def own_counts(scores: ScoresContent) -> Matrix | Labels | None:
    """Read the counts of a run; None of a task that has none."""
    import numpy as np

    found = scores["scores"]
    if "confusion_matrix" in found:
        square = np.array(found["confusion_matrix"], dtype=np.int64)
        unknown = np.zeros((len(square), 1), dtype=np.int64)
        return Matrix(np.hstack([square, unknown])) if not found.get("invalid") else None
    if "confusion_matrices" not in found:
        return None
    tables = found["confusion_matrices"]
    right, missed, wrong = ([table[i][j] for table in tables] for i, j in ((1, 1), (1, 0), (0, 1)))
    return Labels(
        tuple(right),
        tuple(a + b for a, b in zip(right, missed, strict=True)),
        tuple(a + b for a, b in zip(right, wrong, strict=True)),
        rows=scores["rows"],
    )


def parts(
    files: Mapping[Key, Counted], system: str, runs: Mapping[str, str], scores: Sequence[ScoresContent]
) -> list[Part]:
    """List the cells of the authors' and our matrices of a system, task by task.

    Args:
        runs: by task, the run (TASK/SYSTEM/RUN) whose score is shown beside the published one.
        scores: of our runs.
    """
    by_run = {f"{score['task']}/{score['system']}/{score['run']}": score for score in scores}
    found: list[Part] = []
    for (task, name), file in files.items():
        ours = own_counts(by_run[runs[task]]) if runs.get(task) in by_run else None
        if name == system and ours is not None and file.counts is not None:
            found += _cells(task, file.counts, ours)
    return found


def _cells(task: str, theirs: Matrix | Labels, ours: Matrix | Labels) -> Iterator[Part]:
    if isinstance(theirs, Matrix) and isinstance(ours, Matrix):
        totals = int(theirs.cells.sum()), int(ours.cells.sum())
        for label, (row, other) in enumerate(zip(theirs.cells[:, :-1], ours.cells[:, :-1], strict=True)):
            for answer, (their, our) in enumerate(zip(row, other, strict=True)):
                yield Part(task, label, True, answer, int(their), int(our), totals)
    elif isinstance(theirs, Labels) and isinstance(ours, Labels) and theirs.rows and ours.rows:
        totals = theirs.rows, ours.rows
        for label in range(len(theirs.right)):
            their_rows, our_rows = _of_label(theirs, label), _of_label(ours, label)
            for (has, answer), their in their_rows.items():
                yield Part(task, label, has, answer, their, our_rows[has, answer], totals)


def _of_label(counts: Labels, label: int) -> Mapping[tuple[bool, int], int]:
    """Count items that have, or lack, the label and were given it (1), or not (0)."""
    right, support = counts.right[label], counts.support[label]
    wrong = (counts.answered[label] or right) - right
    rest = (counts.rows or 0) - support - wrong
    return {(True, 1): right, (True, 0): support - right, (False, 1): wrong, (False, 0): rest}


def widths(scores: Sequence[ScoresContent]) -> list[Width]:
    """Compare the intervals of our multi-label runs: from resampled rows, and with labels as independent."""
    found = []
    for score in scores:
        counts, interval = own_counts(score), score["intervals"].get(MACRO)
        if not isinstance(counts, Labels) or interval is None or interval["high"] == interval["low"]:
            continue
        drawn = counts.interval(DRAWS, score["bootstrap"]["seed"], score["bootstrap"]["level"])
        if drawn is not None:
            run = f"{score['task']}/{score['system']}/{score['run']}"
            found.append(Width(score["task"], run, interval["high"] - interval["low"], drawn[1] - drawn[0]))
    return found
