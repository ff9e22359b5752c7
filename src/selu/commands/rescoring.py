"""``selu rescore``: the predictions that the authors publish, scored against labels read from the source.

What is tracked are scores, confusion matrices and hashes (``reports/selu/rescored.json``); the predictions are
third-party files and stay on this machine. A cell that can't be scored now is listed with the reason, and never
takes the place of one that was scored before.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.project import load_selu, read_json, read_knobs, write_atomic
from selu.vocabulary import CellState, Evidence, SeluError, Task

if TYPE_CHECKING:
    from selu.benchmarks.selu.material import Material
    from selu.benchmarks.selu.rescored import Draws, Truth
    from selu.sources.cells import TaskCells
    from selu.sources.network import Network

PINS = Path("data") / "pins" / "selu" / "predictions"
RAW = Path("data") / "raw" / "selu" / "predictions"
REPORT = Path("reports") / "selu" / "rescored.json"
TABLE = "table6"
PRESENT, FAILED, INVALID = str(CellState.PRESENT), str(CellState.FAILED), str(CellState.INVALID)
_NOT_AT_HAND = "The authors' predictions were not at hand when this was computed."
Progress = Callable[[str], None]
Entry = dict[str, Any]


@dataclass
class _Job:
    """One call: where files lie, what is printed, how intervals are drawn."""

    root: Path
    material: Material
    draws: Draws
    local: tuple[Path, ...]
    say: Progress
    _network: Network | None = field(default=None)

    @property
    def network(self) -> Network:
        """Made on first use, and shared, so that a host out of reach is waited for once."""
        from selu.sources.network import Network

        self._network = self._network or Network()
        return self._network


def rescore(
    root: Path,
    tasks: Sequence[str] = (),
    systems: Sequence[str] = (),
    predictions_dir: Path | None = None,
    mirror: Path | None = None,
    progress: Progress = lambda _: None,
) -> dict[str, Any]:
    """Score published predictions; writes reports/selu/rescored.json after each task.

    Args:
        tasks: tasks, or cells as TASK/SYSTEM; all that have published predictions when empty.
        systems: of the tasks named as a whole, only these systems.
        predictions_dir: folder laid out as <task>/<system>/test_predictions.csv; without it, the one that
            SELU_PREDICTIONS names, if any.
        mirror: mirror of the data sets; may hold such a folder as selu/predictions.

    The file holds the scored cells, and the others grouped by the reason that was found first. A cell that
    was scored before stays, as long as the pinned file and the labels are still the same.

    Returns:
        ``cells``: one entry per cell asked for, in the paper's order (state present, failed or invalid);
        ``written``: the tracked file, or None when it stands as it was.

    Raises:
        SeluError: an unknown task or system, a damaged pin or tracked file, a folder that is none.
    """
    from selu.benchmarks.selu.rescored import Draws
    from selu.sources.cells import read_cells
    from selu.systems.baseline.knobs import BootstrapKnobs

    pins = read_cells(root / PINS)
    knobs = read_knobs(root, "selu", "bootstrap", BootstrapKnobs)
    material = load_selu(root)
    asked = _asked(material, pins, tasks, systems)
    draws = Draws(knobs.draws, knobs.seed, knobs.level)
    job = _Job(root, material, draws, _folders(predictions_dir, mirror), progress)
    known = _tracked(root)
    entries: list[Entry] = []
    written = False
    for task, wanted in asked.items():
        new = _task(job, material.task(task), pins[task], wanted)
        entries += new
        written |= _write(root, material, pins, known, new)
    return {"cells": entries, "written": root / REPORT if written else None}


def shown(record: Mapping[str, Any]) -> list[Entry]:
    """A row per cell that was scored or refused, or per cell where none was."""
    cells = [cell for cell in record["cells"] if cell["state"] != FAILED] or record["cells"]
    return [
        {
            "cell": f"{cell['task']}/{cell['system']}",
            "state": cell["state"],
            "score": cell.get("value"),
            "reported": cell.get("their_value"),
            "printed": cell["printed"],
            "verdict": cell.get("verdict"),
        }
        for cell in cells
    ]


def summary(record: Mapping[str, Any]) -> str:
    """How many cells were scored, how they stand, and how many were not, in one sentence."""
    cells: list[Entry] = record["cells"]
    scored = [cell for cell in cells if cell["state"] == PRESENT]
    equal = sum(cell["verdict"] == "equal" for cell in scored)
    differ = [f"{cell['task']}/{cell['system']}" for cell in scored if cell["verdict"] == "differs"]
    invalid = [f"{cell['task']}/{cell['system']}" for cell in cells if cell["state"] == INVALID]
    parts = [f"{len(scored)} of {len(cells)} cells are re-scored, {equal} equal to the authors' report"]
    parts += [f"different: {', '.join(differ)}"] if differ else []
    parts += [f"refused: {', '.join(invalid)}"] if invalid else []
    missing = sum(cell["finding"] == _NOT_AT_HAND for cell in cells)
    parts += [f"not at hand: {missing} (give a folder of them with --predictions)"] if missing else []
    return "; ".join(parts) + "."


def failed(record: Mapping[str, Any], named: bool) -> bool:
    """Whether a file was refused, or a cell that was asked for by name (``named``) is not scored."""
    return any(cell["state"] == INVALID or (named and cell["state"] != PRESENT) for cell in record["cells"])


def _asked(
    material: Material, pins: Mapping[str, TaskCells], tasks: Sequence[str], systems: Sequence[str]
) -> dict[str, list[str]]:
    """Task -> systems, in the paper's order."""
    from selu.commands.listing import find, nearest

    only = [find(name, material) for name in systems]
    chosen: dict[str, set[str]] = {}
    for name in tasks or pins:
        task, slash, system = name.partition("/")
        if task not in pins:
            raise nearest(task, pins, "task")
        held = pins[task].cells
        if slash:
            system = find(system, material)
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


