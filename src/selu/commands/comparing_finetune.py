"""Parts ``finetuned`` and ``comparisons-finetuned`` of the report: systems that are not in the paper, run here.

``finetuned`` reads tracked files only. ``comparisons-finetuned`` resamples test rows, so it takes the prepared
rows and the predictions. Runs come over several sessions; one that is not there yet is a hole with its name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.benchmarks import catalogue
from selu.benchmarks.selu import cells
from selu.commands import comparing, planning, scoring
from selu.commands.planned import PROTOCOLS, RESULTS, Planned, Wanted, metric_of
from selu.commands.planning_baselines import SYSTEMS as BASELINES
from selu.commands.preparation import tracked_record
from selu.commands.recomputing import Scores
from selu.project import read_knobs
from selu.runs import record
from selu.systems.baseline.knobs import BootstrapKnobs
from selu.vocabulary import CellState, Kind, SeluError, System, Task

if TYPE_CHECKING:
    from selu.commands.resampling import Drawn

FINETUNED, COMPARISONS = "finetuned.json", "comparisons_finetuned.json"
PROTOCOL, DUPLICATES, BESIDE = "paper minus strict", "duplicates across the split", "minus a baseline, strict"
_COST = (
    "unit_seconds",
    "cpu_seconds",
    "useful_tokens",
    "computed_tokens",
    "flops",
    "joules",
    "peak_memory_bytes",
)
_USED = ("device", "attention", "precision", "bf16_products", "threads", "processes", "sharding")
Progress = Callable[[str], None]
Record = dict[str, Any]


def systems() -> list[System]:
    """Fine-tuned systems that are not in the paper."""
    return [extra.system for extra in catalogue.extra_systems("selu")]


def entries(root: Path, progress: Progress = lambda _: None) -> list[Record]:
    """Every cell of these systems, in the order of the tasks, with all its runs.

    Returns:
        per cell ``task``, ``system``, ``name``, ``kind``, ``metric``, ``standing``, ``state`` (present: every
        run of both protocols stands; otherwise the first other state, or "partly" where some runs stand),
        ``reason``, and ``paper`` and ``strict``: each ``runs`` and, where every seed stands, ``value`` (mean),
        ``lowest`` and ``highest`` seed, ``low`` and ``high`` (the seeds' outermost bounds), ``rows`` and
        ``cost`` (sums over the seeds), otherwise None.

    Raises:
        SeluError: no run is there at all, one is stale, damaged or not scored, or scores are not those of their
            predictions.
    """
    scores = Scores(root)
    found = [_cell(scores, task, system) for task in catalogue.tasks("selu") for system in systems()]
    runs = [run for cell in found for protocol in PROTOCOLS for run in cell[protocol]["runs"]]
    if all(run["state"] == record.State.MISSING for run in runs):
        names = " and ".join(system.id for system in systems())
        raise SeluError(f"{root / RESULTS} holds no run of {names}: run 'dvc pull', or 'selu run'.")
    unusable = (record.State.STALE, record.State.DAMAGED, comparing.NOT_SCORED)
    broken = [run for run in runs if run["state"] in unusable]
    if broken:
        raise SeluError(
            f"{len(broken)} runs can't be taken, first {broken[0]['name']} ({broken[0]['state']}): 'selu run' "
            "mends them, or 'dvc checkout --force results' brings the tracked ones back."
        )
    comparing.tell(scores, progress)
    return found


def _cell(scores: Scores, task: Task, system: System) -> Record:
    root = scores.root
    head = {
        "task": task.id,
        "system": system.id,
        "name": system.name,
        "kind": str(task.kind),
        "metric": str(task.metric),
        "standing": None,
    }
    if (absence := system.absence(task)) is not None:
        return head | _empty(str(CellState.ABSENT_BY_DESIGN), absence)
    standing = tracked_record(root, task.id)["standing"]
    head["standing"] = standing
    if standing == cells.SYNTHETIC:
        return head | _empty(cells.NO_DATA, "its data set was not at hand, and synthetic rows are left out")
    planned = planning.plan(root, Wanted(tasks=(task.id,), systems=(system.id,)))
    parts = {name: [_run(scores, run) for run in planned if run.protocol == name] for name in PROTOCOLS}
    states = [run["state"] for runs in parts.values() for run in runs]
    other = [state for state in dict.fromkeys(states) if state != cells.PRESENT]
    state = cells.PRESENT if not other else other[0] if cells.PRESENT not in states else "partly"
    return {
        **head,
        "state": state,
        "reason": _hole(parts) if other else None,
        **{name: _summary(runs) for name, runs in parts.items()},
    }


def _empty(state: str, reason: str) -> Record:
    return {"state": state, "reason": reason, **{name: _summary([]) for name in PROTOCOLS}}


def _hole(parts: dict[str, list[Record]]) -> str:
    """Which runs are not there, by what is known of them."""
    gone = [run for runs in parts.values() for run in runs if run["state"] != cells.PRESENT]
    total = sum(len(runs) for runs in parts.values())
    named = ", ".join(f"{run['name'].rpartition('/')[2]} {run['state']}" for run in gone)
    errors = dict.fromkeys(run["error"] for run in gone if run["error"])
    return "; ".join([f"{len(gone)} of {total} runs: {named}", *errors])


def _run(reader: Scores, run: Planned) -> Record:
    """A run in brief: its score on Table VI's scale, its curve and its cost."""
    state = record.state(run.folder, run.identity)
    entry: Record = {"name": run.name, "seed": run.seed, "state": str(state), "error": None}
    if state is record.State.FAILED:
        return entry | {"error": record.read_run(run.folder)["error"]}
    if state is not record.State.PRESENT:
        return entry
    if not scoring.current(reader.root, run):
        return entry | {"state": comparing.NOT_SCORED}
    content, scores = record.read_run(run.folder), reader.read(run.folder)
    metric = metric_of(run.task.kind)
    bounds = scores["intervals"][metric]
    low, high = sorted(cells.turned(metric, bounds[end]) for end in ("low", "high"))
    return {
        **entry,
        "value": cells.turned(metric, scores["value"]),
        "low": low,
        "high": high,
        "error_of_bounds": bounds["error"],
        "rows": scores["rows"],
        "grouped": scores["grouped"]["value"] and cells.turned(metric, scores["grouped"]["value"]),
        "rows_left": scores["grouped"]["rows"],
        "collapsed": content["collapsed"] or scores["constant"],
        "invalid": scores["scores"].get("invalid", 0),
        "picked_step": content["picked_step"],
        "steps": content["steps"],
        "stopped_early": _stopped_early(content),
        "truncated": content["truncated"],
        "pick": dict(content["fields"]["pick"]),
        "params": dict(content["fields"]["params"]),
        "history": [_evaluation(metric, entry) for entry in content["history"]],
        "cost": {name: content["cost"].get(name) for name in _COST},
        "used": {name: content["used"].get(name) for name in _USED},
        "machine": {name: content["machine"].get(name) for name in ("processor", "cores")},
    }


def _stopped_early(content: Record) -> bool:
    """Whether patience ended it before its last step: it may run out there, too, which stops nothing."""
    ended: float = content["history"][-1]["epoch"]
    return bool(content["stopped_early"]) and ended < content["fields"]["params"]["epochs"]


def _evaluation(metric: str, entry: Record) -> Record:
    score = entry["score"]
    return {**entry, "score": None if score is None else cells.turned(metric, score)}


def _summary(runs: Sequence[Record]) -> Record:
    """What the seeds say together; numbers only where every one of them stands."""
    names = ("value", "lowest", "highest", "low", "high", "rows", "cost")
    if not runs or any(run["state"] != cells.PRESENT for run in runs):
        return {**dict.fromkeys(names), "runs": list(runs)}
    values = [run["value"] for run in runs]
    costs = {name: [run["cost"][name] for run in runs] for name in _COST}
    summed = {name: None if None in of else math.fsum(of) for name, of in costs.items()}
    return {
        "value": cells.mean(values),
        "lowest": min(values),
        "highest": max(values),
        "low": min(run["low"] for run in runs),
        "high": max(run["high"] for run in runs),
        "rows": runs[0]["rows"],
        "cost": summed | {"peak_memory_bytes": max(costs["peak_memory_bytes"])},
        "runs": list(runs),
    }


def comparison_entries(root: Path, progress: Progress = lambda _: None) -> list[Record]:
    """Paired differences of the runs that stand, in the form of comparisons.json.

    Of kinds with one answer a row: protocol paper minus strict, all test rows minus those without a copy on the
    other side, and strict minus each baseline's strict. A comparison whose runs are not all there is left out.

    Raises:
        SeluError: the prepared rows of a task are not here, or nothing can be compared yet.
    """
    knobs = read_knobs(root, "selu", "bootstrap", BootstrapKnobs)
    found: list[Record] = []
    for task in catalogue.tasks("selu"):
        for system in systems():
            token = task.kind in (Kind.ENTITIES, Kind.MASKED)
            real = tracked_record(root, task.id)["standing"] != cells.SYNTHETIC
            if real and not token and system.absence(task) is None:
                found += _of_cell(root, task, system.id, knobs, progress)
    if not found:
        raise SeluError(
            f"{root / RESULTS} holds no task with every seed of a protocol: run 'dvc pull' to get the tracked "
            "runs, or 'selu run'."
        )
    return found


def _of_cell(
    root: Path, task: Task, system: str, knobs: BootstrapKnobs, progress: Progress
) -> Iterator[Record]:
    plan = planning.plan(root, Wanted(tasks=(task.id,), systems=(system,)))
    beside = planning.plan(root, Wanted(tasks=(task.id,), systems=BASELINES, protocols=("strict",)))
    groups: dict[tuple[str, str], list[Planned]] = {}
    for run in (*plan, *beside):
        groups.setdefault((run.system, run.protocol), []).append(run)
    whole = {key: runs for key, runs in groups.items() if all(_stands(run) for run in runs)}
    pairs = [
        (PROTOCOL, (system, "paper"), (system, "strict")),
        (DUPLICATES, (system, "strict"), (system, "strict")),
    ]
    pairs += [(BESIDE, (system, "strict"), (name, "strict")) for name in BASELINES]
    pairs = [pair for pair in pairs if pair[1] in whole and pair[2] in whole]
    if not pairs:
        return
    progress(f"comparisons: {task.id}/{system}")
    wanted = list(dict.fromkeys(key for _, *keys in pairs for key in keys))
    drawn, places, kept, metric = _draw(root, {key: whole[key] for key in wanted}, knobs)
    for what, first, second in pairs:
        difference = _difference(drawn, what, places[first], places[second], metric, knobs.level)
        yield _entry(what, whole[first], whole[second], difference, kept)


def _stands(run: Planned) -> bool:
    return record.state(run.folder, run.identity) is record.State.PRESENT


def _draw(
    root: Path, groups: dict[tuple[str, str], list[Planned]], knobs: BootstrapKnobs
) -> tuple[Drawn, dict[tuple[str, str], list[int]], list[bool], str]:
    """All answers scored on the same resamples, the places of each group's runs among them, the kept rows."""
    from selu.commands import resampling
    from selu.commands.prepared import rows_of

    runs = [run for group in groups.values() for run in group]
    rows = rows_of(root, runs[0])
    test = rows[rows["part"] == "test"]
    kept = (test["grouped"] == "test").tolist()
    task, metric = runs[0].task, metric_of(runs[0].task.kind)
    drawn = resampling.draw(
        str(task.kind),
        test["label"].tolist(),
        [scoring.read_predictions(run.folder, rows) for run in runs],
        kept,
        len(task.labels),
        metric,
        knobs.draws,
        knobs.seed,
    )
    places, at = {}, 0
    for key, group in groups.items():
        places[key] = list(range(at, at + len(group)))
        at += len(group)
    return drawn, places, kept, metric


def _difference(
    drawn: Drawn, what: str, first: Sequence[int], second: Sequence[int], metric: str, level: float
) -> Record:
    """Mean over the seeds of the first minus that of the second, on Table VI's scale."""
    from selu.commands import resampling

    others, other_draws = (
        (drawn.kept, drawn.kept_draws) if what == DUPLICATES else (drawn.full, drawn.full_draws)
    )
    sign = -1.0 if metric == "smape" else 1.0
    value = sign * (cells.mean(drawn.full[first].tolist()) - cells.mean(others[second].tolist()))
    resampled = sign * (drawn.full_draws[first].mean(axis=0) - other_draws[second].mean(axis=0))
    return dict(resampling.bounds(value, resampled, level)._asdict())


def _entry(
    what: str, first: Sequence[Planned], second: Sequence[Planned], difference: Record, kept: Sequence[bool]
) -> Record:
    task = first[0].task
    return {
        "task": task.id,
        "system": first[0].system,
        "beside": second[0].system,
        "kind": str(task.kind),
        "metric": str(task.metric),
        "standing": first[0].standing,
        "what": what,
        "first": [run.folder.name for run in first],
        "second": [run.folder.name for run in second],
        **difference,
        "seeds": len(first),
        "rows": len(kept),
        "rows_left": sum(kept) if what == DUPLICATES else None,
    }
