from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

import numpy as np
import pytest

import selu
from selu.metrics import further
from selu.metrics.percentiles import Resampling
from selu.names import word
from selu.runs import identity
from selu.vocabulary import Kind

TRUTH, ANSWERS = [0, 1] * 30, [0, 1, 1, 1, 0, -1] * 10
DRAWN = Resampling(400, 3, 0.9)


def test_bounds_are_quantiles_of_the_score_over_resampled_rows():
    """And no other metric changes them: each is drawn anew from the seed."""
    random = np.random.default_rng(3)
    truth, answers = np.array(TRUTH), np.array(ANSWERS)
    drawn = []
    for _ in range(400):
        rows = random.integers(0, 60, size=60)
        drawn.append(further.FURTHER[Kind.BINARY]["mcc"](truth[rows], answers[rows], 2))
    found = further.intervals(Kind.BINARY, TRUTH, ANSWERS, 2, DRAWN)["mcc"]
    assert (found["low"], found["high"]) == pytest.approx(tuple(np.quantile(drawn, [0.05, 0.95])), abs=1e-12)
    assert found["low"] < further.points(Kind.BINARY, TRUTH, ANSWERS, 2)["mcc"] < found["high"]


@pytest.mark.parametrize("second", [["O"], ["O", "O"]])
def test_a_metric_of_token_tasks_takes_rows_of_any_lengths(second, monkeypatch):
    """Rows are drawn whole, whatever a row is."""

    def right(truth, answers, labels):
        assert labels == ["A"]
        return float(np.mean([first == other for first, other in zip(truth, answers, strict=True)]))

    monkeypatch.setattr(further, "FURTHER", {Kind.ENTITIES: {"right": right}})
    truth, answers = [["B-A", "O"], second, ["O", "O"]] * 5, [["B-A", "O"], second, ["B-A", "O"]] * 5
    assert further.points(Kind.ENTITIES, truth, answers, ["A"]) == {"right": pytest.approx(2 / 3)}
    bounds = further.intervals(Kind.ENTITIES, truth, answers, ["A"], DRAWN)["right"]
    assert 0 < bounds["low"] < 2 / 3 < bounds["high"] <= 1


def test_each_further_score_has_a_name_that_pages_show():
    """A raw name, as the code has it, says nothing to a reader."""
    for name in {name for metrics in further.FURTHER.values() for name in metrics}:
        assert word(name) != name.replace("_", " ")


def test_a_kind_without_further_scores_has_none():
    assert further.points("of a paper", [1], [1], 2) == {}
    assert further.intervals(Kind.REGRESSION, [1.0], [1.0], 0, DRAWN) == {}


@pytest.mark.parametrize("kind", sorted(further.FURTHER))
def test_what_decides_a_further_score_is_all_that_is_called_for_it(kind: str) -> None:
    """A function that decides and is not hashed would leave scores of an older metric in the reports."""
    here = Path(selu.__file__).parent / "metrics"
    modules = {path.stem: path for path in here.glob("*.py")}
    for metric in further.FURTHER[kind].values():
        called: set[tuple[str, str]] = set()

        def watch(frame: FrameType, event: str, _: object, called: set[tuple[str, str]] = called) -> None:
            path = Path(frame.f_code.co_filename)
            if event == "call" and path.parent == here:
                called.add((path.stem, frame.f_code.co_qualname.partition(".")[0]))

        sys.setprofile(watch)
        try:
            metric(np.array(TRUTH), np.array(ANSWERS), 2)
        finally:
            sys.setprofile(None)
        entry = (Path(metric.__code__.co_filename).stem, metric.__name__)
        assert entry in called
        assert called <= {place for place, _ in identity.reached("selu.metrics", modules, [entry])}
