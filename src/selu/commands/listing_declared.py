"""``selu list``, ``show`` and ``compare`` of benchmarks other than SELU: tasks, declared systems, runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from selu.benchmarks import catalogue
from selu.benchmarks.selu.cells import side
from selu.commands import listing_extra, planning, planning_baselines, planning_declared, planning_finetune
from selu.commands.planned import Planned, Wanted
from selu.commands.recomputing import Scores
from selu.commands.tasks import record_of
from selu.project import read_json
from selu.runs import record
from selu.systems.knobs import Declared
from selu.vocabulary import CellState, Metric, SeluError, Task

Row = dict[str, Any]
_FIELDS = ("id", "kind", "instances", "targets", "metric", "question")


def tasks(root: Path, benchmark: str) -> list[Row]:
    """Rows of ``selu list tasks --benchmark``."""
    return [
        {field: getattr(task, field) for field in _FIELDS} | {"data": standing(root, task.id)}
        for task in catalogue.tasks(benchmark)
    ]


def standing(root: Path, task: str) -> str | None:
    """How the rows here stand to the paper's (as ``preparation.Rows`` says); None before they are prepared."""
    path = record_of(root, task)
    return str(read_json(path, f"selu prepare {task}", ("standing",))["standing"]) if path.is_file() else None


def systems(root: Path, benchmark: str) -> list[Row]:
    """Rows of ``selu list systems --benchmark``."""
    return [
        {
            "id": name,
            "learner": system.learner,
            "sets": " ".join(system.sets),
            "encoder": system.encoder,
            "text": system.text,
            "run": "when named" if system.named else "always",
        }
        for name, system in planning_declared.known(root, benchmark).items()
    ]


def find(name: str) -> Task | None:
    """The task of this id, whatever its case; None where it is none of another benchmark."""
    others = (task for benchmark in catalogue.BENCHMARKS[1:] for task in catalogue.tasks(benchmark))
    return next((task for task in others if task.id == name.lower()), None)


def system(root: Path, name: str) -> Row | None:
    """The record of a declared system; None where there is none of this id."""
    found: Declared | None = planning_declared.every(root).get(name.lower())
    return None if found is None else {"id": name.lower(), **dataclasses.asdict(found)}


def task(root: Path, found: Task) -> Row:
    """The record of a task."""
    return {"benchmark": catalogue.benchmark_of(found.id), **dataclasses.asdict(found)} | {
        "data": standing(root, found.id)
    }


def cell(root: Path, found: Task, name: str) -> Row:
    """A cell: its runs under the current parameters.

    Raises:
        SeluError: an unknown system, or a task that is not prepared.
    """
    from selu.commands.listing import nearest

    benchmark = catalogue.benchmark_of(found.id)
    declared = planning_declared.known(root, benchmark)
    others = [*planning_baselines.SYSTEMS, *planning_finetune.known(root)]
    if name.lower() not in (*declared, *others):
        raise nearest(name, [*declared, *others], "system that can be run")
    shown: Row = {
        "cell": f"{found.id}/{name.lower()}",
        "benchmark": benchmark,
        "metric": found.metric,
        "question": found.question,
    }
    mine = declared.get(name.lower())
    if mine and catalogue.set_of(found.id) not in mine.sets:
        why = f"params.yaml declares it for {' and '.join(mine.sets)} alone"
        return shown | {"state": CellState.ABSENT_BY_DESIGN, "reason": why}
    runs, scores = planning.plan(root, Wanted((found.id,), (name.lower(),))), Scores(root, bounds=False)
    return shown | {"data": runs[0].standing, "runs": [_run(scores, run) for run in runs]}


def comparison(root: Path, a: str, b: str) -> Row | None:
    """Two systems that were run on another benchmark's rows, by their paired differences in its tracked record.

    A name is a system's, with * where one model serves all sets. None where neither is a declared system.

    Raises:
        SeluError: one of them was not run there, both are the same, or the record is missing.
    """
    for benchmark in catalogue.BENCHMARKS[1:]:
        declared = planning_declared.known(root, benchmark)
        if any(name.lower().rstrip("*") in declared for name in (a, b)):
            return _comparison(root, benchmark, a, b)
    return None


def _comparison(root: Path, benchmark: str, a: str, b: str) -> Row:
    from selu.commands.listing import nearest

    made = f"selu report comparisons --benchmark {benchmark}"
    kept = read_json(root / "reports" / benchmark / "results.json", made)
    tracks = {name: part for name, part in kept.items() if "differences" in part}
    # a system goes by its id, whose protocol may be left out
    ids = {entrant["id"].split()[0]: entrant["id"] for part in tracks.values() for entrant in part["entrants"]}
    for name in (a, b):
        if name.lower() not in (*ids, *ids.values()):
            raise nearest(name, ids, f"system run on {benchmark}")
    first, second = (ids.get(name.lower(), name.lower()) for name in (a, b))
    if first == second:
        raise SeluError(f"{a!r} and {b!r} are the same system: name two different ones.")
    rows = [
        _difference(track, entry, first, second)
        for track, part in tracks.items()
        for entry in part["differences"]
        if {entry["first"], entry["second"]} == {first, second}
    ]
    if not rows:
        raise SeluError(f"{first} and {second} were run on no track of {benchmark} together: name others.")
    said = [f"on {row['on']} {row['better'] or 'neither of them'} is ahead" for row in rows]
    return {
        "a": first,
        "b": second,
        "tasks": rows,
        "sentence": f"By intervals of paired differences over resampled test rows, {' and '.join(said)}.",
    }


def _difference(track: str, entry: Mapping[str, Any], first: str, second: str) -> Row:
    """A pair on a track, seen from ``first``; ``better`` is None where its interval decides nothing."""
    sign = 1 if entry["first"] == first else -1
    low, high = sorted((sign * entry["low"], sign * entry["high"]))
    ahead = {1: first, -1: second}.get(side({"low": low, "high": high, "error": entry["error"]}))
    return {
        "on": track,
        "difference": round(sign * entry["value"], 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "better": ahead,
    }


def _run(reader: Scores, run: Planned) -> Row:
    """The state of a run and its score: of binary tasks F1 of what is asked for, not of both classes."""
    row = listing_extra.run_of(reader, run)
    if "value" not in row or run.task.metric is not Metric.F1_POSITIVE:
        return row
    scores = record.read_scores(run.folder)["scores"]
    both = {"f1 of both classes": row.pop("value"), "its interval": row.pop("interval")}
    return {**row, "value": scores["f1_per_class"][1], **both}


def names(root: Path) -> Sequence[str]:
    """Names that ``selu show`` knows of here."""
    others = [task.id for benchmark in catalogue.BENCHMARKS[1:] for task in catalogue.tasks(benchmark)]
    return [*others, *planning_declared.every(root)]
