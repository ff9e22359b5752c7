"""``selu list`` and ``selu show``: the declared records and printed scores."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from selu.benchmarks.selu.material import Material
from selu.commands.console import as_text
from selu.project import BENCHMARKS, load_selu, read_json
from selu.vocabulary import CellState, SeluError, System, Task

CELL_FIELDS = ("task", "system", "evidence", "state", "value", "low", "high", "verdict", "reason")
CLAIM_FIELDS = ("id", "section", "statement", "verdict", "because", "numbers")
CLAIMS_OF = {"C": "selu", "N": "nlbse24"}  # by the first letter of their ids
KINDS_OF_ROWS = ("tasks", "systems", "cells", "claims")
Row = dict[str, Any]


def nearest(name: str, known: Iterable[str], what: str) -> SeluError:
    """The error for an unknown name, with the nearest known one."""
    names = list(known)
    lower = {candidate.lower(): candidate for candidate in names}
    close = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.5)
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    hint = f"did you mean {lower[close[0]]!r}?" if close else f"known: {', '.join(names[:8])}{more}."
    return SeluError(f"there is no {what} {name[:80]!r}; {hint}")


def find(name: str, m: Material, what: str = "system") -> str:
    """The id of a system (or task) given by id or printed name, whatever its case."""
    records = m.systems if what == "system" else m.tasks
    names = {record.id.lower(): record.id for record in records}
    if what == "system":
        names |= {system.name.lower(): system.id for system in m.systems}
    if name.lower() not in names:
        raise nearest(name, [record.id for record in records], what)
    return names[name.lower()]


def known(benchmark: str) -> str:
    """The benchmark of that name.

    Raises:
        SeluError: there is none, with the nearest one.
    """
    if benchmark not in BENCHMARKS:
        raise nearest(benchmark, BENCHMARKS, "benchmark")
    return benchmark


def rows(root: Path, what: str, where: list[str], benchmark: str = "selu") -> list[Row]:
    """Rows of one listing, filtered by FIELD=VALUE.

    Raises:
        SeluError: an unknown benchmark, listing, field or value, with the nearest known one.
    """
    if what not in KINDS_OF_ROWS:
        raise nearest(what, KINDS_OF_ROWS, "listing")
    if known(benchmark) == "selu":
        listing = {"tasks": _tasks, "systems": _systems, "cells": _cells, "claims": _claims}[what](root)
    else:
        listing = _of_another(root, what, benchmark)
    for condition in where:
        field, equals, value = condition.partition("=")
        if not equals:
            raise SeluError(f"--where {condition!r} is not FIELD=VALUE, for example kind=binary.")
        if field not in listing[0]:
            raise nearest(field, listing[0], f"field of {what}")
        texts = [as_text(row[field]).lower() for row in listing]
        if value.lower() not in texts:
            raise nearest(value, sorted(set(texts)), f"value of {field} among these {what}")
        listing = [row for row, text in zip(listing, texts, strict=True) if text == value.lower()]
    return listing


def _tasks(root: Path) -> list[Row]:
    from selu.commands import listing_declared, listing_own

    fields = ("id", "kind", "family", "activity", "instances", "targets", "metric", "question")
    return [
        {field: getattr(task, field) for field in fields} | {"data": listing_declared.standing(root, task.id)}
        for task in load_selu(root).tasks
    ] + listing_own.tasks(root, fields)


def _of_another(root: Path, what: str, benchmark: str) -> list[Row]:
    from selu.commands import listing_declared

    listings = {"tasks": listing_declared.tasks, "systems": listing_declared.systems}
    if what == "claims":
        return _claims(root, benchmark)
    if what not in listings:
        raise SeluError(
            f"{benchmark} has no list of {what}: 'selu list tasks', 'systems' and 'claims' do, and 'selu plan' "
            "lists runs."
        )
    return listings[what](root, benchmark)


def _systems(root: Path) -> list[Row]:
    from selu.commands import listing_extra

    m = load_selu(root)
    means = m.ranked.mean()
    fields = ("id", "name", "approach", "architecture", "adaptation", "size_printed", "licence", "gated")
    return [
        {field: getattr(system, field) for field in fields} | {"mean": float(means[system.id]), "paper": True}
        for system in m.systems
    ] + listing_extra.systems(root, fields)


def _cells(root: Path) -> list[Row]:
    m, earned = load_selu(root), pulled_cells(root)
    listing = []
    for cell in m.cells:
        task, system = m.task(cell.task), m.system(cell.system)
        ours = earned.get((cell.task, cell.system), {})
        listing.append(
            {
                "cell": cell.id,
                "task": task.id,
                "system": system.id,
                "kind": task.kind,
                "family": task.family,
                "approach": system.approach,
                "architecture": system.architecture,
                "state": cell.state,
                "score": cell.printed,
                "evidence": ours.get("evidence", cell.evidence),
                "value": ours.get("value"),
                "interval": _interval(ours),
                "verdict": ours.get("verdict"),
                "reason": ours.get("reason") or cell.reason,
            }
        )
    return listing


def tracked_cells(root: Path) -> dict[tuple[str, str], Row]:
    """Entries of the tracked cells.json by (task, system); none where the file is not here.

    Raises:
        SeluError: it is damaged.
    """
    path = root / "reports" / "selu" / "cells.json"
    if not path.is_file():
        return {}
    return {(cell["task"], cell["system"]): cell for cell in read_json(path, "selu report cells", CELL_FIELDS)}


def pulled_cells(root: Path) -> dict[tuple[str, str], Row]:
    """The same, where a cell without its evidence would say something wrong.

    Raises:
        SeluError: there is none, or it is damaged.
    """
    if found := tracked_cells(root):
        return found
    path = root / "reports" / "selu" / "cells.json"
    raise SeluError(f"{path} is missing: run 'dvc pull', or 'selu report cells'.")


def _interval(cell: Row) -> str | None:
    return None if cell.get("low") is None else f"{cell['low']:.3f} to {cell['high']:.3f}"


def _claims(root: Path, benchmark: str = "selu") -> list[Row]:
    fields = ("id", "section", "verdict", "statement")
    return [{field: claim[field] for field in fields} for claim in tracked_claims(root, benchmark)]


def tracked_claims(root: Path, benchmark: str = "selu") -> list[Row]:
    """The tracked findings of all claims of a benchmark."""
    path = root / "reports" / benchmark / "claims.json"
    made_by = "selu report claims" + ("" if benchmark == "selu" else f" --benchmark {benchmark}")
    found: list[Row] = read_json(path, made_by, CLAIM_FIELDS)
    return found


def record(root: Path, name: str) -> Row:
    """The record of a cell (TASK/SYSTEM), a task, a system or a claim."""
    from selu.commands import listing_declared, listing_extra, listing_own, listing_prompt

    m = load_selu(root)
    task_name, slash, system_name = name.partition("/")
    if other := listing_declared.find(task_name):
        return listing_declared.cell(root, other, system_name) if slash else listing_declared.task(root, other)
    if not slash and (declared := listing_declared.system(root, name)):
        return declared
    if mine := listing_own.find(root, task_name):
        return listing_own.cell(root, mine.task, system_name) if slash else listing_own.task(mine)
    if extra := listing_extra.find(root, system_name if slash else name):
        task = m.task(find(task_name, m, "task")) if slash else None
        return listing_extra.cell(root, task, extra) if task else listing_extra.system(extra)
    if slash:
        if system_name in listing_prompt.others(root, [system.id for system in m.systems]):
            return listing_prompt.cell(root, m.task(find(task_name, m, "task")), system_name)
        key = find(task_name, m, "task"), find(system_name, m)
        task = m.task(key[0])
        shown = _cell(m, *key) | _standing(root, m, task, m.system(key[1]))
        return shown | listing_prompt.runs(root, task, key[1]) | listing_extra.runs(root, task, key[1])
    for records in (m.tasks, m.systems):
        for item in records:
            if item.id.lower() == name.lower():
                found = dataclasses.asdict(item)
                return found | (
                    {"data": listing_declared.standing(root, item.id)} if records is m.tasks else {}
                )
    if name[:1].upper() in CLAIMS_OF and name[1:].isdigit():
        return _claim(root, name.upper())
    for system in m.systems:
        if system.name.lower() == name.lower():
            return dataclasses.asdict(system)
    known = [
        *m.task_ids(),
        *listing_own.names(root),
        *listing_declared.names(root),
        *m.names(),
        *(claim["id"] for claim in tracked_claims(root)),
    ]
    raise nearest(name, known, "task, system, claim or TASK/SYSTEM")


def _claim(root: Path, claim_id: str) -> Row:
    claims = {claim["id"]: claim for claim in tracked_claims(root, CLAIMS_OF[claim_id[0]])}
    if claim_id not in claims:
        raise nearest(claim_id, claims, "claim")
    return claims[claim_id]


def _cell(m: Material, task_id: str, system_id: str) -> Row:
    cell = next(cell for cell in m.cells if (cell.task, cell.system) == (task_id, system_id))
    task, system = m.task(task_id), m.system(system_id)
    shown: Row = {
        "cell": cell.id,
        "state": cell.state,
        "score": cell.printed,
        "metric": task.metric,
        "place": f"Table VI, row {task_id}, column {system.name}",
        "evidence": cell.evidence,
        "question": task.question,
    }
    if cell.state is not CellState.PRESENT:
        return shown | {"reason": cell.reason}
    column = m.scores.T[task_id].dropna().sort_values(ascending=False)
    return shown | {
        "rank in task": f"{int((column > column[system_id]).sum()) + 1} of {len(column)}",
        "best in task": f"{m.system(str(column.index[0])).name} ({column.iloc[0]:.3f})",
        "system's mean": f"{m.ranked[system_id].mean():.4f} over the {len(m.ranked)} ranked tasks",
    }


def _standing(root: Path, m: Material, task: Task, system: System) -> Row:
    """What was run again of a cell, as its runs stand now; where none is here, as the report has it."""
    from selu.commands import comparing

    now = comparing.cell_now(root, m, task, system)
    if now is None:
        return _earned(pulled_cells(root).get((task.id, system.id)))
    shown, reported = _earned(now), tracked_cells(root).get((task.id, system.id))
    if shown == _earned(reported):
        return shown
    value = reported and reported["value"]
    said = "has no such score" if value is None else f"says {value:.4f}"
    return shown | {"report": f"cells.json is older and {said}: 'selu report cells' makes it anew"}


def _earned(cell: Row | None) -> Row:
    """What was run again of a cell, or why nothing was."""
    if cell is None or cell["state"] == CellState.ABSENT_BY_DESIGN:
        return {}
    if cell["value"] is None:
        return {"rerun": f"{cell['state']}: {cell['reason']}"}
    shown: Row = {
        "evidence": cell["evidence"],
        "value": cell["value"],
        "interval": _interval(cell),
        "verdict": cell["verdict"],
        "rows": f"{cell['rows']:,} test rows ({cell['standing']})",
    }
    if cell["reason"]:
        shown["reason"] = cell["reason"]
    for part in ("strict", "current"):
        if cell[part]:
            shown[part] = cell[part]["value"]
    more = {name: cell[name] for name in ("run", "chosen", "seeds") if cell[name]}
    return shown | more
