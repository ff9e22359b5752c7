from __future__ import annotations

import pytest

from selu import registry
from selu.vocabulary import SeluError


def test_a_rounded_amount_is_the_range_that_it_stands_for(root):
    paper = registry.load(root, "crosscodebench")
    low, high = paper.amount("table4", "Cat-Intra-CD", "Training instances")
    assert (float(low), float(high)) == (4_825_000, 4_835_000)
    low, high = paper.amount("table4", "Sub-Intra-ML", "Evaluation instances")
    assert (float(low), float(high)) == (134_500, 135_500)
    with pytest.raises(SeluError, match="is not a number of instances"):
        paper.with_published("table4", "Type-QA", "Training instances", "many").amount(
            "table4", "Type-QA", "Training instances"
        )
