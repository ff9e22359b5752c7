"""Two systems on the same rows: the scores are those of each alone, and the interval is of paired resamples."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.test_bootstrap import material, taken
from selu.metrics import paired
from selu.metrics.evaluate import evaluate
from selu.metrics.kinds import metric
from selu.metrics.percentiles import Resampling

KINDS = ("binary", "multi_class", "multi_label", "regression", "entities")
SETTINGS = Resampling(4_000, 7, 0.95)


def two(kind, rows=60):
    truth, first, labels = material(kind, rows)
    rng = np.random.default_rng(3)
    second = [first[row] if rng.random() < 0.7 else truth[row] for row in range(rows)]
    return truth, first, second if kind == "entities" else np.array(second), labels


@pytest.mark.parametrize("kind", KINDS)
def test_the_scores_are_those_that_each_system_has_alone(kind):
    truth, first, second, labels = two(kind)
    name = metric(kind)[0]
    found = paired.compare(kind, truth, first, second, labels, name, SETTINGS)
    alone = [evaluate(kind, truth, answers, labels)[name] for answers in (first, second)]
    assert (found.first, found.second) == pytest.approx(alone, abs=1e-12)


@pytest.mark.ci
@pytest.mark.parametrize("kind", KINDS)
def test_the_interval_is_that_of_resampled_rows_which_both_systems_share(kind):
    truth, first, second, labels = two(kind)
    name = metric(kind)[0]
    found = paired.compare(kind, truth, first, second, labels, name, SETTINGS)
    rng, drawn = np.random.default_rng(11), []
    for _ in range(800):
        picked = rng.integers(0, len(truth), len(truth))
        scores = [
            evaluate(kind, taken(truth, picked), taken(answers, picked), labels)[name]
            for answers in (first, second)
        ]
        drawn.append(scores[0] - scores[1])
    spread = np.std(drawn)
    assert found.error == pytest.approx(spread, rel=0.1)
    assert [found.low, found.high] == pytest.approx(np.quantile(drawn, [0.025, 0.975]).tolist(), abs=spread / 4)


@pytest.mark.parametrize("kind", KINDS)
def test_a_system_does_not_differ_from_itself(kind):
    truth, first, _, labels = two(kind)
    found = paired.compare(kind, truth, first, first, labels, metric(kind)[0], SETTINGS)
    assert (found.low, found.high, found.error) == (0, 0, 0)


def test_an_order_of_rows_changes_no_bit():
    truth, first, second, labels = two("multi_class")
    other = np.random.default_rng(5).permutation(len(truth))
    settings = (labels, "f1_macro", SETTINGS)
    assert paired.compare("multi_class", truth, first, second, *settings) == paired.compare(
        "multi_class", truth[other], first[other], second[other], *settings
    )
