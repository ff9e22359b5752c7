from __future__ import annotations

import pytest

from selu.benchmarks.selu.aggregates import cells_of, recompute
from selu.benchmarks.selu.material import Material
from selu.vocabulary import SeluError


def test_recompute_lists_the_five_places_that_differ(quick: Material) -> None:
    places = recompute(quick)
    off = places[~places["equal"]]
    assert len(places) == 84
    assert list(zip(off["table"], off["row"], off["column"], strict=True)) == [
        ("table5", "Binary classification", "Domain-adapted SD"),
        ("table5", "Multi-label classification", "Domain-adapted SD"),
        ("table6_aggregates", "Binary classification", "Domain-adapted SD"),
        ("table6_aggregates", "Multi-label classification", "Domain-adapted SD"),
        ("table6_aggregates", "Regression", "Proprietary M"),
    ]
    assert places["explained_by_rounding"].all()
    assert off["difference"].abs().max() == pytest.approx(0.00075)


def test_families_leave_token_tasks_out(quick: Material) -> None:
    places = recompute(quick, ["table5"]).set_index(["row", "column"])
    core = places.loc[("Core non-code", "Generalist M")]
    assert core["computed"] == pytest.approx(0.66990625)
    assert core["with_token_tasks"] == pytest.approx(0.65010714)
    assert len(cells_of(quick, "Core non-code", "Generalist", without=[("review_aspect", "bert-large")])) == 95


def test_recompute_sees_a_mismatch_that_rounding_does_not_explain(quick: Material) -> None:
    altered = recompute(quick.with_printed("table5", "Core non-code", "Generalist M", "0.672"), ["table5"])
    wrong = altered[~altered["explained_by_rounding"]]
    assert list(wrong["row"]) == ["Core non-code"]
    assert wrong["difference"].item() == pytest.approx(0.66990625 - 0.672)


@pytest.mark.parametrize(
    ("name", "column", "text"), [("Nowhere", "Generalist M", "0.5"), ("NER", "Generalist X", "0.5")]
)
def test_recompute_refuses_a_place_it_does_not_know(quick: Material, name: str, column: str, text: str) -> None:
    with pytest.raises(SeluError, match="no such place"):
        recompute(quick.with_printed("table5", name, column, text))
