"""``selu plan`` of prompted systems: what is left to ask, and its price, before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, cast

from selu.data.prepared import has_data
from selu.execution.planned import Wanted
from selu.execution.plans import family_of, plan
from selu.execution.prompt import replies
from selu.execution.prompt.plan import known, settings_of
from selu.execution.prompt.requests import Survey, cells_of
from selu.names import WORDING
from selu.papers.costs import Asking, AskingCost, CellPrice, PriceSum
from selu.runs import record
from selu.vocabulary import SeluError

_LEFT = ("requests", "to_ask", "asked_tokens", "answered_tokens", "usd_at_most")
_SUMMED = ("cells", "requests", "asked_tokens", "answered_tokens", "usd_at_most")


def table(root: Path, wanted: Wanted) -> list[CellPrice]:
    """Show a row per cell: states of its runs, which share their replies, and what of its requests is left.

    Tokens are a bound (no tokenizer of a provider is available), and so is the price, in USD. A cell that can't
    be asked as it is says so in its state.
    """
    runs = [run for run in plan(root, wanted) if family_of(run).paid]
    if not runs:
        return []
    settings, models = settings_of(root), known(root)
    rows: list[CellPrice] = []
    for (task, system), cell_runs in cells_of(runs).items():
        states = {run.folder.name: record.state(run.folder, run.identity).value for run in cell_runs}
        state = ", ".join(f"{name} {state}" for name, state in states.items())
        left: Mapping[str, object] = dict.fromkeys(_LEFT)
        if has_data(root, task):
            try:
                cell = Survey(root, cell_runs[0], models[system], settings, lambda _: None)
                asked = _count(cell, replies.to_ask(cell))
                left = {"requests": len(cell.ids), **asked, "usd_at_most": round(asked["usd_at_most"], 2)}
            except SeluError as error:
                state += f"; can't be asked: {error}"
        model, data = models[system].settings, cell_runs[0].availability
        row = {
            "cell": f"{task}/{system}",
            "model": model.model,
            "prompts": WORDING[model.prompts],
            "data": data,
        }
        rows.append(cast("CellPrice", {**row, "state": state, **left}))
    return rows


def whole(root: Path, names: Sequence[str], tasks: Sequence[str] = ()) -> AskingCost:
    """Calculate the requests, tokens and maximum USD of these prompted systems on real rows.

    Raises:
        SeluError: rows are missing or damaged.
    """
    settings, models = settings_of(root), known(root)
    systems: list[PriceSum] = []
    for system in names:
        first = {run.task.id: run for run in plan(root, Wanted(tasks, (system,)))}
        cells = [Survey(root, run, models[system], settings, lambda _: None) for run in first.values()]
        asked = [
            {"cells": 1, "requests": len(cell.ids), **_count(cell, range(len(cell.ids)))} for cell in cells
        ]
        systems.append(cast("PriceSum", {"system": system, **_sum(asked)}))
    return {"priced": settings.priced, "systems": systems, "total": cast("PriceSum", _sum(systems))}


def _sum(records: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    return {name: sum(record[name] for record in records) for name in _SUMMED}


def _count(cell: Survey, rows: Sequence[int]) -> Asking:
    """Count what asking some rows of a cell takes."""
    return {
        "to_ask": len(rows),
        "asked_tokens": cell.asked(rows),
        "answered_tokens": cell.answered(rows),
        "usd_at_most": cell.bound(rows),
    }


def summary(root: Path, rows: Sequence[CellPrice]) -> str:
    """Summarize the table in a sentence."""
    counted = sum(row["requests"] is not None for row in rows)
    requests, left = sum(row["requests"] or 0 for row in rows), sum(row["to_ask"] or 0 for row in rows)
    usd = sum(row["usd_at_most"] or 0.0 for row in rows)
    text = (
        f"{left:,} of {requests:,} requests in {counted} cells are to be asked: at most {usd:,.2f} USD "
        f"at prices of {settings_of(root).priced}"
    )
    unknown = [row for row in rows if row["requests"] is None]
    refused = sum("; can't be asked: " in row["state"] for row in unknown)
    if len(unknown) > refused:
        text += f"; {len(unknown) - refused} cells lack their prepared rows ('make data' makes them)"
    if refused:
        text += f"; {refused} can't be asked, as their state says"
    asked = {row["model"] for row in rows}
    return " ".join([f"{text}.", *(f"{end}." for model, end in list_ends(root).items() if model in asked)])


def list_ends(root: Path) -> Mapping[str, str]:
    """Return the last day of each model whose provider has announced one."""
    ends = {model.model: model.describe_end(date.today()) for model in settings_of(root).models.values()}
    return {model: end for model, end in ends.items() if end}
