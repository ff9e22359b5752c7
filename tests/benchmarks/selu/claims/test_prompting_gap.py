from __future__ import annotations

import numpy as np
from alterations import Alter, all_ranked, prompted
from claim_tests import ClaimTests
from redrawn import Draw, with_places

from selu.benchmarks.selu.claims import prompting_gap
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Approach, Verdict


def costs(prompted_price: str) -> Alter:
    def alter(m: Material) -> Material:
        m = m.with_printed("costs", "BERT base", "per 1000 texts", "0.02")
        return m.with_printed("costs", "GPT-4o (zero-shot)", "per 1000 texts", prompted_price)

    return alter


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C096": (prompted(0.9), Verdict.FAILS),
    "C100": (all_ranked(0.74, "gpt-4o-3-shot"), Verdict.FAILS),
    "C101": (costs("0.90"), Verdict.HOLDS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (("C101", costs("0.01"), Verdict.FAILS),)


def prices(m: Material, rng: np.random.Generator) -> Material:
    """Prices over four orders of magnitude, prompting dearer or cheaper by a random factor."""
    factor = 10 ** rng.uniform(-3, 5)
    found = {
        s.name: 10 ** rng.uniform(-2, 2) * (factor if s.approach is Approach.PROMPTED else 1.0)
        for s in m.systems
        if s.approach is not Approach.BASELINE
    }
    return with_places(m, {("costs", name, "per 1000 texts"): f"{value:.6f}" for name, value in found.items()})


DRAWS: dict[str, Draw] = {"C101": prices}


class TestPromptingGap(ClaimTests):
    module, flips, others, draws = prompting_gap, FLIPS, OTHERS, DRAWS
