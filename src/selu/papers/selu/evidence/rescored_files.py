"""``selu rescore``: the authors' published predictions, scored against the original labels.

What is tracked are scores, confusion matrices and hashes (``reports/selu/rescored.json``); the predictions are
third-party files and stay on this machine. A cell that can't be scored now is listed with the reason, and never
takes the place of one that was scored before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from selu.files import read_json, write_atomic
from selu.names import find, nearest
from selu.papers.evidence import PinnedCells, Predictions, Progress, Record, Rescored, Truth
from selu.papers.selu.records.rescored import Labels, RescoredCell, Source
from selu.vocabulary import CellState, Evidence, SeluError, Task

if TYPE_CHECKING:
    from selu.papers.selu.material import Material

TABLE, PREDICTIONS = "table6", "test_predictions.csv"
PRESENT, FAILED, INVALID = str(CellState.PRESENT), str(CellState.FAILED), str(CellState.INVALID)
_NOT_AT_HAND = "The authors' predictions were not available here when this was computed."


def rescore(published: Predictions, progress: Progress = lambda _: None) -> Rescored:
    """Score published predictions; writes the tracked record after each task.

    Of the tasks that are named as a whole, or all, the systems that are named are scored, or all; a task may be
    named as a cell, TASK/SYSTEM. The record holds the scored cells, and the others grouped by the reason that
    was found first. A cell that was scored before stays, as long as the pinned file and the labels are still
    the same; so does what the authors' report said of it, where that is not available now.

    Returns:
        as its record one entry per cell asked for, in the paper's order (state present, failed or invalid).

    Raises:
        SeluError: an unknown task or system, a damaged pin or tracked file.
    """
    material: Material = published.evidence.published()
    pins = published.cells()
    asked = _asked(material, pins, published.tasks, published.systems)
    known = _tracked(published)
    entries: list[RescoredCell] = []
    for task, wanted in asked.items():
        new = _task(published, material, material.task(task), pins[task], wanted, known, progress)
        entries += new
        _write(published, material, pins, known, new)
    named = bool(published.tasks or published.systems)
    return Rescored(entries, shown(entries), summary(entries), failed(entries, named))


def shown(entries: Sequence[RescoredCell]) -> list[Record]:
    """Return a row per cell that was scored or refused; the summary says why the others are not."""
    return [
        {
            "cell": f"{cell['task']}/{cell['system']}",
            "state": cell["state"],
            "score": cell.get("value"),
            "reported": cell.get("their_value"),
            "printed": cell["printed"],
            "verdict": cell.get("verdict"),
        }
        for cell in entries
        if cell["state"] != FAILED
    ]


def summary(cells: Sequence[RescoredCell]) -> str:
    """Summarize in one sentence how many scores were re-scored, with what result, and how many were not."""
    scored = [cell for cell in cells if cell["state"] == PRESENT]
    equal = sum(cell["verdict"] == "equal" for cell in scored)
    differ = [f"{cell['task']}/{cell['system']}" for cell in scored if cell["verdict"] == "differs"]
    invalid = [f"{cell['task']}/{cell['system']}" for cell in cells if cell["state"] == INVALID]
    parts = [f"{len(scored)} of {len(cells)} cells are re-scored, {equal} equal to the authors' report"]
    parts = parts if scored else [f"None of {len(cells)} cells is re-scored"]
    parts += [f"different: {', '.join(differ)}"] if differ else []
    parts += [f"refused: {', '.join(invalid)}"] if invalid else []
    return "; ".join(parts + _lacking(cells)) + "."


def _lacking(cells: Sequence[RescoredCell]) -> list[str]:
    """List what is missing for the scores that are not re-scored, each cause once."""
    left = {(cell["task"], cell["finding"]) for cell in cells if cell["state"] == FAILED}
    missing = sum(cell["finding"] == _NOT_AT_HAND for cell in cells)
    absent = sorted(task for task, why in left if f"run 'selu prepare {task}'" in why)
    other = sorted(task for task, why in left if why != _NOT_AT_HAND and task not in absent)
    parts = [f"predictions not available here: {missing} (give a folder of them with --predictions)"]
    parts += [f"rows not prepared: {_tasks(absent)} (run 'selu prepare TASK')"]
    parts += [f"rows here that are not the authors' rows: {_tasks(other)}"]
    return [part for part, found in zip(parts, (missing, absent, other), strict=True) if found]


def _tasks(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{len(names)} tasks"


def failed(cells: Sequence[RescoredCell], named: bool) -> bool:
    """Return whether a file was refused, none is scored, or one that was named (``named``) is not."""
    scored = [cell for cell in cells if cell["state"] == PRESENT]
    return any(cell["state"] == INVALID for cell in cells) or not scored or (named and len(scored) < len(cells))


def _asked(
    material: Material, pins: Mapping[str, PinnedCells], tasks: Sequence[str], systems: Sequence[str]
) -> dict[str, list[str]]:
    """Return the selected systems by task, in the paper's order."""
    only = [find(name, material.systems, "system") for name in systems]
    chosen: dict[str, set[str]] = {}
    for name in tasks or pins:
        task, slash, system = name.partition("/")
        if task not in pins:
            raise nearest(task, pins, "task")
        held = pins[task].cells
        if slash:
            system = find(system, material.systems, "system")
            if system not in held:
                raise SeluError(
                    f"the authors' package holds no predictions of {task}/{system}: {pins[task].note}"
                )
            chosen.setdefault(task, set()).add(system)
        else:
            chosen.setdefault(task, set()).update(s for s in held if not only or s in only)
    if not any(chosen.values()):
        raise SeluError(
            "there are no published predictions of what was asked for; data/pins/selu/predictions lists them."
        )
    order = [system.id for system in material.systems]
    return {task: sorted(chosen[task], key=order.index) for task in material.task_ids() if chosen.get(task)}


