"""Tables of prompted systems from the print alone, and the arithmetic of zeros."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selu.metrics import regression
from selu.papers.selu.material import Material
from selu.papers.selu.tables import prompt_print as tables_prompt_print

Record = dict[str, Any]


# -- the share of zeros ------------------------------------------------------------------------------------


def share_of(record: Record, system: str, others: str) -> Record:
    (found,) = [entry for entry in record["systems"] if entry["system"] == system]
    (share,) = [entry for entry in found["shares"] if entry["others"] == others]
    return dict(share)


@given(
    truth=st.lists(st.integers(1, 96), min_size=1, max_size=40),
    data=st.data(),
)
def test_the_formula_is_that_of_the_metric(truth: list[int], data: st.DataObject) -> None:
    """Answers, some of which become 0, scored by the metric: the share comes back out of the two scores."""
    given_ = np.array(data.draw(st.lists(st.integers(1, 200), min_size=len(truth), max_size=len(truth))), float)
    zero = np.array(data.draw(st.lists(st.booleans(), min_size=len(truth), max_size=len(truth))))
    score = 1 - regression.scores(truth, np.where(zero, 0, given_))["smape"]
    if zero.all():
        assert score == -1
        return
    others = 1 - regression.scores(np.array(truth)[~zero], given_[~zero])["smape"]
    assert tables_prompt_print._share(score, others, -1.0)["share"] == pytest.approx(zero.mean(), abs=1e-9)
    assert zero.mean() <= (1 - score) / 2 + 1e-12  # what is certain from print


def test_answers_off_by_a_factor_give_the_same_score_without_a_zero(material: Material) -> None:
    truth = np.arange(1.0, 97.0)
    for entry in tables_prompt_print.zeros(material)["systems"]:
        for given_ in (truth * entry["off_by"], truth / entry["off_by"]):
            assert 1 - regression.scores(truth, given_)["smape"] == pytest.approx(float(entry["printed"]))


def test_zeros_before_and_after_take_more_of_them(material: Material) -> None:
    """The sentence's 1 - r (1 - q): with a share q of zeros without shots, and the others alike in both."""
    for before, after in ((0.245, 0.011), (0.214, 0.043)):
        ratio = 1 - tables_prompt_print._share(after, before, -1.0)["share"]
        for q in (0.0, 0.1, 0.3):
            others = (before + q) / (1 - q)
            p = tables_prompt_print._share(after, others, -1.0)["share"]
            assert p == pytest.approx(1 - ratio * (1 - q))
            assert (1 - p) * others - p == pytest.approx(after)


def test_another_weight_or_print_gives_other_shares(quick: Material) -> None:
    altered = quick.with_published("protocol", "weight of |a|+|b| in SMAPE", "paper", "1")
    found = tables_prompt_print.zeros(altered)
    assert found["lowest"] == 0
    assert share_of(found, "gpt-4o-3-shot", tables_prompt_print.OWN)["share"] == pytest.approx(
        1 - 0.011 / 0.245
    )
    altered = quick.with_scores({("story_points", "gpt-4o-3-shot"): 0.2})
    found = tables_prompt_print.zeros(altered)
    assert share_of(found, "gpt-4o-3-shot", tables_prompt_print.OWN)["share"] == pytest.approx(0.045 / 1.245)
    assert math.isclose(share_of(found, "claude-3.7-3-shot", tables_prompt_print.OWN)["share"], 0.171 / 1.214)
