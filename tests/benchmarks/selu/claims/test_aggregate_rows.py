from __future__ import annotations

from alterations import Alter, printed
from claim_tests import ClaimTests

from selu.benchmarks.selu.claims import aggregate_rows
from selu.vocabulary import Verdict

FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C013": (printed(("table6_aggregates", "Core non-code", "Generalist M", "0.650")), Verdict.FAILS),
    "C075": (printed(("table5", "Core non-code", "Generalist M", "0.650")), Verdict.FAILS),
    "C076": (printed(("table5", "Binary classification", "Generalist SD", "0.150")), Verdict.FAILS),
    "C077": (printed(("table6_aggregates", "NER", "Baseline M", "0.5")), Verdict.FAILS),
}


class TestAggregateRows(ClaimTests):
    module, flips = aggregate_rows, FLIPS