def _task(
    published: Predictions,
    paper: Material,
    task: Task,
    cells: PinnedCells,
    wanted: Sequence[str],
    known: Mapping[tuple[str, str], RescoredCell],
    say: Progress,
) -> list[RescoredCell]:
    """Return the re-scored entries of a task; nothing is fetched if its rows are not the authors'."""
    truth = published.labels(task)
    if isinstance(truth, str):
        return [_entry(paper, task, cells, system, FAILED, truth) for system in wanted]
    labels: Labels = {"standing": truth.availability, "sha256": _digest(truth)}
    found: list[RescoredCell] = []
    for system in wanted:
        new: RescoredCell = {**_cell(published, paper, task, cells, system, truth), "labels": labels}
        found.append(_with_report(known.get((task.id, system)), new))
        if found[-1]["state"] != FAILED:
            say(f"{task.id}/{system}: {found[-1]['finding']}")
    return found


def _cell(
    published: Predictions, paper: Material, task: Task, cells: PinnedCells, system: str, truth: Truth
) -> RescoredCell:
    from selu.papers.selu.reruns import rescored

    name, had = f"{task.id}/{system}", published.obtain(task.id, system)
    if had is None:  # reason given
        return _entry(paper, task, cells, system, FAILED, _NOT_AT_HAND)
    if had.predictions is None:
        why = f"The file that was found for {name} is not the pinned one."
        return _entry(paper, task, cells, system, INVALID, why)
    pinned = cells.file(system, PREDICTIONS).sha256 is not None
    cell = rescored.Published(name, had.predictions, had.results, _published(paper, task, system), pinned)
    try:
        scored = rescored.rescore(task, truth, cell, published.evidence.draws)
    except SeluError as error:
        return _entry(paper, task, cells, system, INVALID, str(error))
    head = _entry(paper, task, cells, system, PRESENT, scored["finding"])
    head["source"]["sha256"] = hashlib.sha256(had.predictions).hexdigest()
    head["source"]["results_sha256"] = (
        hashlib.sha256(had.results).hexdigest() if had.results is not None else None
    )
    return {**head, **scored}


