from __future__ import annotations

import numpy as np
import pytest

from selu.metrics import by_rows
from selu.metrics.correlation import matthews
from selu.metrics.percentiles import Resampling

TRUTH, ANSWERS = [0, 1] * 30, [0, 1, 1, 1, 0, -1] * 10
DRAWN = Resampling(400, 3, 0.9)


def test_bounds_are_quantiles_of_the_score_over_resampled_rows():
    """And no other metric changes them: each is drawn anew from the seed."""
    random = np.random.default_rng(3)
    truth, answers = np.array(TRUTH), np.array(ANSWERS)
    drawn = []
    for _ in range(400):
        rows = random.integers(0, 60, size=60)
        drawn.append(matthews(truth[rows], answers[rows], 2))
    metrics = {"other": lambda truth, answers, labels: 0.0, "mcc": matthews}
    found = by_rows.intervals(metrics, TRUTH, ANSWERS, 2, DRAWN)["mcc"]
    assert (found["low"], found["high"]) == pytest.approx(tuple(np.quantile(drawn, [0.05, 0.95])), abs=1e-12)
    assert found["low"] < by_rows.points(metrics, TRUTH, ANSWERS, 2)["mcc"] < found["high"]


@pytest.mark.parametrize("second", [["O"], ["O", "O"]])
def test_a_metric_of_token_tasks_takes_rows_of_any_lengths(second):
    """Rows are drawn whole, whatever a row is."""

    def right(truth, answers, labels):
        assert labels == ["A"]
        return float(np.mean([first == other for first, other in zip(truth, answers, strict=True)]))

    truth, answers = [["B-A", "O"], second, ["O", "O"]] * 5, [["B-A", "O"], second, ["B-A", "O"]] * 5
    assert by_rows.points({"right": right}, truth, answers, ["A"]) == {"right": pytest.approx(2 / 3)}
    bounds = by_rows.intervals({"right": right}, truth, answers, ["A"], DRAWN)["right"]
    assert 0 < bounds["low"] < 2 / 3 < bounds["high"] <= 1


def test_without_metrics_there_is_no_score():
    assert by_rows.points({}, [1], [1], 2) == by_rows.intervals({}, [1.0], [1.0], 0, DRAWN) == {}
