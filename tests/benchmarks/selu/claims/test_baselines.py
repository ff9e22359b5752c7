from __future__ import annotations

from alterations import Alter, columns, prompted, shift
from claim_tests import ClaimTests

from selu.benchmarks.selu.claims import baselines
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Approach, Verdict


def prompting_gains(m: Material) -> Material:
    names = m.names(approach=Approach.PROMPTED)
    return columns(m, {name: m.ranked[name].to_numpy() + 0.1 for name in names})


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C041": (shift("fasttext", 0.1), Verdict.FAILS),
    "C070": (prompting_gains, Verdict.FAILS),
    "C097": (prompted(0.3), Verdict.HOLDS),
}


OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (("C097", prompting_gains, Verdict.FAILS),)


class TestBaselines(ClaimTests):
    module, flips, others = baselines, FLIPS, OTHERS