def _folders(predictions_dir: Path | None, mirror: Path | None) -> tuple[Path, ...]:
    named = os.environ.get("SELU_PREDICTIONS")
    first = predictions_dir or (Path(named) if named else None)
    if first is not None and not first.is_dir():
        raise SeluError(
            f"{first} is not a folder: give the one with <task>/<system>/test_predictions.csv, or none."
        )
    second = mirror / "selu" / "predictions" if mirror else None
    return tuple(folder for folder in (first, second) if folder is not None and folder.is_dir())


def _task(job: _Job, task: Task, cells: TaskCells, wanted: Sequence[str]) -> list[Entry]:
    """The cells of a task; where its rows are not the authors', nothing is fetched for it."""
    from selu.commands.truth import UnusableError, digest, read

    try:
        truth = read(job.root, task, job.say)
    except UnusableError as reason:
        job.say(f"{task.id}: {reason}")
        return [_entry(job, task, cells, system, FAILED, str(reason)) for system in wanted]
    labels = {"standing": truth.standing, "sha256": digest(truth)}
    found = []
    for system in wanted:
        found.append({**_cell(job, task, cells, system, truth), "labels": labels})
        if found[-1]["state"] != FAILED:
            job.say(f"{task.id}/{system}: {found[-1]['finding']}")
    return found


def _cell(job: _Job, task: Task, cells: TaskCells, system: str, truth: Truth) -> Entry:
    from selu.benchmarks.selu.rescored import rescore as scores
    from selu.sources.cells import obtain
    from selu.sources.verify import RefusedError, UnavailableError

    name = f"{task.id}/{system}"
    try:
        had = obtain(cells, system, job.root / RAW, job.local, job.network, job.say)
    except UnavailableError:  # fetching has said why
        return _entry(job, task, cells, system, FAILED, _NOT_AT_HAND)
    except RefusedError as error:
        job.say(str(error))
        return _entry(
            job, task, cells, system, INVALID, f"The file that was found for {name} is not the pinned one."
        )
    except (SeluError, OSError) as error:
        job.say(f"{name}: {error}")
        return _entry(job, task, cells, system, FAILED, _NOT_AT_HAND)
    pinned = cells.cells[system].predictions is not None
    printed = _printed(job.material, task, system)
    try:
        scored = scores(task, truth, had.predictions, had.results, printed, job.draws, pinned, name)
    except SeluError as error:
        return _entry(job, task, cells, system, INVALID, str(error))
    head = _entry(job, task, cells, system, PRESENT, scored.pop("finding"))
    head["source"]["sha256"] = hashlib.sha256(had.predictions).hexdigest()
    head["source"]["results_sha256"] = (
        hashlib.sha256(had.results).hexdigest() if had.results is not None else None
    )
    return {**head, **scored}


def _entry(job: _Job, task: Task, cells: TaskCells, system: str, state: str, finding: str) -> Entry:
    run = cells.cells[system]
    return {
        "task": task.id,
        "system": system,
        "state": state,
        "evidence": str(Evidence.RE_SCORED) if state == PRESENT else str(Evidence.PRINTED),
        "finding": finding,
        "printed": _printed(job.material, task, system),
        "source": {
            "repository": cells.repository,
            "commit": cells.commit,
            "path": cells.file(system, "test_predictions.csv").path,
            "pinned": run.predictions is not None,
            "sha256": run.predictions.sha256 if run.predictions else None,
        },
    }


def _printed(material: Material, task: Task, system: str) -> str:
    return material.printed(TABLE, task.id, material.system(system).name)


def _tracked(root: Path) -> dict[tuple[str, str], Entry]:
    path = root / REPORT
    if not path.exists():
        return {}
    try:
        record = read_json(path, "selu rescore", ("cells", "not_scored"))
        known = {(cell["task"], cell["system"]): cell for cell in record["cells"]}
        for group in record["not_scored"]:
            alike = {key: group[key] for key in ("task", "state", "finding")}
            known |= {(group["task"], system): {**alike, "system": system} for system in group["systems"]}
        return known
    except (SeluError, KeyError, TypeError):
        raise SeluError(
            f"{path} is damaged: run 'dvc checkout --force {path}', or delete it and run 'selu rescore' again."
        ) from None


def _write(
    root: Path,
    material: Material,
    pins: Mapping[str, TaskCells],
    known: dict[tuple[str, str], Entry],
    new: Sequence[Entry],
) -> bool:
    """Put new entries among the tracked ones and write them, if that changes the file."""
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
    path = root / REPORT
    if path.exists() and path.read_text("utf-8") == content:
        return False
    write_atomic(path, content)
    return True


def _stands(old: Entry | None, new: Entry) -> bool:
    """Whether a scored entry is still of the pinned file and labels, so that a failure must not replace it."""
    if old is None or old["state"] != PRESENT:
        return False
    same = all(old["source"][part] == new["source"][part] for part in ("repository", "commit", "path"))
    same &= new.get("labels") in (None, old["labels"])
    return same and new["source"]["sha256"] in (None, old["source"]["sha256"])
