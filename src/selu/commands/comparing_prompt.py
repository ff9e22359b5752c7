"""Part ``prompted`` of the report: runs of prompted systems beside the print, and which of them are not there.

It reads tracked files only. These systems cost money, so that none may be there: then every cell is a hole with
its name, and what the print alone allows to conclude still stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.benchmarks.selu import cells
from selu.commands import comparing, planning, planning_prompt, scoring
from selu.commands.agreeing import agreements, both_answers, share
from selu.commands.planned import PROTOCOLS, RESULTS, Planned, Wanted, metric_of
from selu.commands.preparation import SPLITS
from selu.commands.recomputing import Scores
from selu.project import load_selu, read_knobs
from selu.runs import record
from selu.systems.baseline.knobs import BootstrapKnobs
from selu.vocabulary import Approach, CellState, Kind, SeluError, System, Task

if TYPE_CHECKING:
    from selu.benchmarks.selu.material import Material
    from selu.commands.planning_prompt import Model

PROMPTED = "prompted.json"
UNRUN = {
    "openai": "not run: it needs a key and money",
    "anthropic": "not run: it needs a key and money",
    "compatible": "not run: it needs its server",
}
_COST = ("requests", "asked_tokens", "answered_tokens", "usd", "paid_again")
_ASKED = ("temperature", "max_tokens", "seed", "variant", "priced")
_UNUSABLE = (record.State.STALE, record.State.DAMAGED, comparing.NOT_SCORED)
Record = dict[str, Any]
Progress = Callable[[str], None]


def collect(root: Path, progress: Progress = lambda _: None) -> Record:
    """What stands of the prompted systems of the paper, and of other models that params.yaml names.

    Returns:
        ``asked`` (knobs that all share), ``level`` of the intervals, ``cells`` in the order of the tasks,
        ``agreements`` of zero-shot and few-shot per task and model, ``others`` (runs that stand and are not of
        the present parameters, so that nothing here is of them) and ``zeros`` (of ``tables_prompt_print``). A
        cell has ``state`` (present: both protocols stand; partly; or the state of both), ``reason`` where it is
        not present, ``test_rows`` (None where no run is planned), ``paper`` and ``strict`` (``_run``; None
        where none is planned), and ``readings`` (``_readings``).

    Raises:
        SeluError: a run is stale, damaged or not scored, a tracked file is damaged, or scores are not those of
            their predictions.
    """
    from selu.benchmarks.selu import tables_prompt_print

    material, known = load_selu(root), planning_prompt.known(root)
    level = read_knobs(root, "selu", "bootstrap", BootstrapKnobs).level
    systems = [s for s in material.systems if s.approach is Approach.PROMPTED]
    systems += [model.system for id, model in known.items() if id not in {s.id for s in systems}]
    planned: dict[tuple[str, str], dict[str, Planned]] = {}
    for run in planning.plan(root, Wanted(systems=tuple(known))) if known else ():
        planned.setdefault((run.task.id, run.system), {})[run.protocol] = run
    states = {run.name: _state(root, run) for runs in planned.values() for run in runs.values()}
    _refuse_unusable(states)
    scores = Scores(root)
    found = [
        _cell(
            scores,
            material,
            task,
            system,
            known.get(system.id),
            planned.get((task.id, system.id)),
            states,
            level,
        )
        for task in material.tasks
        for system in systems
    ]
    comparing.tell(scores, progress)
    knobs = planning_prompt.knobs_of(root)
    return {
        "asked": {name: getattr(knobs, name) for name in _ASKED},
        "level": level,
        "cells": found,
        "agreements": agreements(planned, found, systems, level),
        "others": _others(root, systems, planned),
        "zeros": tables_prompt_print.zeros(material),
    }


def _state(root: Path, run: Planned) -> str:
    state = record.state(run.folder, run.identity)
    if state is record.State.PRESENT and not scoring.current(root, run):
        return comparing.NOT_SCORED
    return str(state)


def _refuse_unusable(states: Mapping[str, str]) -> None:
    """A run that stands but can't be read must not become a hole in what is tracked."""
    broken = [(name, state) for name, state in states.items() if state in _UNUSABLE]
    if broken:
        raise SeluError(
            f"{len(broken)} runs can't be taken, first {broken[0][0]} ({broken[0][1]}): 'selu run' mends them "
            "and asks only what was never answered, or 'dvc checkout --force results' brings tracked ones back."
        )


def _others(
    root: Path, systems: Sequence[System], planned: Mapping[tuple[str, str], Mapping[str, Planned]]
) -> list[str]:
    """Runs of these systems, of another seed, variant or task than planned, as paths below the results."""
    mine = {run.name for runs in planned.values() for run in runs.values()}
    folders = [path for system in systems for path in (root / RESULTS).glob(f"*/{system.id}/*/{record.RUN}")]
    names = {path.parent.relative_to(root / RESULTS).as_posix() for path in folders}
    return sorted(name for name in names - mine if not name.rpartition("/")[2].startswith("."))


