from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import selu
from helpers.scored import CASES, PLACES, VERBS
from helpers.watching import called_in
from selu.execution import results
from selu.metrics import kinds, measured
from selu.metrics.percentiles import Resampling
from selu.runs import identity
from selu.vocabulary import Kind


def measure(kind: str) -> dict[str, Any]:
    truth, answers, labels, metric = CASES[kind]
    kept = [True] * (len(truth) - 1) + [False]
    drawn = measured.intervals(kind, truth, answers, labels, Resampling(50, 1, 0.9))
    return measured.points(kind, truth, answers, kept, labels, metric) | {"intervals": drawn}


@pytest.mark.parametrize("kind", sorted(CASES))
def test_what_decides_a_score_is_all_that_is_called_for_it(kind: str) -> None:
    """A function that decides and is not hashed would leave scores of an older metric in the reports."""
    here = Path(selu.__file__).parent / "metrics"
    called = called_in(here, lambda: measure(kind))
    assert {module for module, _ in called} == set(measured.DECIDING[kind])
    modules = {name: here / f"{name}.py" for name in measured.DECIDING[kind]}
    hashed = {place for place, _ in identity.reached("selu.metrics", modules, results.SCORING)}
    assert called <= hashed
    assert len(hashed) > len(called)  # constants, and what only other answers call
    assert set(measured.DECIDING) == set(CASES) == set(Kind)


@pytest.mark.parametrize("kind", sorted(CASES))
def test_points_are_ready_for_json_and_bounds_lie_in_order(kind: str) -> None:
    found = measure(kind)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["value"] == found["scores"][found["metric"]]
    assert found["rows"] == found["grouped"]["rows"] + 1 == len(CASES[kind][0])
    assert found["metric"] in found["intervals"]
    assert all(bounds["low"] <= bounds["high"] for bounds in found["intervals"].values())


def test_bounds_of_one_score_are_those_among_all() -> None:
    truth, answers, labels, _ = CASES["binary"]
    found = measured.intervals("binary", truth, answers, labels, Resampling(50, 1, 0.9), ["f1_macro"])
    assert found == {"f1_macro": measure("binary")["intervals"]["f1_macro"]}


@pytest.mark.parametrize(
    ("kind", "answers", "constant"),
    [
        ("binary", [1, 1, 1], True),
        ("binary", [1, 0, 1], False),
        ("entities", [["O", "O"], ["O", "O"]], True),
        ("entities", [["O", "B-A"], ["O", "O"]], False),
    ],
)
def test_one_answer_to_everything_is_said(kind: str, answers: Any, constant: bool) -> None:
    truth, _, labels, metric = CASES[kind]
    found = measured.points(kind, truth, answers, [True] * len(truth), labels, metric)
    assert found["constant"] is constant


def test_a_kind_that_a_benchmark_brings_is_scored_and_drawn_as_the_shared_ones() -> None:
    """Its rows are resampled one by one, so that bounds agree with those of the same score drawn by counts."""

    def right(truth: Any, answers: Any, labels: Any) -> dict[str, float]:
        assert labels == ["no", "yes"]
        return {"accuracy": sum(a == b for a, b in zip(truth, answers, strict=True)) / len(truth)}

    spec = kinds.KindSpec("toy", ("text",), "accuracy", right, lambda: None, ("accuracy",), ())
    truth, answers = [0, 1] * 20, [0, 1, 1, 1] * 10
    kept = [place >= 4 for place in range(40)]
    ours = measured.points("toy", truth, answers, kept, ["no", "yes"], "accuracy", spec)
    shared = measured.points("binary", truth, answers, kept, 2, "accuracy")
    assert ours == shared | {"scores": {"accuracy": 0.75}}
    drawn = measured.intervals("toy", truth, answers, ["no", "yes"], Resampling(2000, 1, 0.9), (), spec)
    by_counts = measured.intervals("binary", truth, answers, 2, Resampling(2000, 1, 0.9), ["accuracy"])
    for end in ("low", "high"):
        assert drawn["accuracy"][end] == pytest.approx(by_counts["accuracy"][end], abs=0.0251)  # a row


@pytest.mark.parametrize("position", [0, 9])
def test_an_answer_in_the_place_of_another_word_is_refused(position: int) -> None:
    """Predictions of other rows would otherwise be scored as if they were of these."""
    moved = [[PLACES[0][0] | {"position": position}], PLACES[1]]
    with pytest.raises(ValueError, match="fill other words than the verbs of the prepared rows"):
        measured.points("masked", VERBS, moved, [True, True], 5, "accuracy")


def test_without_a_row_that_is_kept_nothing_is_said_of_them() -> None:
    truth, answers, labels, _ = CASES["binary"]
    found = measured.points("binary", truth, answers, [False] * 3, labels, "f1_macro")
    assert found["grouped"] == {"rows": 0, "value": None}
