from __future__ import annotations

import numpy as np
from alterations import Alter, columns, scaled
from claim_tests import ClaimTests

from selu.benchmarks.selu.claims import figure5
from selu.benchmarks.selu.claims._tiers import named_tiers
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict


def four_clean_tiers(m: Material) -> Material:
    spread = 0.05 * np.linspace(-1, 1, len(m.ranked))
    return columns(
        m,
        {
            name: 0.9 - 0.2 * tier - 0.0001 * i + spread
            for tier, names in enumerate(named_tiers(m))
            for i, name in enumerate(names)
        },
    )


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C071": (scaled("t5-base", 0.8), Verdict.FAILS),
    "C072": (four_clean_tiers, Verdict.HOLDS),
}


class TestFigure5(ClaimTests):
    module, flips = figure5, FLIPS
