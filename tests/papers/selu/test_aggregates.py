from __future__ import annotations

import pytest

from selu.papers.selu.analysis.aggregates import recompute
from selu.papers.selu.material import Material
from selu.vocabulary import SeluError


def test_recompute_sees_a_mismatch_that_rounding_does_not_explain(quick: Material) -> None:
    altered = recompute(quick.with_published("table5", "Core non-code", "Generalist M", "0.672"), ["table5"])
    (wrong,) = [place for place in altered if not place.explained_by_rounding]
    assert wrong.row == "Core non-code"
    assert wrong.difference == pytest.approx(0.66990625 - 0.672)


@pytest.mark.parametrize(
    ("name", "column", "text"), [("Nowhere", "Generalist M", "0.5"), ("NER", "Generalist X", "0.5")]
)
def test_recompute_refuses_a_place_it_does_not_know(quick: Material, name: str, column: str, text: str) -> None:
    with pytest.raises(SeluError, match="no such place"):
        recompute(quick.with_published("table5", name, column, text))
