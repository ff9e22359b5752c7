"""How a run is picked among candidates: a wrong direction would keep the worst."""

from __future__ import annotations

import pytest

from selu.execution.planned import pick_of
from selu.metrics import kinds
from selu.vocabulary import Kind


@pytest.mark.parametrize(
    ("kind", "metric", "best"),
    [
        (Kind.BINARY, None, "highest"),
        (Kind.REGRESSION, None, "lowest"),
        (Kind.BINARY, "loss", "lowest"),
        ("distance", None, "lowest"),
        ("similarity", None, "highest"),
    ],
)
def test_the_best_is_the_lowest_where_a_lower_score_is_better(
    monkeypatch: pytest.MonkeyPatch, kind: str, metric: str | None, best: str
) -> None:
    for name, lower in (("distance", True), ("similarity", False)):
        spec = kinds.KindSpec(
            name, ("a", "b"), "m", lambda *_: {}, lambda: None, ("m",), (__name__,), lower_is_better=lower
        )
        monkeypatch.setitem(kinds._ADDED, name, spec)
    assert pick_of(kind, "test", metric)["best"] == best
