"""Part ``prompted`` of the report: runs of prompted systems beside published scores, and missing runs.

It reads tracked files only. These systems cost money, so that none may be there: then every cell is a hole with
its name, and what the print alone allows to conclude still stands.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, cast

from selu.contents import ScoresContent
from selu.papers.evidence import Evidence, Progress, RunSeen
from selu.papers.selu import design
from selu.papers.selu.evidence.agreement import agreements, both_answers
from selu.papers.selu.evidence.runs import NOT_SCORED, refuse_unusable, tell
from selu.papers.selu.evidence.wordings import AUTHORS, Runs, in_their_words, sizes, wordings
from selu.papers.selu.records.prompted import (
    AskingCost,
    CellHead,
    Invalid,
    OpenBounds,
    Prompted,
    PromptedCell,
    PromptedRun,
    Readings,
    Served,
    Settings,
)
from selu.papers.selu.reruns import cells
from selu.stats.agreement import share
from selu.vocabulary import Approach, CellState, Kind, RunState, System, Task

if TYPE_CHECKING:
    from selu.papers.selu.material import Material

PROMPTED = "prompted.json"
UNRUN = {
    "openai": "not run: it needs a key and money",
    "anthropic": "not run: it needs a key and money",
    "compatible": "not run: it needs its server",
    "local": "not run: it needs its weights, or its server",
}
LOCAL = "local"  # the provider of open models


@dataclass(frozen=True)
class Asked:
    """Settings that all prompts share."""

    temperature: float | None
    max_tokens: int
    seed: int
    variant: str
    priced: str


def collect(evidence: Evidence, progress: Progress = lambda _: None) -> Prompted:
    """Return the state of the paper's prompted systems, and of other models that params.yaml names.

    Returns:
        ``asked`` (settings that all share), ``level`` of the intervals, ``cells`` in the order of the tasks,
        and behind them those asked in the authors' words that were run (with ``wording``),
        ``agreements`` of zero-shot and few-shot per task and model, ``others`` (runs that stand and are not of
        the present parameters, so that nothing here is of them), ``local`` (cells of models that anybody can
        have, which are not systems of the paper; those that were run), ``sizes`` and ``wordings`` (paired
        differences) and ``zeros`` (of ``tables.prompt_print``). A cell has ``state`` (present: both protocols
        stand; partly; or the state of both), ``reason`` where it is not present, ``test_rows`` (None where no
        run is planned), ``paper`` and ``strict`` (``_run``; None where none is planned), and ``readings``
        (``_readings``).

    Raises:
        SeluError: a run is stale, damaged or not scored, a tracked file is damaged, or scores are not those of
            their predictions.
    """
    from selu.papers.selu.tables import prompt_print as tables_prompt_print

    material: Material = evidence.published()
    known = {system.id: system for system in evidence.prompted()}
    planned: dict[tuple[str, str], dict[str, RunSeen]] = {}
    for run in evidence.runs(systems=tuple(known)) if known else ():
        planned.setdefault((run.task.id, run.system), {})[run.protocol] = run
    scores = _scores(evidence, planned)
    local = {id for (_, id), runs in planned.items() if runs["strict"].fields["model"]["provider"] == LOCAL}
    systems = [s for s in material.systems if s.approach is Approach.PROMPTED]
    papers = {system.id for system in systems}
    theirs = {id for (_, id), runs in planned.items() if in_their_words(runs)}
    systems += [system for id, system in known.items() if id not in local | papers | theirs]

    def cells_of(systems: Sequence[System]) -> list[PromptedCell]:
        return [
            _cell(evidence, material, task, system, known, planned.get((task.id, system.id)), scores)
            for task in material.tasks
            for system in systems
        ]

    found = cells_of(systems)
    asked = cells_of([system for id, system in known.items() if id in theirs - local])
    found += [cell for cell in asked if cell["state"] == cells.PRESENT]
    mine = cells_of([system for id, system in known.items() if id in local])
    parameters = {id: size for id, system in known.items() if id in local and (size := system.parameters)}
    tell(evidence, progress)
    return {
        "asked": cast(Settings, asdict(evidence.settings("prompt", Asked, shared=True))),
        "level": evidence.draws.level,
        "cells": found,
        "agreements": agreements(evidence, planned, found, systems),
        "others": _others(evidence, systems, planned),
        "local": [
            {
                **cell,
                "parameters": parameters.get(cell["system"]),
                **_served(planned[cell["task"], cell["system"]]["strict"]),
            }
            for cell in mine
            if cell["state"] == cells.PRESENT
        ],
        "sizes": sizes(evidence, planned, parameters),
        "wordings": wordings(evidence, planned),
        "zeros": tables_prompt_print.zeros(material),
    }


def _served(run: RunSeen) -> Served:
    """Describe who answered, how answers were constrained to the labels, and how long it took."""
    model, cost = run.fields["model"], run.record["cost"]
    return {
        "weights": model["weights"],
        "server": run.record["model"].get("server"),
        "variant": run.fields["params"]["variant"],
        "seconds": cost["wall_seconds"],
        "timed": cost.get("timed_requests", cost["requests"]),
    }


def _scores(evidence: Evidence, planned: Runs) -> Mapping[str, ScoresContent]:
    """Return the scores of every run that is present, by run name; refuses runs that can't be used."""
    runs = [run for by_protocol in planned.values() for run in by_protocol.values()]
    scores = {run.name: evidence.scores(run) for run in runs if run.state == RunState.PRESENT}
    states = ((run.name, NOT_SCORED if scores.get(run.name, run) is None else run.state) for run in runs)
    refuse_unusable(states, " and asks only what was never answered")
    return {name: score for name, score in scores.items() if score is not None}


