"""Joint resampling against the two-system bootstrap, and against what must hold of any resample."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from selu.metrics import bootstrap, percentiles
from selu.metrics.evaluate import evaluate
from selu.metrics.percentiles import Resampling
from selu.papers.selu.evidence import resampling

ROWS, DRAWS = 60, 2000
NAMES = {"binary": "f1_macro", "multi_class": "f1_macro", "multi_label": "f1_macro", "regression": "smape"}


def made(kind: str, runs: int = 2, rows: int = ROWS) -> tuple[list[Any], list[list[Any]], int]:
    """Truth, answers of several runs, and number of labels."""
    random = np.random.default_rng(5)
    if kind == "regression":
        truth = random.integers(1, 20, rows).astype(float)
        return truth.tolist(), [(truth * random.uniform(0.5, 2, rows)).tolist() for _ in range(runs)], 0
    labels = 2 if kind == "binary" else 3
    shape = (rows, labels) if kind == "multi_label" else rows
    top = 2 if kind == "multi_label" else labels
    truth = random.integers(0, top, shape)
    answers = []
    for _ in range(runs):
        wrong = random.random(shape) < 0.3
        answers.append(((truth + wrong) % top).tolist())
    return truth.tolist(), answers, labels


def drawn(kind: str, answers: list[Any], truth: list[Any], labels: int, kept: Any = None) -> resampling.Drawn:
    keep = [True] * len(truth) if kept is None else kept
    return resampling.draw(kind, truth, answers, keep, labels, NAMES[kind], Resampling(DRAWS, 42, 0.95))


@pytest.mark.parametrize("kind", NAMES)
def test_full_scores_are_those_of_evaluate(kind: str) -> None:
    truth, answers, labels = made(kind)
    kept = [place % 3 > 0 for place in range(ROWS)]
    found = drawn(kind, answers, truth, labels, kept)
    part = [[value for value, keep in zip(values, kept, strict=True) if keep] for values in (truth, *answers)]
    for place, given in enumerate(answers):
        assert found.full[place] == evaluate(kind, truth, given, labels)[NAMES[kind]]
        assert found.kept[place] == evaluate(kind, part[0], part[place + 1], labels)[NAMES[kind]]


@pytest.mark.parametrize("kind", NAMES)
def test_draws_have_the_bounds_of_the_bootstrap_of_one_system(kind: str) -> None:
    truth, answers, labels = made(kind)
    drawn_scores = drawn(kind, answers, truth, labels).full_draws
    for given, values in zip(answers, drawn_scores, strict=True):
        theirs = bootstrap.interval(kind, truth, given, labels, NAMES[kind], Resampling(DRAWS, 42, 0.95))
        near = pytest.approx(theirs[:2], abs=0.15 * (theirs.high - theirs.low))
        assert percentiles.bounds(values, 0.95)[:2] == near


@pytest.mark.parametrize("kind", NAMES)
def test_all_runs_meet_on_the_same_rows_whatever_their_order(kind: str) -> None:
    truth, (first, second), labels = made(kind)
    kept = [place % 4 > 0 for place in range(ROWS)]
    found = drawn(kind, [first, second, first], truth, labels, kept)
    assert np.array_equal(found.full_draws[0], found.full_draws[2])
    assert not np.array_equal(found.full_draws[0], found.full_draws[1])
    turned = drawn(kind, [first[::-1], second[::-1], first[::-1]], truth[::-1], labels, kept[::-1])
    assert np.array_equal(found.full_draws, turned.full_draws)
    assert np.array_equal(found.kept_draws, turned.kept_draws, equal_nan=True)
    whole = drawn(kind, [first, second], truth, labels)
    assert np.array_equal(whole.full_draws, whole.kept_draws)
    assert np.array_equal(whole.full, whole.kept)


def test_no_row_kept_gives_no_score() -> None:
    truth, answers, labels = made("regression")
    found = drawn("regression", answers, truth, labels, [False] * ROWS)
    assert np.isnan(found.kept).all()
    assert np.isnan(found.kept_draws).all()


def test_a_resample_counts_kept_rows_with_a_number_alone() -> None:
    """An invalid answer, or a row that is left out, would make a mean error infinite."""
    truth, (given,), _ = made("regression", 1)
    answers: list[Any] = [None if place % 5 == 0 else value for place, value in enumerate(given)]
    kept = [place % 3 > 0 for place in range(ROWS)]
    found = drawn("regression", [answers], truth, 0, kept)
    lost = [
        evaluate("regression", [truth[place]], [answers[place]], 0)["smape"] if answers[place] else None
        for place in range(ROWS)
    ]
    for draws, rows in ((found.full_draws, range(ROWS)), (found.kept_draws, np.flatnonzero(kept))):
        counted = [each for each in (lost[row] for row in rows) if each is not None]
        assert min(counted) <= draws.min() < draws.max() <= max(counted)
