"""``selu plan`` of prompted systems: requests, tokens and price of each cell, before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from selu.commands import showing
from selu.commands.planned import Planned, Wanted
from selu.commands.planning import has_data, plan
from selu.commands.planning_prompt import knobs_of, known
from selu.runs import record
from selu.systems.prompt.budget import prices, tokens


def table(root: Path, wanted: Wanted) -> list[dict[str, Any]]:
    """One row per cell: states of its runs, which share their replies, and what asking for all would take.

    Tokens are a bound (no tokenizer of a provider is at hand), and so is the price, in USD.
    """
    runs = [run for run in plan(root, wanted) if run.prompted]
    if not runs:
        return []
    knobs, models = knobs_of(root), known(root)
    cells: dict[tuple[str, str], list[Planned]] = {}
    for run in runs:
        cells.setdefault((run.task.id, run.system), []).append(run)
    rows = []
    for (task, system), both in cells.items():
        states = {run.folder.name: record.state(run.folder, run.identity).value for run in both}
        row: dict[str, Any] = {
            "cell": f"{task}/{system}",
            "model": models[system].knobs.model,
            "data": both[0].standing,
            "state": ", ".join(f"{name} {state}" for name, state in states.items()),
            "requests": None,
            "asked_tokens": None,
            "answered_tokens": None,
            "usd_at_most": None,
        }
        if has_data(root, task):
            asked = [
                tokens(prompt, knobs.bytes_per_token)
                for _, prompt in showing.requests_of(root, both[0].task, models[system].shots)
            ]
            answered = len(asked) * knobs.max_tokens
            usd = prices(models[system].knobs).bound(sum(asked), answered)
            row |= {"requests": len(asked), "asked_tokens": sum(asked), "answered_tokens": answered}
            row["usd_at_most"] = round(usd, 2)
        rows.append(row)
    return rows


def summary(root: Path, rows: Sequence[Mapping[str, Any]]) -> str:
    """The table in a sentence."""
    knobs = knobs_of(root)
    known_rows = [row for row in rows if row["requests"] is not None]
    requests, usd = (sum(row[name] for row in known_rows) for name in ("requests", "usd_at_most"))
    text = (
        f"{requests:,} requests in {len(known_rows)} cells: at most {usd:,.2f} USD at prices of {knobs.priced}"
    )
    if len(known_rows) < len(rows):
        text += f"; {len(rows) - len(known_rows)} cells lack their prepared rows ('make data' makes them)"
    return text + ". Replies that are there already are not paid for again."
