from __future__ import annotations

import numpy as np
from adapted_draws import adapted
from alterations import Alter, printed, row
from claim_tests import ClaimTests
from redrawn import Draw, nearby, words

from selu.benchmarks.selu.claims import task_groups
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict

TYPES = ("Binary", "Multi-class", "Multi-label", "Regr.", "NER", "MLM")


def other_scores(m: Material, rng: np.random.Generator) -> Material:
    present = m.scores.stack().dropna()
    places = [("table6", str(task), m.system(str(name)).name) for task, name in present.index]
    return nearby(places, 0.2, 0, 1)(m, rng)


def other_types(m: Material, rng: np.random.Generator) -> Material:
    return words([("table1", task.id, "Type") for task in m.tasks], TYPES)(m, rng)


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C081": (row("Code-adjacent metadata", "Domain-adapted", 0.8), Verdict.FAILS),
    "C083": (row("Binary classification", None, 0.6), Verdict.FAILS),
    "C084": (row("Multi-label classification", None, 0.9), Verdict.FAILS),
    "C086": (
        printed(*(("table1", task, "Type", "Regr.") for task in ("review_type", "smell_doc"))),
        Verdict.FAILS,
    ),
    "C121": (row("Core non-code", None, 0.1), Verdict.FAILS),
    "C122": (row("Multi-label classification", None, 0.9), Verdict.FAILS),
}
DRAWS: dict[str, Draw] = {
    "C081": other_scores,
    "C083": adapted(),
    "C086": other_types,
}


class TestTaskGroups(ClaimTests):
    module, flips, draws = task_groups, FLIPS, DRAWS
