"""``selu compare`` of a system that is not in the paper with any other: differences per task, no posterior."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from selu.benchmarks.selu.cells import WHOLE
from selu.benchmarks.selu.material import Material
from selu.commands import listing, listing_extra, reporting
from selu.vocabulary import SeluError

PRINTED, STRICT = "printed", "strict"
Row = dict[str, Any]


def comparison(root: Path, m: Material, a: str, b: str) -> Row:
    """Two systems side by side, at least one of which is not in the paper.

    A score run here is that of protocol strict, the mean of its seeds; a system that was not run here has its
    printed one. Each row says which is which.

    Raises:
        SeluError: an unknown system, the same one twice, or nothing is there of which both have a score.
    """
    first, second = (_scores(root, m, name) for name in (a, b))
    if first["id"] == second["id"]:
        raise SeluError(f"{a!r} and {b!r} are the same system: name two different ones.")
    rows = [
        {
            "task": task.id,
            "kind": task.kind,
            first["id"]: first["scores"][task.id],
            second["id"]: second["scores"][task.id],
            "difference": round(first["scores"][task.id] - second["scores"][task.id], 4),
            "scores": f"{first['of'][task.id]}, {second['of'][task.id]}",
        }
        for task in m.tasks
        if task.id in first["scores"] and task.id in second["scores"]
    ]
    if not rows:
        raise SeluError(
            f"there is no task of which both {first['id']} and {second['id']} have a score: 'selu run' makes "
            "runs, and 'selu report finetuned' collects them."
        )
    sentence = _sentence(first, second, rows)
    return {"a": first["id"], "b": second["id"], "tasks": rows, "posterior": None, "sentence": sentence}


def _scores(root: Path, m: Material, name: str) -> Row:
    """Id, name, and per task the score and where it comes from."""
    extra = listing_extra.find(root, name)
    if extra is not None:
        entries = [e for e in reporting.tracked_extra(root) if e["system"] == extra.id]
        found = {e["task"]: e[STRICT]["value"] for e in entries if e[STRICT]["value"] is not None}
        of = {e["task"]: _on(e["standing"]) for e in entries if e["task"] in found}
        return {"id": extra.id, "name": extra.system.name, "scores": found, "of": of}
    system = listing.find(name, m)
    column = {str(task): float(value) for task, value in m.scores[system].dropna().items()}
    of = dict.fromkeys(column, PRINTED)
    for (task, one), cell in listing.tracked_cells(root).items():
        if one == system and cell["value"] is not None and cell.get("strict"):
            column[task], of[task] = cell["strict"]["value"], _on(cell["standing"])
    return {"id": system, "name": m.system(system).name, "scores": column, "of": of}


def _on(standing: str) -> str:
    """What a strict score stands on, said where that is not all of the paper's rows."""
    return STRICT if standing in WHOLE else f"{STRICT} on {standing} rows"


def _sentence(first: Row, second: Row, rows: list[Row]) -> str:
    differences = [row["difference"] for row in rows]
    wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    ties = len(differences) - wins - losses
    mixed = any(PRINTED in row["scores"] for row in rows)
    return (
        f"Over {len(rows)} tasks {first['name']} wins {wins}, ties {ties}, loses {losses} against "
        f"{second['name']}. A system that is not in the paper enters none of its ranks and averages, so no "
        "posterior is computed."
        + (" Printed scores are of checkpoints picked on test rows; strict ones are not." if mixed else "")
    )
