"""``selu show`` of prompted cells: what was run of them, and of models that are not in the paper."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from selu.commands import listing_extra, planning, planning_prompt
from selu.commands.planned import Planned, Wanted
from selu.commands.recomputing import Scores
from selu.runs import record
from selu.vocabulary import CellState, Task

Row = dict[str, Any]


def others(root: Path, papers: Collection[str]) -> list[str]:
    """Ids of prompted systems that params.yaml names and the paper does not have."""
    return [name for name in planning_prompt.known(root) if name not in papers]


def runs(root: Path, task: Task, system: str) -> Row:
    """Runs of a prompted cell that are there; nothing where there are none."""
    model = planning_prompt.known(root).get(system)
    if model is None or model.system.absence(task) is not None:
        return {}
    planned = planning.plan(root, Wanted((task.id,), (system,)))
    scores = Scores(root, bounds=False)
    found = [_run(scores, run) for run in planned]
    return {"runs": found} if any(row["state"] != record.State.MISSING for row in found) else {}


def cell(root: Path, task: Task, system: str) -> Row:
    """A cell of a model that is not in the paper."""
    shown: Row = {
        "cell": f"{task.id}/{system}",
        "state": listing_extra.STATE,
        "metric": task.metric,
        "question": task.question,
    }
    absence = planning_prompt.known(root)[system].system.absence(task)
    if absence is not None:
        return shown | {"state": CellState.ABSENT_BY_DESIGN, "reason": absence}
    return shown | (runs(root, task, system) or {"runs": "none yet: 'selu run' makes them"})


def _run(scores: Scores, run: Planned) -> Row:
    """As of other systems, and the replies that were no answer."""
    row = listing_extra.run_of(scores, run)
    if row["state"] != record.State.PRESENT:
        return row
    content = record.read_run(run.folder, run.identity)
    invalid, rows = sum(content["invalid"].values()), content["cost"]["requests"]
    share = f"{invalid} of {rows} ({100 * invalid / rows:.1f} %)"
    return row | {"invalid": share, "usd": round(content["cost"]["usd"], 4)}
