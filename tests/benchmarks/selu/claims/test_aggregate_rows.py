from __future__ import annotations

import numpy as np
from alterations import Alter, printed
from claim_tests import ClaimTests
from redrawn import Draw, nearby, sometimes, together, with_places

from selu.benchmarks.printed import ABSENT
from selu.benchmarks.selu.aggregates import CLASSIFICATION_ROWS, FAMILY_ROWS, TABLES, TYPE_ROWS, cells_of
from selu.benchmarks.selu.claims import aggregate_rows
from selu.benchmarks.selu.material import Material
from selu.stats.rounding import as_printed
from selu.vocabulary import Verdict


def fresh(m: Material, rng: np.random.Generator) -> Material:
    """Other scores, and both tables of aggregates as they would be published, with or without NER and MLM."""
    wide = rng.uniform(0, 0.2)
    m = m.with_scores(
        {
            (str(task), str(name)): f"{min(max(score + rng.uniform(-wide, wide), 0), 1):.3f}"
            for task, row in m.scores.iterrows()
            for name, score in row.dropna().items()
        }
    )
    with_token_tasks = bool(rng.random() < 0.3)
    places = {}
    for place in [(name, *place) for name in TABLES for place in m.tables[name]]:
        group, _, which = place[2].rpartition(" ")
        cells = cells_of(m, place[1], group, token_tasks=with_token_tasks)
        if m.printed(*place) != ABSENT and len(cells):
            places[place] = as_printed(float(cells.mean() if which == "M" else cells.std(ddof=1)))
    return with_places(m, places)


def misprints(table: str, rows: list[str]) -> Draw:
    def draw(m: Material, rng: np.random.Generator) -> Material:
        places = [(table, row, column) for row, column in m.tables[table] if row in rows]
        numbers = [place for place in places if m.printed(*place) != ABSENT]
        return sometimes(nearby(numbers, 0.02, 0, 1))(m, rng)

    return draw


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C013": (printed(("table6_aggregates", "Core non-code", "Generalist M", "0.650")), Verdict.FAILS),
    "C075": (printed(("table5", "Core non-code", "Generalist M", "0.650")), Verdict.FAILS),
    "C076": (printed(("table5", "Binary classification", "Generalist SD", "0.150")), Verdict.FAILS),
    "C077": (printed(("table6_aggregates", "NER", "Baseline M", "0.5")), Verdict.FAILS),
}
DRAWS: dict[str, Draw] = {
    "C013": fresh,
    "C075": together(fresh, misprints("table5", [*FAMILY_ROWS])),
    "C076": together(fresh, misprints("table5", [*CLASSIFICATION_ROWS])),
    "C077": together(fresh, misprints("table6_aggregates", [*FAMILY_ROWS, *TYPE_ROWS])),
}


class TestAggregateRows(ClaimTests):
    module, flips, draws = aggregate_rows, FLIPS, DRAWS
