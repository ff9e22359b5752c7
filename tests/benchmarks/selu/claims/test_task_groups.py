from __future__ import annotations

from alterations import Alter, row
from claim_tests import ClaimTests

from selu.benchmarks.selu.claims import task_groups
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Kind, Verdict


def four_regression_tasks(m: Material) -> Material:
    for task in ("review_type", "smell_doc", "sentiment"):
        m = m.with_task(task, kind=Kind.REGRESSION)
    return m


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C081": (row("Code-adjacent metadata", "Domain-adapted", 0.8), Verdict.FAILS),
    "C083": (row("Binary classification", None, 0.6), Verdict.FAILS),
    "C084": (row("Multi-label classification", None, 0.9), Verdict.FAILS),
    "C086": (four_regression_tasks, Verdict.FAILS),
    "C121": (row("Core non-code", None, 0.1), Verdict.FAILS),
    "C122": (row("Multi-label classification", None, 0.9), Verdict.FAILS),
}


class TestTaskGroups(ClaimTests):
    module, flips = task_groups, FLIPS
