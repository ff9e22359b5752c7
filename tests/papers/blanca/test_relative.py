from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from selu.metrics.percentiles import Resampling
from selu.papers.blanca import relative
from selu.vocabulary import SeluError

DRAWS = Resampling(200, 7, 0.95)


def drawn(noise_here, noise_published, pairs=400):
    """Distances of usage, and distances here and published that follow them with so much noise."""
    random = np.random.default_rng(3)
    usage = random.uniform(0, 100, pairs)
    return usage, *(usage / 100 + random.normal(0, noise, pairs) for noise in (noise_here, noise_published))


def test_a_pair_has_its_published_distance_in_whatever_order_its_classes_stand():
    table = pd.DataFrame(
        [("a.B", "c.D", 9, "0.25"), ("e.F", "a.B", 4, "0.5")],
        columns=["class1", "class2", "distance", "embedding_cosine_distance"],
    )
    assert relative.match(pd.Series(["usage.txt:a.B e.F", "usage.txt:a.B c.D"]), table) == [0.5, 0.25]
    with pytest.raises(SeluError, match=r"no distance of c\.D and e\.F: fetch class_usage again"):
        relative.match(pd.Series(["usage.txt:c.D e.F"]), table)


def test_scores_are_those_of_numpy_on_the_same_pairs():
    usage, here, published = drawn(0.3, 0.6)
    found = relative.compare(usage, here, published, DRAWS)
    assert found["between"]["score"] == pytest.approx(np.corrcoef(here, published)[0, 1])
    assert found["r"]["here"]["score"] == pytest.approx(np.corrcoef(usage, here)[0, 1])
    assert found["r"]["published"]["score"] == pytest.approx(np.corrcoef(usage, published)[0, 1])
    assert found["change"]["score"] == found["r"]["here"]["score"] - found["r"]["published"]["score"]
    assert found["change"]["low"] < found["change"]["score"] < found["change"]["high"]
    assert found["apart"] == pytest.approx(np.abs(here - published).mean())


@pytest.mark.parametrize(
    ("noise", "verdict"), [((0.2, 0.9), "more closely than"), ((0.9, 0.2), "less closely than")]
)
def test_the_sentence_says_that_it_is_not_the_paper_s_encoder_and_which_follows_usage(noise, verdict):
    message = relative.compare(*drawn(*noise), DRAWS)["finding"]
    assert "is not the paper's encoder: on the same 400 pairs" in message
    assert f"follow usage {verdict} these" in message


def test_equal_distances_follow_usage_alike():
    usage, here, _ = drawn(0.4, 0.4)
    found = relative.compare(usage, here, here, DRAWS)
    assert (found["between"]["score"], found["apart"]) == (pytest.approx(1), 0)
    assert "follow usage about as closely as these" in found["finding"]