def _others(evidence: Evidence, systems: Sequence[System], planned: Runs) -> list[str]:
    """Return runs of these systems with another seed, variant or task than planned, as TASK/SYSTEM/RUN."""
    mine = {run.name for runs in planned.values() for run in runs.values()}
    ids = {system.id for system in systems}
    return [name for name in evidence.stored() if name not in mine and name.split("/")[1] in ids]


def _cell(
    evidence: Evidence, paper: Material, task: Task, system: System, known: Collection[str],
    runs: Mapping[str, RunSeen] | None, scores: Mapping[str, ScoresContent],
) -> PromptedCell:  # fmt: skip
    theirs = runs is not None and in_their_words(runs)
    published = _published(paper, task, _asked_alike(paper, system) if theirs else system)
    head: CellHead = {
        "task": task.id,
        "system": system.id,
        "name": system.name,
        "model": system.series,
        "shots": system.shots,
        "kind": str(task.kind),
        "metric": str(task.metric),
        "printed": published,
        "standing": None,
        "test_rows": None,
        "paper": None,
        "strict": None,
        "readings": None,
    }
    if theirs:
        head["wording"] = AUTHORS
    if (absence := design.absence(system, task)) is not None:
        return {**head, "state": str(CellState.ABSENT_BY_DESIGN), "reason": absence}
    if system.id not in known:
        return {**head, "state": str(RunState.MISSING), "reason": "params.yaml names no such model"}
    if runs is None:
        return {**head, "state": cells.NO_DATA, "standing": cells.SYNTHETIC, "reason": cells.NO_ROWS}
    level = evidence.draws.level
    parts = {protocol: _run(run, scores.get(run.name), published, level) for protocol, run in runs.items()}
    found = [part["state"] for part in parts.values()]
    state = found[0] if len(set(found)) == 1 else "partly" if cells.PRESENT in found else "failed"
    return {
        **head,
        "standing": runs["strict"].availability,
        "test_rows": evidence.data(task.id)["audit"]["parts"]["strict"]["test"],
        "state": state,
        "reason": _reason(state, parts, runs["strict"].fields["model"]["provider"]),
        "paper": parts.get("paper"),
        "strict": parts.get("strict"),
        "readings": _readings(evidence, runs, parts) if state == cells.PRESENT else None,
    }


