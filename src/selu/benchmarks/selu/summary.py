"""The findings in one page of Markdown; README shows the same page, held to this one by a test."""

from __future__ import annotations

from typing import Any

import pandas as pd

from selu.benchmarks.selu import tables
from selu.benchmarks.selu.material import Material
from selu.benchmarks.selu.results import counts
from selu.benchmarks.selu.tables_analysis import sensitivity_parts
from selu.benchmarks.table import ROUNDING, Table, grid
from selu.vocabulary import CellState, Verdict

TITLES = {
    "table1": "I, tasks",
    "table2": "II, sources and families",
    "table3": "III, models",
    "table4": "IV, ranking",
    "table5": "V, families and types",
    "table6": "VI, scores: where one stands",
    "table6_aggregates": "VI, aggregate rows",
}


def summary(m: Material, claims: list[dict[str, Any]], sensitivity: dict[str, Any]) -> str:
    """Counts of cells, equal table cells and verdicts, and what moves decisions.

    Args:
        claims: the record that ``results.claims_record`` gives.
        sensitivity: the record that ``results.sensitivity_record`` gives.
    """
    parts = [_cells(m), _tables([getattr(tables, name)(m) for name in TITLES]), _verdicts(claims)]
    return "\n\n".join([*parts, grid(sensitivity_parts(sensitivity).frame)]) + "\n"


def _cells(m: Material) -> str:
    absent = sum(cell.state is CellState.ABSENT_BY_DESIGN for cell in m.cells)
    present = sum(cell.state is CellState.PRESENT for cell in m.cells)
    return (
        f"{len(m.tasks)} tasks x {len(m.systems)} systems = {len(m.cells)} cells: {present} printed, {absent} "
        "absent by design. Every score shown is the paper's own (evidence: printed)."
    )


def _tables(compared: list[Table]) -> str:
    rows = [
        {
            "Table": TITLES[table.name],
            "Cells compared": str(table.cells),
            "Equal": str(table.equal),
            "Differ": str(len(table.mismatches)),
            "Of these, explained by rounded inputs": str(
                sum(cell.why.startswith(ROUNDING) for cell in table.mismatches)
            ),
        }
        for table in compared
    ]
    return grid(pd.DataFrame(rows))


def _verdicts(claims: list[dict[str, Any]]) -> str:
    total = counts(claims)
    shares = ", ".join(f"{total[verdict.value]} {verdict.value}" for verdict in Verdict)
    failing = [claim for claim in claims if claim["verdict"] == Verdict.FAILS.value]
    lines = [f"{len(claims)} claims checked: {shares}. Those that fail:", ""]
    lines += [f"- {claim['id']} ({claim['section']}): {claim['statement']}" for claim in failing]
    return "\n".join(lines)
