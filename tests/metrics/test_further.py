from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import selu
from helpers.scored import CASES
from helpers.watching import called_in
from selu.execution.results import BY_ROWS
from selu.metrics import by_rows, further, measured
from selu.metrics.percentiles import Resampling
from selu.names import word
from selu.runs import identity

EVERY = [(kind, name) for kind, metrics in further.FURTHER.items() for name in metrics]


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_a_further_score_is_named_and_is_none_that_the_kind_has(kind: str, name: str) -> None:
    """A raw name says nothing to a reader of pages, and a second score of one name would replace the first."""
    truth, answers, labels, metric = CASES[kind]
    assert word(name) != name.replace("_", " ")
    found = measured.points(kind, truth, answers, [True] * len(truth), labels, metric)
    assert name not in found["scores"]


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_what_decides_a_further_score_is_all_that_is_called_for_it(kind: str, name: str) -> None:
    """A function that decides and is not hashed would leave scores of an older metric in the reports."""
    here = Path(selu.__file__).parent / "metrics"
    metric: Callable[..., float] = further.FURTHER[kind][name]
    assert metric.__qualname__ == metric.__name__ != "<lambda>"
    entry = (metric.__module__.removeprefix("selu.metrics."), metric.__name__)
    modules = {path.stem: path for path in here.glob("*.py")}
    hashed = {place for place, _ in identity.reached("selu.metrics", modules, [entry, *BY_ROWS])}
    truth, answers, labels, _ = CASES[kind]

    def score() -> None:
        by_rows.points({name: metric}, truth, answers, labels)
        by_rows.intervals({name: metric}, truth, answers, labels, Resampling(3, 1, 0.9))

    called = called_in(here, score)
    assert entry in called
    assert called <= hashed
    assert not any(module == "further" for module, _ in hashed)  # else a new line there would count
