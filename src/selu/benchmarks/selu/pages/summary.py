"""The findings in one page of Markdown; README shows the same page, held to this one by a test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pandas as pd

from selu.benchmarks.claims import counts
from selu.benchmarks.selu import tables, tables_data
from selu.benchmarks.selu.material import Material
from selu.benchmarks.selu.reruns.cells import WHOLE
from selu.benchmarks.selu.tables_analysis import sensitivity_parts
from selu.benchmarks.table import ROUNDING, Table, grid
from selu.vocabulary import CellState, CellVerdict, Evidence, Verdict

PARTIAL = f"{Evidence.RE_EARNED}, part of the rows"
TITLES = {
    "table1": "I, tasks",
    "table2": "II, sources and families",
    "table3": "III, models",
    "table4": "IV, ranking",
    "table5": "V, families and types",
    "table6": "VI, scores: where one stands",
    "table6_aggregates": "VI, aggregate rows",
}


def summary(
    m: Material,
    claims: list[dict[str, Any]],
    sensitivity: dict[str, Any],
    records: tables_data.Records,
    reruns: list[dict[str, Any]],
    outside: list[dict[str, Any]],
) -> str:
    """Cells, what was run again, equal table cells, verdicts, what moves decisions, and what the data hold.

    Args:
        claims: the record that ``benchmarks.claims.claims_record`` gives.
        sensitivity: the record that ``results.sensitivity_record`` gives.
        records: task id -> record of its data, as ``selu prepare`` writes it.
        reruns: entries of cells.json.
        outside: entries of finetuned.json, of systems that are not in the paper.
    """
    parts = [
        _cells(m, reruns),
        *_reruns(reruns),
        *_side_by_side(m, reruns, outside),
        _tables([getattr(tables, name)(m) for name in TITLES]),
        _verdicts(claims),
        "What one change at a time does to the comparison: how many of the pairs are decided otherwise "
        "(better, worse, practically equal or inconclusive) than in the comparison that the paper prints.",
        grid(sensitivity_parts(sensitivity).frame),
        _data(m, records),
    ]
    return "\n\n".join(parts) + "\n"


def _cells(m: Material, reruns: list[dict[str, Any]]) -> str:
    absent = sum(cell.state is CellState.ABSENT_BY_DESIGN for cell in m.cells)
    present = sum(cell.state is CellState.PRESENT for cell in m.cells)
    return (
        f"{len(m.tasks)} tasks x {len(m.systems)} systems = {len(m.cells)} cells: {present} printed, {absent} "
        f"absent by design. Evidence: {_evidence(m, reruns)}."
    )


def _evidence(m: Material, reruns: list[dict[str, Any]]) -> str:
    """How many printed cells stand at which depth, in words."""
    deeper = Counter(cell["evidence"] for cell in reruns if cell["printed"] is not None)
    deeper.pop(str(Evidence.PRINTED), None)
    printed = sum(cell.state is CellState.PRESENT for cell in m.cells) - sum(deeper.values())
    words = [f"{deeper[str(depth)]} {depth}" for depth in (Evidence.RE_EARNED, Evidence.RE_SCORED)]
    return ", ".join([*words, f"{printed} printed only"])


def _reruns(reruns: list[dict[str, Any]]) -> list[str]:
    """Verdicts of the cells earned anew, by system and by whether all of the paper's rows were there."""
    found = [cell for cell in reruns if cell["verdict"] is not None]
    rows = []
    for name in dict.fromkeys(cell["name"] for cell in found if cell["evidence"] == str(Evidence.RE_EARNED)):
        own = [cell for cell in found if cell["name"] == name and cell["evidence"] == str(Evidence.RE_EARNED)]
        rows += [_counted(name, [c for c in own if c["standing"] in WHOLE], "all of the paper's rows")]
        rows += [_counted(name, [c for c in own if c["standing"] not in WHOLE], "partial rows")]
    scored = [cell for cell in found if cell["evidence"] == str(Evidence.RE_SCORED)]
    rows += [_counted("Published predictions, re-scored", scored, "all of the paper's rows")]
    rows = [row for row in rows if row["Cells"]]
    note = (
        "Reproduced: equal at the three printed digits. Within noise: the printed number lies in the 95 % "
        "interval of ours. Deviates: neither; `selu show TASK/SYSTEM` gives the reason."
    )
    return [grid(pd.DataFrame(rows)), note] if rows else []