def _cell(
    scores: Scores, m: Material, task: Task, system: System, model: Model | None,
    runs: Mapping[str, Planned] | None, states: Mapping[str, str], level: float,
) -> Record:  # fmt: skip
    printed = _printed(m, task, system)
    head: Record = {
        "task": task.id,
        "system": system.id,
        "name": system.name,
        "model": system.series,
        "shots": system.shots,
        "kind": str(task.kind),
        "metric": str(task.metric),
        "printed": printed,
        "standing": None,
        "test_rows": None,
        **dict.fromkeys((*PROTOCOLS, "readings")),
    }
    if (absence := system.absence(task)) is not None:
        return head | {"state": str(CellState.ABSENT_BY_DESIGN), "reason": absence}
    if model is None:
        return head | {"state": str(record.State.MISSING), "reason": "params.yaml names no such model"}
    if runs is None:
        why = "its data set was not at hand, and synthetic rows are left out"
        return head | {"state": cells.NO_DATA, "standing": cells.SYNTHETIC, "reason": why}
    parts = {protocol: _run(scores, run, states[run.name], printed, level) for protocol, run in runs.items()}
    found = [part["state"] for part in parts.values()]
    state = found[0] if len(set(found)) == 1 else "partly" if cells.PRESENT in found else "failed"
    return {
        **head,
        "standing": runs["strict"].standing,
        "test_rows": _test_rows(scores.root / SPLITS / task.id / "split.csv"),
        "state": state,
        "reason": _reason(state, parts, model.knobs.provider),
        **parts,
        "readings": _readings(runs, parts, level) if state == cells.PRESENT else None,
    }


def _printed(m: Material, task: Task, system: System) -> str | None:
    """The text of Table VI, where it has such a cell."""
    return next((cell.printed for cell in m.cells if (cell.task, cell.system) == (task.id, system.id)), None)


def _test_rows(path: Path) -> int:
    header, *lines = path.read_text("utf-8").splitlines()
    column = header.split(",").index("strict")
    return sum(line.split(",")[column] == "test" for line in lines)


def _reason(state: str, parts: Mapping[str, Record], provider: str) -> str | None:
    if state == cells.PRESENT:
        return None
    if state == record.State.MISSING:
        return UNRUN[provider]
    gone = [part for part in parts.values() if part["state"] != cells.PRESENT]
    named = ", ".join(f"{part['name'].rpartition('/')[2]} {part['state']}" for part in gone)
    return "; ".join([named, *dict.fromkeys(part["error"] for part in gone if part["error"])])


def _run(reader: Scores, run: Planned, state: str, printed: str | None, level: float) -> Record:
    """A run in brief, scores on Table VI's scale.

    ``invalid`` are replies that hold no valid answer by the strict grammar, under either protocol;
    ``counted_invalid`` what the protocol's own reading leaves without an answer. ``correct`` are rows with the
    right label, or with all labels right; regression has none.
    """
    entry: Record = {"name": run.name, "state": state, "error": None}
    if state == record.State.FAILED:
        return entry | {"error": record.read_run(run.folder)["error"]}
    if state != cells.PRESENT:
        return entry
    content, scores = record.read_run(run.folder), reader.read(run.folder)
    metric, rows = metric_of(run.task.kind), scores["rows"]
    value, bounds = cells.turned(metric, scores["value"]), scores["intervals"][metric]
    low, high = sorted(cells.turned(metric, bounds[end]) for end in ("low", "high"))
    cost = {name: content["cost"][name] for name in _COST}
    correct = None if run.task.kind is Kind.REGRESSION else round(scores["scores"]["accuracy"] * rows)
    return {
        **entry,
        "value": value,
        "low": low,
        "high": high,
        "error_of_bounds": bounds["error"],
        "rows": rows,
        "constant": scores["constant"],
        "minus_printed": None if printed is None else value - float(printed),
        "holds_printed": None if printed is None else low <= float(printed) <= high,
        "invalid": {**share(sum(content["invalid"].values()), rows, level), "reasons": content["invalid"]},
        "counted_invalid": scores["scores"]["invalid"],
        "answered_by": content["model"]["answered"],
        "cost": cost,
        "correct": correct,
        "usd_per_correct": None if correct is None else _per_correct(cost["usd"], correct, rows, level),
    }


def _per_correct(usd: float, correct: int, rows: int, level: float) -> Record:
    """What was paid over correct rows, with the bounds that those of their share give."""
    of = share(correct, rows, level)
    return {
        "value": usd / correct if correct else None,
        "low": usd / (rows * of["high"]),
        "high": usd / (rows * of["low"]) if of["low"] > 0 else None,
    }


def _readings(runs: Mapping[str, Planned], parts: Mapping[str, Record], level: float) -> Record:
    """What protocol ``paper`` makes of the same replies: score minus strict's, and rows with another answer."""
    pairs = both_answers(runs["paper"], runs["strict"])
    apart = sum(a != b for a, b in pairs)
    value = parts["paper"]["value"] - parts["strict"]["value"]
    return {"paper_minus_strict": value, "apart": share(apart, len(pairs), level)}
