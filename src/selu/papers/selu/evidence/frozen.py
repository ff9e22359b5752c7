"""Part ``frozen`` of the report: sentence encoders that are not trained, under a linear head."""

from __future__ import annotations

from typing import cast

from selu.papers.evidence import Evidence, Progress, RunSeen
from selu.papers.selu import design
from selu.papers.selu.evidence.runs import NOT_SCORED, no_runs, refuse_unusable, tell
from selu.papers.selu.records.finetuned import FrozenCell, FrozenHead, FrozenScore, FrozenValues
from selu.papers.selu.reruns import cells
from selu.vocabulary import CellState, Kind, RunState, Task

# Declared in data/params/selu.yaml; not in the paper.
SYSTEMS = {"minilm-linear": "MiniLM-L6 (frozen)", "mpnet-linear": "all-mpnet-base-v2 (frozen)"}
_NONE = cast(FrozenValues, dict.fromkeys(FrozenValues.__annotations__))


def entries(evidence: Evidence, progress: Progress = lambda _: None) -> list[FrozenCell]:
    """Return a record for each task and encoder, in the order of the tasks.

    Returns:
        ``task``, ``system``, ``name``, ``metric``, ``standing``, ``state``, ``reason`` (why there is no score),
        and of a run that is here ``value``, ``low`` and ``high`` on Table VI's scale, ``rows``, ``C`` (as it
        was picked on validation rows) and ``cpu_seconds``; otherwise None.

    Raises:
        SeluError: no run is there at all, one is stale, damaged or not scored, or scores are not those of their
            predictions.
    """
    found = [_entry(evidence, task, system) for task in design.tasks() for system in SYSTEMS]
    if all(entry["value"] is None for entry in found):
        raise no_runs(f" of {' and '.join(SYSTEMS)}")
    refuse_unusable((f"{entry['task']}/{entry['system']}", entry["state"]) for entry in found)
    tell(evidence, progress)
    return found


def _entry(evidence: Evidence, task: Task, system: str) -> FrozenCell:
    availability = evidence.data(task.id)["standing"]
    head: FrozenHead = {
        "task": task.id,
        "system": system,
        "name": SYSTEMS[system],
        "metric": str(task.metric),
        "standing": availability,
    }
    if task.kind in (Kind.ENTITIES, Kind.MASKED):
        why = "the encoder gives one vector per text, and the task asks for answers to its words"
        return {**head, "state": str(CellState.ABSENT_BY_DESIGN), "reason": why, **_NONE}
    if availability == cells.SYNTHETIC:
        return {**head, "state": cells.NO_DATA, "reason": cells.NO_ROWS, **_NONE}
    (run,) = evidence.runs((task.id,), (system,))
    return {**head, **_of_run(evidence, run)}


def _of_run(evidence: Evidence, run: RunSeen) -> FrozenScore:
    if run.state != RunState.PRESENT:
        return {**_NONE, "state": str(run.state), "reason": run.error or f"its run is {run.state}"}
    scores = evidence.scores(run)
    if scores is None:
        return {**_NONE, "state": NOT_SCORED, "reason": "its run is not scored"}
    return {
        **cells.bounds(scores),
        "rows": scores["rows"],
        "C": run.record["chosen"]["C"],
        "cpu_seconds": run.record["cost"]["cpu_seconds"],
        "state": cells.PRESENT,
        "reason": None,
    }