def _side_by_side(m: Material, reruns: list[dict[str, Any]], outside: list[dict[str, Any]]) -> list[str]:
    """Each re-earned score beside the printed one, with its interval; then what is not in the paper."""
    earned = [cell for cell in reruns if cell["evidence"] == str(Evidence.RE_EARNED)]
    others = [cell for cell in outside if cell["strict"]["value"] is not None]
    names = dict.fromkeys(cell["name"] for cell in earned)
    rows = []
    for task in m.tasks:
        own = {cell["name"]: cell for cell in earned if cell["task"] == task.id}
        beside = {cell["name"]: cell for cell in others if cell["task"] == task.id}
        if not own and not beside:
            continue
        any_cell = next(iter([*own.values(), *beside.values()]))
        partial = "" if any_cell["standing"] in WHOLE else f" ({any_cell['standing']} rows)"
        row = {"Task": f"{task.id}{partial}"}
        for name in names:
            cell = own.get(name)
            row[f"{name}: printed"] = cell["printed"] if cell and cell["printed"] else ""
            row[f"{name}: rerun"] = f"{_interval(cell)} {cell['verdict']}" if cell else ""
        for name in dict.fromkeys(cell["name"] for cell in others):
            row[f"{name}, strict (not in the paper)"] = (
                _interval(beside[name]["strict"]) if name in beside else ""
            )
        rows.append(row)
    note = (
        "Reruns are under protocol `paper`, picked on test rows as the authors did; `strict` picks on "
        "validation rows. Values are means over the seeds; in brackets stands the 95 % interval by bootstrap "
        "of the test rows, with several seeds from the lowest to the highest bound of theirs."
    )
    return [grid(pd.DataFrame(rows)), note] if rows else []


def _interval(found: dict[str, Any]) -> str:
    return f"{found['value']:.3f} [{found['low']:.3f}, {found['high']:.3f}]"


def depth(cell: Mapping[str, Any]) -> str:
    """Return the evidence of a cell, set apart where it stands on part of the rows."""
    earned = cell.get("evidence", str(Evidence.RE_EARNED))
    return PARTIAL if earned == str(Evidence.RE_EARNED) and cell["standing"] not in WHOLE else str(earned)


def depths(m: Material, reruns: list[dict[str, Any]]) -> dict[str, Counter[str]]:
    """Return system id -> number of its cells by ``depth``, or by the state of those that are not there."""
    deeper = {(cell["task"], cell["system"]): depth(cell) for cell in reruns if cell["printed"] is not None}
    found: dict[str, Counter[str]] = {system.id: Counter() for system in m.systems}
    for cell in m.cells:
        here = str(cell.state) if cell.state is not CellState.PRESENT else None
        found[cell.system][here or deeper.get((cell.task, cell.system), str(Evidence.PRINTED))] += 1
    return found


def _counted(name: str, cells: list[dict[str, Any]], rows: str) -> dict[str, Any]:
    verdicts = Counter(cell["verdict"] for cell in cells)
    return {
        "Checked against data": name,
        "On": rows,
        "Cells": len(cells),
        "Equal to the last digit": sum(cell["exact"] for cell in cells),
        **{str(verdict).capitalize(): verdicts[str(verdict)] for verdict in CellVerdict},
    }


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


def _data(m: Material, records: tables_data.Records) -> str:
    """How many tasks have their rows, whether the published test counts are met, and the worst leak."""
    standings = [records[task.id]["standing"] for task in m.tasks]
    counted = ", ".join(f"{standings.count(name)} {name}" for name in dict.fromkeys(sorted(standings)))
    counted += " (equal: all of the paper's rows; partial: some of them; synthetic: small sets of our own)"
    labels = tables_data.labels(m, records)
    real = [task.id for task in m.tasks if records[task.id]["standing"] != tables_data.SYNTHETIC]
    near = {task: records[task]["audit"]["overlap"]["paper"]["near"] for task in real}
    worst = max(real, key=lambda task: near[task]["share"], default=None)
    if worst is None:
        return f"Data of the {len(standings)} tasks: {counted}."
    rows = sum(entry["test_rows"] for entry in near.values())
    test = sum(records[task]["audit"]["parts"]["paper"]["test"] for task in real)
    return (
        f"Data of the {len(standings)} tasks: {counted}. {labels.equal} of {labels.cells} published test "
        f"counts of labels are met. {rows:,} of {test:,} real test rows ({100 * rows / test:.1f} %) have a "
        f"copy or near copy in train, most in {worst} ({100 * near[worst]['share']:.1f} %)."
    )
