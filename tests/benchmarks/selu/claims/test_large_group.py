from __future__ import annotations

import numpy as np
from alterations import Alter, columns, printed, shift, symmetric
from claim_tests import ClaimTests
from draws import printed_table4
from redrawn import Draw, nearby, sometimes

from selu.benchmarks import catalogue
from selu.benchmarks.selu.claims import large_group
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict


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
    "C039": (printed(("table4", "RoBERTa base", "M", "0.707")), Verdict.FAILS),
    "C040": (shift("starcoder2-7b", 0.02), Verdict.FAILS),
    "C046": (deviation_grows_with_the_mean, Verdict.FAILS),
    "C047": (shift("modernbert-base", -0.05), Verdict.FAILS),
    "C117": (printed(("table4", "T5 base", "M", "0.700")), Verdict.FAILS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C040", group_rises, Verdict.HOLDS),
    ("C046", deviation_falls_with_the_mean, Verdict.HOLDS),
)
MEANS = [("table4", system.name, "M") for system in catalogue.systems("selu")]


def steps_move(m: Material, rng: np.random.Generator) -> Material:
    """The large group and the next two move as a whole, sometimes also against each other."""
    group, after = m.order[:18], m.order[18:20]
    wobble = rng.choice([0, 0.001, 0.03])
    shifts = dict.fromkeys(group, rng.uniform(-0.02, 0.03)) | dict.fromkeys(after, 0.0)
    return printed_table4(
        columns(m, {n: m.ranked[n].to_numpy() + s + rng.normal(0, wobble) for n, s in shifts.items()})
    )


DRAWS: dict[str, Draw] = {
    "C039": sometimes(nearby(MEANS, 0.01, 0, 1)),
    "C040": steps_move,
    "C117": nearby(MEANS, 0.02, 0, 1),
}


class TestLargeGroup(ClaimTests):
    module, flips, others, draws = large_group, FLIPS, OTHERS, DRAWS
