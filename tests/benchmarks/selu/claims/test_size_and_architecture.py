from __future__ import annotations

import numpy as np
from alterations import Alter, all_ranked, columns, fill
from claim_tests import ClaimTests

from selu.benchmarks.selu.claims import size_and_architecture
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


def decoders_lead_in_every_series(m: Material) -> Material:
    above = {"decoder-only": 0.2, "encoder-decoder": 0.1}
    return columns(
        m,
        {
            name: 0.2 + 0.5 * m.ranked[name].to_numpy() + above.get(str(m.system(name).architecture), 0.0)
            for name in m.names(approach=Approach.FINETUNED)
        },
    )


def small_versions_lead(m: Material) -> Material:
    return fill(m, m.ranked.index, ["t5-small", "gpt2-small"], 0.9)


def bert_base_falls(m: Material) -> Material:
    return fill(m, m.ranked.index, ["bert-base"], 0.4)


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C068": (size_decides, Verdict.FAILS),
    "C069": (architecture_is_nothing, Verdict.HOLDS),
    "C073": (small_versions_lead, Verdict.FAILS),
    "C074": (bert_base_falls, Verdict.FAILS),
    "C098": (all_ranked(0.9, "codellama-7b", "starcoder2-7b"), Verdict.FAILS),
    "C099": (all_ranked(0.8, "t5-small"), Verdict.FAILS),
}


OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (("C069", decoders_lead_in_every_series, Verdict.FAILS),)


class TestSizeAndArchitecture(ClaimTests):
    module, flips, others = size_and_architecture, FLIPS, OTHERS
