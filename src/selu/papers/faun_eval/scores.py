"""Scores of every task, kept beside the averages: the user's own set is compared with them."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from selu.files import write_csv
from selu.vocabulary import SeluError

PLACE = Path("reports") / "faun_eval" / "scores.csv"
DIGITS = 12  # so that a set that is scored again differs from itself by nothing that is seen
Values = Mapping[str, Mapping[str, Sequence[float]]]  # set -> metric -> score of each task


def to_csv(values: Values, tasks: Sequence[str]) -> str:
    """Write scores: a line for each set and task, a column for each metric, empty where a set lacks it."""
    metrics = list(dict.fromkeys(metric for scores in values.values() for metric in scores))
    lines = [["set", "task", *metrics]]
    for name, scores in values.items():
        for place, task in enumerate(tasks):
            cells = [f"{scores[metric][place]:.{DIGITS}g}" if metric in scores else "" for metric in metrics]
            lines.append([name, task, *cells])
    return write_csv(lines)


def read(path: Path, tasks: Sequence[str]) -> Mapping[str, Mapping[str, list[float]]]:
    """Read what ``to_csv`` wrote, in the order of these tasks.

    Raises:
        SeluError: the file is missing, damaged or of other tasks.
    """
    made_by = "selu rescore --paper faun_eval"
    try:
        header, *lines = csv.reader(path.read_text("utf-8").splitlines(), strict=True)
        rows = {(line[0], line[1]): dict(zip(header[2:], line[2:], strict=True)) for line in lines}
        found = {}
        for name in dict.fromkeys(line[0] for line in lines):
            first = rows[name, tasks[0]]
            having = [metric for metric in header[2:] if first[metric]]
            found[name] = {metric: [float(rows[name, task][metric]) for task in tasks] for metric in having}
        return found
    except (OSError, ValueError, KeyError, IndexError, csv.Error):
        raise SeluError(f"{path} is missing or damaged, or of other tasks: make it with '{made_by}'.") from None
