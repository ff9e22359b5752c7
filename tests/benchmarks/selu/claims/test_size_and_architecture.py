from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from alterations import Alter, columns
from claim_tests import ClaimTests, claims_of

from selu.benchmarks.selu.claims import size_and_architecture
from selu.benchmarks.selu.claims._series import ARRANGEMENTS, dealt_anew, epsilon_squared
from selu.benchmarks.selu.claims._systems import finetuned
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Approach, Verdict


def size_decides(m: Material) -> Material:
    tuned = m.names(approach=Approach.FINETUNED)
    by_size = sorted(tuned, key=lambda name: m.system(name).parameters or 0)
    spread = 0.1 * np.linspace(-1, 1, len(m.ranked))
    return columns(m, {name: 0.4 + 0.02 * i + spread for i, name in enumerate(by_size)})


def architecture_is_nothing(m: Material) -> Material:
    """Means that go round the architectures in turn."""
    groups: dict[str | None, list[str]] = {}
    for name in m.names(approach=Approach.FINETUNED):
        groups.setdefault(m.system(name).architecture, []).append(name)
    spread = 0.1 * np.linspace(-1, 1, len(m.ranked))
    return columns(
        m,
        {
            name: 0.5 + 0.2 * i / len(names) + 0.001 * g + spread
            for g, names in enumerate(groups.values())
            for i, name in enumerate(names)
        },
    )


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C068": (size_decides, Verdict.FAILS),
    "C069": (architecture_is_nothing, Verdict.HOLDS),
}
CLAIMS = claims_of(size_and_architecture)


class TestSizeAndArchitecture(ClaimTests):
    module, flips = size_and_architecture, FLIPS


def test_series_stay_together_when_architectures_are_dealt() -> None:
    """Models that were dealt one by one would make a difference of two series look like one of many models."""
    dealt = dealt_anew({"a": [1.0, 1.0, 1.0], "b": [2.0], "c": [2.0, 2.0]}, 1)
    assert dealt.shape == (ARRANGEMENTS, 6)
    assert (np.ptp(dealt[:, :3], axis=1) == 0).all()
    assert (np.ptp(dealt[:, 4:], axis=1) == 0).all()
    assert len(np.unique(dealt, axis=0)) == 3


def test_sizes_go_to_series_with_as_many_models() -> None:
    dealt = dealt_anew({"a": [1.0, 2.0], "b": [3.0, 4.0], "c": [9.0]}, 1)
    assert {tuple(row) for row in dealt} == {
        (*first, *second, 9.0)
        for pair in (((1.0, 2.0), (3.0, 4.0)), ((3.0, 4.0), (1.0, 2.0)))
        for first in permutations(pair[0])
        for second in permutations(pair[1])
    }


def test_random_arrangements_give_the_p_of_all_of_them(material: Material) -> None:
    """Ten series with an architecture each have 3,150 arrangements, which can be counted."""
    names = finetuned(material)
    series = list(dict.fromkeys(str(material.system(name).series) for name in names))
    of = {str(material.system(name).series): str(material.system(name).architecture) for name in names}
    kinds = sorted(set(of.values()))
    labels = np.array(sorted({*distinct([kinds.index(of[key]) for key in series])}), dtype=float)
    assert len(labels) == 3150
    place = [series.index(str(material.system(name).series)) for name in names]
    ranks = np.array([[-float(material.order.index(name))] for name in names])
    observed = epsilon_squared(np.array([[float(kinds.index(of[series[i]])) for i in place]]), ranks)
    exact = float((epsilon_squared(labels[:, place], ranks) >= observed - 1e-9).mean())
    assert CLAIMS["C069"].check(material).numbers["p"] == pytest.approx(exact, abs=0.006)
    assert exact < 0.05


def distinct(labels: list[int]) -> list[tuple[int, ...]]:
    """Every order of these labels, each once."""
    if not labels:
        return [()]
    return [
        (label, *rest)
        for label in sorted(set(labels))
        for rest in distinct([*labels[: labels.index(label)], *labels[labels.index(label) + 1 :]])
    ]


def test_both_claims_are_judged_by_one_rule() -> None:
    """A second test that only one of them has would let its verdict be chosen."""
    rules = [CLAIMS[claim].rule for claim in ("C068", "C069")]
    assert rules[0].fails == rules[1].fails
    assert rules[0].caveat == rules[1].caveat


def test_rounding_counts_where_the_published_ranks_do_not_settle_the_order(material: Material) -> None:
    """The ranks of Table IV rest on the authors' own scores; without them, rounding moves p across .05."""
    swapped = material.with_printed("table4", "GPT-2 small", "Rank", "7")
    swapped = swapped.with_printed("table4", "StarCoder2 3B", "Rank", "6")
    assert CLAIMS["C069"].check(material).verdict is Verdict.FAILS
    assert CLAIMS["C069"].check(swapped).verdict is Verdict.CAVEAT
