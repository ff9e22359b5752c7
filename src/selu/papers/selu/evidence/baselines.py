"""Parts ``cells`` and ``comparisons`` of the report: re-runs of the paper's systems beside its scores.

``cells`` reads tracked files only: every cell of the baselines, and of the paper's open models those that
were trained here; prompted ones are in ``prompted``. ``comparisons`` resamples test rows of the baselines, so
it takes the prepared rows and the predictions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from selu.papers.evidence import Evidence, Progress, RunSeen
from selu.papers.selu import design
from selu.papers.selu.evidence.differences import DUPLICATES, Pair, differences
from selu.papers.selu.evidence.runs import (
    BASELINES,
    NOT_SCORED,
    no_runs,
    part_of,
    refuse_unusable,
    tell,
)
from selu.papers.selu.records.reruns import Comparison, RerunCell
from selu.papers.selu.reruns import cells
from selu.papers.selu.reruns.cells import Paper, Ran
from selu.vocabulary import Approach, CellState, RunState, SeluError, System, Task

if TYPE_CHECKING:
    from selu.papers.selu.material import Material

RESCORED = "rescored.json"
PICKING, LIBRARIES = "picking on test rows", "library versions"


def cell_entries(evidence: Evidence, progress: Progress = lambda _: None) -> list[RerunCell]:
    """Return every cell of the baselines, and of open models those trained here or tried by ``selu rescore``.

    They are in the paper's order. An open model of which not every seed stands falls back on its published
    predictions, if those were scored.

    Raises:
        SeluError: no run of a baseline is there at all, one is stale, damaged or not scored, a tracked file
            is damaged, scores are not those of their predictions, or a reason is declared for a cell that does
            not deviate.
    """
    material: Material = evidence.published()
    reasons = cells.declared_reasons()
    ran = {key: [_ran(evidence, run) for run in runs] for key, runs in _by_cell(evidence).items()}
    if all(run.state == RunState.MISSING for runs in ran.values() for run in runs):
        raise no_runs()
    ran |= _trained(evidence, material)
    refuse_unusable((run.name, run.state) for runs in ran.values() for run in runs)
    rescored = evidence.read(RESCORED, "rescore", ("cells",), needed=False) or {"cells": []}
    scored = {(cell["task"], cell["system"]): cell for cell in rescored["cells"]}
    found = []
    for task in material.tasks:
        for system in material.systems:
            key = (task.id, system.id)
            own = None
            if system.id in BASELINES or key in ran:
                paper = _paper(material, task.id, system.id)
                own = cells.re_run(task, system, paper, ran.get(key, []), reasons.get(key))
            if key in scored and (own is None or own["value"] is None):
                own = cells.re_scored(task, system, scored[key])
            if own is not None:
                found.append(own)
    if stale := cells.stale_reasons(reasons, found):
        raise SeluError(
            f"deviations.yaml gives a reason for {', '.join(stale)}, which does not deviate: take it out."
        )
    tell(evidence, progress)
    return found


def cell_now(evidence: Evidence, paper: Material, task: Task, system: System) -> RerunCell | None:
    """Return a score's entry of ``cell_entries`` from its current runs, usable or not; None if it has no run.

    Raises:
        SeluError: scores are not those of their predictions.
    """
    if system.approach is Approach.PROMPTED or (task.id, system.id) not in _begun(evidence):
        return None
    if evidence.data(task.id)["standing"] == cells.SYNTHETIC:
        return None
    ran = [_ran(evidence, run) for run in evidence.runs((task.id,), (system.id,))]
    reason = cells.declared_reasons().get((task.id, system.id))
    return cells.re_run(task, system, _paper(paper, task.id, system.id), ran, reason)


def _by_cell(evidence: Evidence) -> dict[tuple[str, str], list[RunSeen]]:
    """Return each run of the baselines, by (task, system), in the order of the plan."""
    found: dict[tuple[str, str], list[RunSeen]] = {}
    for run in evidence.runs(systems=BASELINES):
        found.setdefault((run.task.id, run.system), []).append(run)
    return found


def _trained(evidence: Evidence, paper: Material) -> dict[tuple[str, str], list[Ran]]:
    """Return the state of each run of the paper's open models, on real rows, if any run of the score exists."""
    found, begun = {}, _begun(evidence)
    for task in paper.tasks:
        for system in paper.systems:
            if (
                system.approach is Approach.FINETUNED
                and (task.id, system.id) in begun
                and design.absence(system, task) is None
                and evidence.data(task.id)["standing"] != cells.SYNTHETIC
            ):
                runs = evidence.runs((task.id,), (system.id,))
                found[task.id, system.id] = [_ran(evidence, run) for run in runs]
    return found


def _begun(evidence: Evidence) -> set[tuple[str, str]]:
    """Return the (task, system) pairs that have any run."""
    return {(task, system) for task, system, _ in (name.split("/") for name in evidence.stored())}


def _ran(evidence: Evidence, run: RunSeen) -> Ran:
    head = (run.name, part_of(run), run.seed, run.environment, run.availability)
    if run.state != RunState.PRESENT:
        return Ran(*head, run.state, error=run.error)
    scores = evidence.scores(run)
    return Ran(*head, run.state, run.record, scores) if scores else Ran(*head, NOT_SCORED)


def _paper(paper: Material, task: str, system: str) -> Paper:
    cell = next(cell for cell in paper.cells if (cell.task, cell.system) == (task, system))
    if cell.state is not CellState.PRESENT:
        return Paper(None)
    places = paper.tables.get("package_baselines", {})
    name = cells.metric_of(paper.task(task))
    found = places.get((f"{task}/{system}", name))
    value = None if found is None else cells.turned(name, float(found.published))
    return Paper(cell.published, value)


def comparison_entries(evidence: Evidence, progress: Progress = lambda _: None) -> list[Comparison]:
    """Return paired differences of the present runs: picking on test rows, library versions, duplicates.

    A comparison whose runs are not all there is left out; cells.json says which are missing.

    Raises:
        SeluError: the prepared rows of a task are not here, or no run is there at all.
    """
    found: list[Comparison] = []
    for (task, system), runs in _by_cell(evidence).items():
        present = [run for run in runs if run.state == RunState.PRESENT]
        if present:
            progress(f"comparisons: {task}/{system}, {len(present)} of {len(runs)} runs")
            for entry in differences(evidence, present, list(_pairs(runs)), by_seed=True):
                alone = {name: value for name, value in entry.items() if name != "beside"}  # always itself
                found.append(cast(Comparison, alone))
    if not found:
        raise no_runs()
    return found


def _pairs(runs: Sequence[RunSeen]) -> Iterator[Pair]:
    """Yield the comparisons that a score allows: pairs whose runs are all present."""
    parts = {part: [run for run in runs if part_of(run) == part] for part in ("paper", "current", "strict")}
    for pair in (
        Pair(PICKING, parts["current"] or parts["paper"], parts["strict"]),  # the environment of strict
        Pair(LIBRARIES, parts["paper"], parts["current"]),
        Pair(DUPLICATES, parts["paper"], parts["paper"]),
    ):
        there = all(run.state == RunState.PRESENT for run in (*pair.first, *pair.second))
        if pair.first and pair.second and there:
            yield pair
