from __future__ import annotations

import numpy as np
from alterations import Alter, printed, without
from claim_tests import ClaimTests
from redrawn import Draw, with_places

from selu.benchmarks.selu.claims import datasets
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict


def preprints(m: Material) -> Material:
    return with_places(m, {("references", *place): "arXiv 2306.03268" for place in m.tables["references"]})


def styling_everywhere(m: Material) -> Material:
    return printed(
        *(
            ("protocol", row, column, f"{cell.printed}, markdown")
            for (row, column), cell in m.tables["protocol"].items()
            if row.startswith("cleaning of comment_type_") or row == "cleaning of review_aspect"
        )
    )(m)


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C128": (preprints, Verdict.FAILS),
    "C130": (styling_everywhere, Verdict.HOLDS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (("C130", without("protocol"), Verdict.NOT_CHECKABLE),)


def venues(m: Material, rng: np.random.Generator) -> Material:
    """Each work a preprint with a chance of its own."""
    share = rng.random()
    places = [("references", *place) for place in m.tables["references"] if rng.random() < share]
    return with_places(m, dict.fromkeys(places, "arXiv 2306.03268"))


def steps(m: Material, rng: np.random.Generator) -> Material:
    """Each task takes each step with a chance of that step."""
    chances = {step: rng.random() for step in ("whitespace", "markdown", "html", "code", "url")}
    rows = [row for row, _ in m.tables["protocol"] if row.startswith("cleaning of ")]
    taken = {row: [step for step, chance in chances.items() if rng.random() < chance] for row in rows}
    return with_places(
        m, {("protocol", row, "scripts final"): ", ".join(names) or "none" for row, names in taken.items()}
    )


DRAWS: dict[str, Draw] = {"C128": venues, "C130": steps}


class TestDatasets(ClaimTests):
    module, flips, others, draws = datasets, FLIPS, OTHERS, DRAWS
