from __future__ import annotations

from alterations import Alter, columns, printed, shift, symmetric
from claim_tests import ClaimTests

from selu.benchmarks.selu.claims import large_group
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict


def roberta_base_falls(m: Material) -> Material:
    return m.with_scores({("tone_bearing", "roberta-base"): 0.6})


def deviation_grows_with_the_mean(m: Material) -> Material:
    k = len(m.order)
    return columns(
        m, {name: 0.7 - 0.01 * i + (0.1 + 0.005 * (k - i)) * symmetric(m) for i, name in enumerate(m.order)}
    )


def group_rises(m: Material) -> Material:
    return columns(m, {name: m.ranked[name].to_numpy() + 0.005 for name in m.order[:18]})


def deviation_falls_with_the_mean(m: Material) -> Material:
    """Below the large group, too: the same means, from scores ever further apart."""
    return columns(
        m,
        {
            name: float(m.ranking["M"][name]) + (0.3 + 0.012 * i) * symmetric(m)
            for i, name in enumerate(m.order[18:])
        },
    )


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C039": (roberta_base_falls, Verdict.FAILS),
    "C040": (shift("starcoder2-7b", 0.02), Verdict.FAILS),
    "C046": (deviation_grows_with_the_mean, Verdict.FAILS),
    "C047": (shift("modernbert-base", -0.05), Verdict.FAILS),
    "C117": (printed(("table4", "T5 base", "M", "0.700")), Verdict.FAILS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C040", group_rises, Verdict.HOLDS),
    ("C046", deviation_falls_with_the_mean, Verdict.HOLDS),
)


class TestLargeGroup(ClaimTests):
    module, flips, others = large_group, FLIPS, OTHERS
