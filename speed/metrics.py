"""All scores of 160,000 rows from one table of counts, and a call of scikit-learn per score, in one run.

Prints (and writes with ``--out``) the median wall time of several interleaved rounds of both ways on the same
arrays, how many times one takes the other, and whether all numbers are equal; then the time of bootstrap
intervals. The way per score is that of the paper's authors: accuracy, the confusion matrix, and F1, precision
and recall, each micro, macro and per class, are eleven calls on the arrays of labels. For regression it is
four, and these are faster than sums that no order of rows can change. Answers are drawn; seven of ten are
right.

    python speed/metrics.py     about a minute
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.metrics as oracle
from timing import heading, print_lines

from selu.metrics.bootstrap import interval
from selu.metrics.evaluate import evaluate
from selu.metrics.percentiles import Resampling

ROWS, LABELS, DRAWS, LEVEL = 160_000, 7, 10_000, 0.95
AVERAGES = {"micro": "micro", "macro": "macro", "per_class": None}
KEPT = 0.7  # share of rows that are answered right


def material(kind: str, rows: int) -> tuple[Any, Any]:
    """Truth and answers."""
    rng = np.random.default_rng(0)
    if kind == "regression":
        truth = rng.lognormal(1, 1, rows)
        return truth, truth * rng.lognormal(0, 1 - KEPT, rows)
    if kind == "multi_label":
        truth = (rng.random((rows, LABELS)) < np.linspace(0.05, 0.4, LABELS)).astype(np.int64)
        flip = rng.random((rows, 1)) > KEPT
        return truth, np.where(flip & (rng.random((rows, LABELS)) < 0.3), 1 - truth, truth)
    labels = 2 if kind == "binary" else LABELS
    truth = rng.integers(0, labels, rows)
    return truth, np.where(rng.random(rows) < KEPT, truth, rng.integers(0, labels, rows))


def per_score(kind: str, truth: Any, predicted: Any) -> dict[str, Any]:
    """Compute each score by its own call of scikit-learn."""
    if kind == "regression":
        return {
            "mae": oracle.mean_absolute_error(truth, predicted),
            "mse": oracle.mean_squared_error(truth, predicted),
            "rmse": oracle.root_mean_squared_error(truth, predicted),
            "mape": oracle.mean_absolute_percentage_error(truth, predicted),
        }
    table = "confusion_matrices" if kind == "multi_label" else "confusion_matrix"
    matrix = oracle.multilabel_confusion_matrix if kind == "multi_label" else oracle.confusion_matrix
    scores = {"accuracy": oracle.accuracy_score(truth, predicted), table: matrix(truth, predicted)}
    for measure in ("f1", "precision", "recall"):
        for name, average in AVERAGES.items():
            scored = getattr(oracle, f"{measure}_score")
            scores[f"{measure}_{name}"] = scored(truth, predicted, average=average)
    return scores


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """(wall seconds, result)."""
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def agreement(ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """How the numbers of both ways differ, in words."""
    if all(np.array_equal(ours[name], value) for name, value in theirs.items()):
        return "every bit"
    farthest = max(float(abs(ours[name] - value) / value) for name, value in theirs.items())
    return f"to {farthest:.0e}"


def compared(rounds: int) -> Iterator[str]:
    """Tabulate both ways."""
    yield f"{ROWS:,} rows, {LABELS} labels; median of {rounds} interleaved rounds, wall milliseconds"
    yield ""
    yield "kind         calls  per score: ms  one pass: ms  ratio  equal"
    for kind in ("multi_class", "multi_label", "binary", "regression"):
        truth, predicted = material(kind, ROWS)
        labels = 2 if kind == "binary" else LABELS
        ways: tuple[Callable[[], Any], ...] = (
            lambda kind=kind, truth=truth, predicted=predicted: per_score(kind, truth, predicted),
            lambda kind=kind, truth=truth, predicted=predicted, labels=labels: evaluate(
                kind, truth, predicted, labels
            ),
        )
        theirs, ours = (way() for way in ways)
        taken = [[timed(way)[0] for way in ways] for _ in range(rounds)]
        slow, fast = (1000 * statistics.median(column) for column in zip(*taken, strict=True))
        ratio = f"{slow / fast:5.0f}" if slow > fast else f"{slow / fast:5.2f}"
        equal = agreement(ours, theirs)
        yield f"{kind:11}  {len(theirs):5}  {slow:13.1f}  {fast:12.2f}  {ratio}  {equal}"


def intervals(rounds: int) -> Iterator[str]:
    """Tabulate bootstrap intervals; the smaller numbers of rows are those of SELU's tasks."""
    yield f"bootstrap, {DRAWS:,} draws; median of {rounds} rounds, wall seconds"
    yield ""
    yield "kind         score     rows     interval"
    asked = (
        ("multi_class", "accuracy", ROWS),
        ("multi_class", "f1_macro", ROWS),
        ("multi_label", "f1_micro", ROWS),
        ("multi_label", "f1_macro", ROWS),
        ("multi_label", "f1_macro", 1_868),
        ("regression", "smape", 4_700),
    )
    for kind, name, rows in asked:
        asked_of = (kind, *material(kind, rows), LABELS, name, Resampling(DRAWS, 42, LEVEL))
        taken = [timed(lambda a=asked_of: interval(*a))[0] for _ in range(rounds)]
        yield f"{kind:11}  {name:8}  {rows:7,}  {statistics.median(taken):8.2f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, help="also write the text there")
    chosen = parser.parse_args(arguments)
    first = heading("metrics.py", [f"{os.cpu_count()} cores"], ("numpy", "scikit-learn"))
    print_lines((first, *compared(chosen.rounds), "", *intervals(chosen.rounds)), chosen.out)


if __name__ == "__main__":
    main()