def _asked_alike(paper: Material, system: System) -> System:
    """Return the paper's system with the same model, number of examples and prompt wording."""
    papers = (alike for alike in paper.systems if alike.approach is Approach.PROMPTED)
    return next((alike for alike in papers if (alike.hub, alike.shots) == (system.hub, system.shots)), system)


def _published(paper: Material, task: Task, system: System) -> str | None:
    """Return the text of Table VI, if it has this score."""
    return next(
        (cell.published for cell in paper.cells if (cell.task, cell.system) == (task.id, system.id)), None
    )


def _reason(state: str, parts: Mapping[str, PromptedRun], provider: str) -> str | None:
    if state == cells.PRESENT:
        return None
    if state == RunState.MISSING:
        return UNRUN[provider]
    return cells.holes((part["name"], part["state"], part["error"]) for part in parts.values())


def _run(run: RunSeen, scores: ScoresContent | None, published: str | None, level: float) -> PromptedRun:
    """Summarize a run, with scores on Table VI's scale.

    ``invalid`` are replies that hold no valid answer by the strict grammar, under either protocol;
    ``invalid_as_authors`` those without one for the authors' scripts, where their words were asked;
    ``counted_invalid`` what the protocol's own reading leaves without an answer. ``correct`` are rows with the
    right label, or with all labels right; regression has none.
    """
    entry: PromptedRun = {"name": run.name, "state": str(run.state), "error": run.error}
    if scores is None:
        return entry
    content = run.record
    rows, score, paper = scores["rows"], cells.bounds(scores), None if published is None else float(published)
    cost = cast(AskingCost, {name: content["cost"][name] for name in AskingCost.__annotations__})
    correct = None if run.task.kind is Kind.REGRESSION else round(scores["scores"]["accuracy"] * rows)
    found: PromptedRun = {
        **entry,
        **score,
        "error_of_bounds": scores["intervals"][scores["metric"]]["error"],
        "rows": rows,
        "constant": scores["constant"],
        "minus_printed": None if paper is None else score["value"] - paper,
        "holds_printed": None if paper is None else score["low"] <= paper <= score["high"],
    }
    if "invalid" in content:
        found["invalid"] = _invalid(content["invalid"], rows, level)
    if "invalid_as_authors" in content:
        found["invalid_as_authors"] = _invalid(content["invalid_as_authors"], rows, level)
    return {
        **found,
        "counted_invalid": scores["scores"]["invalid"],
        "answered_by": content["model"]["answered"],
        "cost": cost,
        "correct": correct,
        "usd_per_correct": None if correct is None else _per_correct(cost["usd"], correct, rows, level),
    }


def _invalid(reasons: Mapping[str, int], rows: int, level: float) -> Invalid:
    return {**share(sum(reasons.values()), rows, level), "reasons": reasons}


def _per_correct(usd: float, correct: int, rows: int, level: float) -> OpenBounds:
    """Return the cost per correct row, with the bounds that the interval of their share gives."""
    right = share(correct, rows, level)
    return {
        "value": usd / correct if correct else None,
        "low": usd / (rows * right["high"]),
        "high": usd / (rows * right["low"]) if right["low"] > 0 else None,
    }


def _readings(evidence: Evidence, runs: Mapping[str, RunSeen], parts: Mapping[str, PromptedRun]) -> Readings:
    """Compare protocol ``paper`` on the same replies: score minus strict's, rows with another answer."""
    pairs = both_answers(evidence, runs["paper"], runs["strict"])
    apart = sum(a != b for a, b in pairs)
    value = parts["paper"]["value"] - parts["strict"]["value"]
    return {"paper_minus_strict": value, "apart": share(apart, len(pairs), evidence.draws.level)}
