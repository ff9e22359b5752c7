"""``selu plan`` of prompted systems: what of each cell is left to ask, and its price, before it is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from selu.data.prepared import has_data
from selu.execution.planned import Planned, Wanted
from selu.execution.plans import family_of, plan
from selu.execution.prompt import replies
from selu.execution.prompt.plan import Model, known, settings_of
from selu.execution.prompt.requests import Survey, cells_of
from selu.names import WORDING
from selu.runs import record
from selu.systems.prompt.settings import PromptSettings
from selu.vocabulary import SeluError

_TO_ASK = ("requests", "to_ask", "asked_tokens", "answered_tokens", "usd_at_most")


def table(root: Path, wanted: Wanted) -> list[dict[str, Any]]:
    """Show a row per cell: states of its runs, which share their replies, and what of its requests is left.

    Tokens are a bound (no tokenizer of a provider is at hand), and so is the price, in USD. A cell that can't
    be asked as it is says so in its state.
    """
    runs = [run for run in plan(root, wanted) if family_of(run).paid]
    if not runs:
        return []
    settings, models = settings_of(root), known(root)
    cells = cells_of(runs)
    rows = []
    for (task, system), both in cells.items():
        states = {run.folder.name: record.state(run.folder, run.identity).value for run in both}
        row: dict[str, Any] = {
            "cell": f"{task}/{system}",
            "model": models[system].settings.model,
            "prompts": WORDING[models[system].settings.prompts],
            "data": both[0].standing,
            "state": ", ".join(f"{name} {state}" for name, state in states.items()),
            **dict.fromkeys(_TO_ASK),
        }
        if has_data(root, task):
            try:
                row |= _left(root, both[0], models[system], settings)
            except SeluError as error:
                row["state"] += f"; can't be asked: {error}"
        rows.append(row)
    return rows


def whole(root: Path, names: Sequence[str], tasks: Sequence[str] = ()) -> dict[str, Any]:
    """Reckon what these prompted systems take on real rows: requests, tokens, USD at most.

    Raises:
        SeluError: rows are missing or damaged.
    """
    settings, models = settings_of(root), known(root)
    systems: list[dict[str, Any]] = []
    for system in names:
        first = {run.task.id: run for run in plan(root, Wanted(tasks, (system,)))}
        cells = [Survey(root, run, models[system], settings, lambda _: None) for run in first.values()]
        asked = [_count(cell, range(len(cell.ids))) for cell in cells]
        summed = {name: sum(each[name] for each in asked) for name in asked[0]}
        systems.append({"system": system, "cells": len(cells), "requests": summed.pop("to_ask"), **summed})
    total = {name: sum(row[name] for row in systems) for name in list(systems[0])[1:]}
    return {"priced": settings.priced, "systems": systems, "total": total}


def _count(cell: Survey, rows: Sequence[int]) -> dict[str, Any]:
    """Count what asking some rows of a cell takes."""
    return {
        "to_ask": len(rows),
        "asked_tokens": cell.asked(rows),
        "answered_tokens": cell.answered(rows),
        "usd_at_most": cell.bound(rows),
    }


def _left(root: Path, run: Planned, model: Model, settings: PromptSettings) -> dict[str, Any]:
    """Count what is left to ask of a cell."""
    cell = Survey(root, run, model, settings, lambda _: None)
    left = _count(cell, replies.to_ask(cell))
    return {"requests": len(cell.ids), **left, "usd_at_most": round(left["usd_at_most"], 2)}


def summary(root: Path, rows: Sequence[Mapping[str, Any]]) -> str:
    """Say the table in a sentence."""
    known_rows = [row for row in rows if row["requests"] is not None]
    names = ("requests", "to_ask", "usd_at_most")
    requests, left, usd = (sum(row[name] for row in known_rows) for name in names)
    text = (
        f"{left:,} of {requests:,} requests in {len(known_rows)} cells are to be asked: at most {usd:,.2f} USD "
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
    """Say until when models can be asked, by model, of those whose provider named a day."""
    told = {model.model: model.describe_end(date.today()) for model in settings_of(root).models.values()}
    return {model: end for model, end in told.items() if end}
