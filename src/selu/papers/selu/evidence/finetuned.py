"""Parts ``finetuned`` and ``comparisons-finetuned`` of the report: systems that are not in the paper, run here.

``finetuned`` reads tracked files only. ``comparisons-finetuned`` resamples test rows, so it takes the prepared
rows and the predictions. Runs come over several sessions; one that is not there yet is a hole with its name.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import cast, get_args

from selu.contents import RunContent
from selu.papers.claims import listed
from selu.papers.evidence import Evidence, Progress, RunSeen
from selu.papers.selu import design
from selu.papers.selu.evidence.differences import DUPLICATES, Pair, differences
from selu.papers.selu.evidence.runs import (
    BASELINES,
    NOT_SCORED,
    PROTOCOLS,
    no_runs,
    refuse_unusable,
    tell,
)
from selu.papers.selu.records.finetuned import (
    CellBody,
    CellHead,
    Evaluation,
    FinetunedCell,
    ProtocolScore,
    Spent,
    TrainedRun,
    TrainingCost,
    Used,
)
from selu.papers.selu.records.reruns import ComparisonBeside, Part
from selu.papers.selu.reruns import cells
from selu.vocabulary import CellState, Kind, RunState, SeluError, System, Task

PROTOCOL, BESIDE = "paper minus strict", "minus a baseline, strict"


def systems() -> list[System]:
    """Return fine-tuned systems that are not in the paper."""
    return [extra.system for extra in design.others()]


def entries(evidence: Evidence, progress: Progress = lambda _: None) -> list[FinetunedCell]:
    """Return every cell of the systems that were run, in the order of the tasks, with all its runs.

    A protocol under which a system was run on no task at all was not asked for: it has no runs, and is no hole.

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
    asked = {system.id: (system, _protocols(evidence, system)) for system in systems()}
    if not any(protocols for _, protocols in asked.values()):
        raise no_runs(f" of {listed(asked)}")
    found = [
        _cell(evidence, task, system, protocols)
        for task in design.tasks()
        for system, protocols in asked.values()
        if protocols
    ]
    runs = [run for cell in found for protocol in PROTOCOLS for run in cell[protocol]["runs"]]
    refuse_unusable((run["name"], run["state"]) for run in runs)
    tell(evidence, progress)
    return found


def _protocols(evidence: Evidence, system: System) -> list[str]:
    """List the protocols under which a system was run."""
    ran = {run.protocol for run in evidence.runs((), (system.id,)) if run.state != RunState.MISSING}
    return [name for name in PROTOCOLS if name in ran]


def _cell(evidence: Evidence, task: Task, system: System, protocols: Sequence[str]) -> FinetunedCell:
    head: CellHead = {
        "task": task.id,
        "system": system.id,
        "name": system.name,
        "kind": str(task.kind),
        "metric": str(task.metric),
        "standing": None,
    }
    if (absence := design.absence(system, task)) is not None:
        return {**head, **_empty(str(CellState.ABSENT_BY_DESIGN), absence)}
    head["standing"] = availability = evidence.data(task.id)["standing"]
    if availability == cells.SYNTHETIC:
        return {**head, **_empty(cells.NO_DATA, cells.NO_ROWS)}
    runs = [run for run in evidence.runs((task.id,), (system.id,)) if run.protocol in protocols]
    parts = {name: [_run(evidence, run) for run in runs if run.protocol == name] for name in PROTOCOLS}
    states = [run["state"] for runs in parts.values() for run in runs]
    other = [state for state in dict.fromkeys(states) if state != cells.PRESENT]
    state = cells.PRESENT if not other else other[0] if cells.PRESENT not in states else "partly"
    return {
        **head,
        "state": state,
        "reason": _hole(parts) if other else None,
        "paper": _summary(parts["paper"]),
        "strict": _summary(parts["strict"]),
    }


def _empty(state: str, reason: str) -> CellBody:
    return {"state": state, "reason": reason, "paper": _summary([]), "strict": _summary([])}


def _hole(parts: Mapping[Part, Sequence[TrainedRun]]) -> str:
    """Describe which runs are missing, and why if it is known."""
    runs = [run for part in parts.values() for run in part]
    gone = sum(run["state"] != cells.PRESENT for run in runs)
    named = cells.holes((run["name"], run["state"], run["error"]) for run in runs)
    return f"{gone} of {len(runs)} runs: {named}"


