from __future__ import annotations

import numpy as np
import pytest
from autorank import autorank

from selu.vocabulary import SeluError


def test_ranking_is_autoranks(material):
    """Means, SDs, intervals and effect sizes against the authors' library on the same scores."""
    result = autorank(material.ranked, approach="bayesian", nsamples=20, random_state=1).rankdf
    ours = material.ranking.loc[result.index]
    for column, theirs in (
        ("M", "mean"),
        ("SD", "std"),
        ("ci_lower", "ci_lower"),
        ("ci_upper", "ci_upper"),
        ("d", "effect_size"),
    ):
        np.testing.assert_allclose(ours[column].astype(float), result[theirs].astype(float), atol=1e-12)
    assert list(ours["magnitude"]) == list(result["magnitude"])


def test_changing_a_score_changes_what_rests_on_it_and_not_the_original(material):
    changed = material.with_scores({("smell_doc", "gpt2-xl"): 0.0})
    assert changed.ranking.loc["gpt2-xl", "M"] == pytest.approx(
        material.ranking.loc["gpt2-xl", "M"] - 0.703 / 20
    )
    assert material.published("table6", "smell_doc", "GPT-2 xl") == "0.703"


@pytest.mark.parametrize(
    ("cell", "score", "message"),
    [
        (("smell_doc", "gpt2-xl"), "1.2", "outside 0..1"),
        (("smell_doc", "gpt2-xl"), "-0.1", "outside 0..1"),
        (("smell_doc", "gpt2-xl"), "-", "missing"),
        (("smell_doc", "gpt2-xl"), "n/a", "not a number"),
        (("se_entities", "gpt2-xl"), "0.5", "absent by design"),
    ],
)
def test_an_impossible_score_is_named_by_its_place(material, cell, score, message):
    with pytest.raises(SeluError, match=message) as caught:
        _ = material.with_scores({cell: score}).cells
    assert f"row '{cell[0]}', column 'GPT-2 xl'" in str(caught.value)


def test_unknown_place_is_refused(material):
    with pytest.raises(SeluError, match="no row"):
        material.published("table6", "smell_doc", "GPT-9")