def _with_report(old: RescoredCell | None, new: RescoredCell) -> RescoredCell:
    """Keep the authors' report on the same predictions, labels and score if it is missing now."""
    if new["state"] != PRESENT or new["source"]["results_sha256"] is not None or not _stands(old, new):
        return new
    assert old is not None
    if (old["value"], old["printed"]) != (new["value"], new["printed"]):
        return new
    source: Source = {**new["source"], "results_sha256": old["source"].get("results_sha256")}
    return {
        **new,
        "finding": old["finding"],
        "their_value": old["their_value"],
        "verdict": old["verdict"],
        "apart": old["apart"],
        "flips": old["flips"],
        "flips_settle": old["flips_settle"],
        "source": source,
    }


def _digest(truth: Truth) -> str:
    """Return the sha256 of the rows' ids and labels."""
    rows = [[name, label] for name, label in zip(truth.ids, truth.labels.tolist(), strict=True)]
    return hashlib.sha256(json.dumps(rows, separators=(",", ":")).encode()).hexdigest()


def _entry(
    paper: Material, task: Task, cells: PinnedCells, system: str, state: str, finding: str
) -> RescoredCell:
    file = cells.file(system, PREDICTIONS)
    return {
        "task": task.id,
        "system": system,
        "state": state,
        "evidence": str(Evidence.RE_SCORED) if state == PRESENT else str(Evidence.PUBLISHED),
        "finding": finding,
        "printed": _published(paper, task, system),
        "source": {
            "repository": cells.repository,
            "commit": cells.commit,
            "path": file.path,
            "pinned": file.sha256 is not None,
            "sha256": file.sha256,
        },
    }


def _published(material: Material, task: Task, system: str) -> str:
    return material.published(TABLE, task.id, material.system(system).name)


def _tracked(published: Predictions) -> dict[tuple[str, str], RescoredCell]:
    path = published.report
    if not path.exists():
        return {}
    try:
        record = read_json(path, "selu rescore", ("cells", "not_scored"))
        known: dict[tuple[str, str], RescoredCell] = {
            (cell["task"], cell["system"]): cell for cell in record["cells"]
        }
        for group in record["not_scored"]:
            for system in group["systems"]:
                known[group["task"], system] = {
                    "task": group["task"],
                    "state": group["state"],
                    "finding": group["finding"],
                    "system": system,
                }
        return known
    except (SeluError, KeyError, TypeError):
        raise SeluError(
            f"{path} is damaged: run 'dvc checkout --force {path}', or delete it and run 'selu rescore' again."
        ) from None


def _write(
    published: Predictions,
    material: Material,
    pins: Mapping[str, PinnedCells],
    known: dict[tuple[str, str], RescoredCell],
    new: Sequence[RescoredCell],
) -> None:
    """Merge new entries into the tracked ones and write them, if that changes the file."""
    for entry in new:
        key = entry["task"], entry["system"]
        old = known.get(key)
        again = old is not None and old["state"] != PRESENT and entry["state"] == FAILED  # nothing new is known
        if entry["state"] == PRESENT or not (again or _stands(old, entry)):
            known[key] = entry
    order = [(task, system.id) for task in material.task_ids() for system in material.systems]
    cells = [known[key] for key in order if key in known and key[0] in pins and key[1] in pins[key[0]].cells]
    groups: dict[tuple[str, str, str], list[str]] = {}
    for cell in cells:
        if cell["state"] != PRESENT:
            groups.setdefault((cell["task"], cell["state"], cell["finding"]), []).append(cell["system"])
    record = {
        "cells": [cell for cell in cells if cell["state"] == PRESENT],
        "not_scored": [
            {"task": task, "state": state, "finding": finding, "systems": systems}
            for (task, state, finding), systems in groups.items()
        ],
    }
    content = json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    path = published.report
    if not path.exists() or path.read_text("utf-8") != content:
        write_atomic(path, content)


def _stands(old: RescoredCell | None, new: RescoredCell) -> bool:
    """Return whether an entry is still of the pinned file and labels, so that no failure may replace it."""
    if old is None or old["state"] != PRESENT:
        return False
    before, now = old["source"], new["source"]
    same = (before["repository"], before["commit"], before["path"]) == (
        now["repository"],
        now["commit"],
        now["path"],
    )
    same &= new.get("labels") in (None, old["labels"])
    return same and new["source"]["sha256"] in (None, old["source"]["sha256"])