def _run(evidence: Evidence, run: RunSeen) -> TrainedRun:
    """Summarize a run: its score on Table VI's scale, its curve and its cost."""
    entry: TrainedRun = {"name": run.name, "seed": run.seed, "state": str(run.state), "error": run.error}
    if run.state != RunState.PRESENT:
        return entry
    scores = evidence.scores(run)
    if scores is None:
        return {**entry, "state": NOT_SCORED}
    content = run.record
    metric = scores["metric"]
    return {
        **entry,
        **cells.bounds(scores),
        "error_of_bounds": scores["intervals"][metric]["error"],
        "rows": scores["rows"],
        "grouped": scores["grouped"]["value"] and cells.turned(metric, scores["grouped"]["value"]),
        "rows_left": scores["grouped"]["rows"],
        "collapsed": content["collapsed"] or scores["constant"],
        "invalid": scores["scores"].get("invalid", 0),
        "picked_step": content["picked_step"],
        "steps": content["steps"],
        "stopped_early": _stopped_early(content),
        "truncated": content["truncated"],
        "pick": content["fields"]["pick"],
        "params": dict(content["fields"]["params"]),
        "history": [_evaluation(metric, cast(Evaluation, entry)) for entry in content["history"]],
        "cost": cast(TrainingCost, {name: content["cost"].get(name) for name in TrainingCost.__annotations__}),
        "used": cast(Used, {name: content["used"].get(name) for name in Used.__annotations__}),
        "machine": {"processor": content["machine"].get("processor"), "cores": content["machine"].get("cores")},
    }


def _stopped_early(content: RunContent) -> bool:
    """Return whether patience ended a training early: before its last step, where it stops nothing."""
    ended: float = content["history"][-1]["epoch"]
    return bool(content["stopped_early"]) and ended < content["fields"]["params"]["epochs"]


def _evaluation(metric: str, entry: Evaluation) -> Evaluation:
    score = entry["score"]
    return {**entry, "score": None if score is None else cells.turned(metric, score)}


def _summary(runs: Sequence[TrainedRun]) -> ProtocolScore:
    """Combine the seeds; gives numbers only if the run of each seed is present."""
    if not runs or any(run["state"] != cells.PRESENT for run in runs):
        return cast(ProtocolScore, dict.fromkeys(ProtocolScore.__annotations__) | {"runs": list(runs)})
    values = [run["value"] for run in runs]
    return {
        "value": cells.mean(values),
        "lowest": min(values),
        "highest": max(values),
        "low": min(run["low"] for run in runs),
        "high": max(run["high"] for run in runs),
        "rows": runs[0]["rows"],
        "cost": _summed([run["cost"] for run in runs]),
        "runs": list(runs),
    }


def _summed(costs: Sequence[TrainingCost]) -> TrainingCost:
    def total(name: Spent) -> float | None:
        values = [cost[name] for cost in costs]
        return math.fsum(value for value in values if value is not None) if None not in values else None

    peak = {"peak_memory_bytes": max(cost["peak_memory_bytes"] for cost in costs)}
    return cast(TrainingCost, {name: total(name) for name in get_args(Spent)} | peak)


def comparison_entries(evidence: Evidence, progress: Progress = lambda _: None) -> list[ComparisonBeside]:
    """Return paired differences of the present runs, in the form of comparisons.json.

    Of kinds with one answer a row: protocol paper minus strict, all test rows minus those without a copy on the
    other side, and strict minus each baseline's strict. A comparison whose runs are not all there is left out.

    Raises:
        SeluError: the prepared rows of a task are not here, or nothing can be compared yet.
    """
    found: list[ComparisonBeside] = []
    for task in design.tasks():
        for system in systems():
            token = task.kind in (Kind.ENTITIES, Kind.MASKED)
            real = evidence.data(task.id)["standing"] != cells.SYNTHETIC
            if real and not token and design.absence(system, task) is None:
                found += _of_cell(evidence, task, system.id, progress)
    if not found:
        raise SeluError(
            f"{design.RESULTS} holds no task with every seed of a protocol: run 'dvc pull' to get the tracked "
            "runs, or 'selu run'."
        )
    return found


def _of_cell(evidence: Evidence, task: Task, system: str, progress: Progress) -> Iterator[ComparisonBeside]:
    groups: dict[tuple[str, str], list[RunSeen]] = {}
    for run in (*evidence.runs((task.id,), (system,)), *evidence.runs((task.id,), BASELINES, ("strict",))):
        groups.setdefault((run.system, run.protocol), []).append(run)
    whole = {
        key: runs
        for key, runs in groups.items()
        if all(run.state == RunState.PRESENT for run in runs)
    }  # fmt: skip
    keys = [
        (PROTOCOL, (system, "paper"), (system, "strict")),
        (DUPLICATES, (system, "strict"), (system, "strict")),
        *((BESIDE, (system, "strict"), (name, "strict")) for name in BASELINES),
    ]
    pairs = [
        Pair(what, whole[first], whole[second])
        for what, first, second in keys
        if first in whole and second in whole
    ]
    if pairs:
        progress(f"comparisons: {task.id}/{system}")
        runs = {run.name: run for pair in pairs for side in (pair.first, pair.second) for run in side}
        yield from differences(evidence, list(runs.values()), pairs)
