"""Parts ``cells`` and ``comparisons`` of the report: what reruns of the paper's systems say of the print.

``cells`` reads tracked files only: every cell of the baselines, and of the paper's open models those that
were trained here; prompted ones are in ``comparing_prompt``. ``comparisons`` resamples test rows of the
baselines, so it takes the prepared rows and the predictions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.benchmarks.selu import cells
from selu.benchmarks.selu.cells import Paper, Ran
from selu.commands import planning, scoring
from selu.commands.planned import RESULTS, Planned, Wanted
from selu.commands.planning_baselines import ENVIRONMENTS, SYSTEMS
from selu.commands.preparation import tracked_record
from selu.commands.recomputing import Scores
from selu.project import load_selu, read_json, read_knobs
from selu.runs import record
from selu.systems.baseline.knobs import BootstrapKnobs
from selu.vocabulary import Approach, CellState, SeluError, System, Task

if TYPE_CHECKING:
    from selu.benchmarks.selu.material import Material
    from selu.commands.resampling import Drawn

REPORTS = Path("reports") / "selu"
CELLS, COMPARISONS, RESCORED = "cells.json", "comparisons.json", "rescored.json"
NOT_SCORED = "not scored"
PICKING, LIBRARIES, DUPLICATES = (
    "picking on test rows",
    "library versions",
    "duplicates across the split",
)
Progress = Callable[[str], None]
Record = dict[str, Any]


def to_text(entries: Sequence[Record]) -> str:
    """JSON at full precision: these numbers are held against published ones to the last digit."""
    return json.dumps(entries, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def cell_entries(root: Path, progress: Progress = lambda _: None) -> list[Record]:
    """Every cell of the baselines, and of open models those trained here or tried by ``selu rescore``.

    They are in the paper's order. An open model of which not every seed stands falls back on its published
    predictions, if those were scored.

    Raises:
        SeluError: no run of a baseline is there at all, one is stale, damaged or not scored, a tracked file
            is damaged, scores are not those of their predictions, or a reason is declared for a cell that does
            not deviate.
    """
    material, scores = load_selu(root), Scores(root)
    reasons = cells.declared_reasons()
    ran = runs_by_cell(root, scores)
    if all(run.state == record.State.MISSING for of in ran.values() for run in of):
        raise _no_runs(root)
    ran |= trained_by_cell(root, material, scores)
    _refuse_unusable(run for of in ran.values() for run in of)
    scored = {(cell["task"], cell["system"]): cell for cell in _rescored(root)}
    found = []
    for task in material.tasks:
        for system in material.systems:
            key = (task.id, system.id)
            own = None
            if system.id in SYSTEMS or key in ran:
                paper = _paper(material, task.id, system.id)
                own = cells.re_earned(task, system, paper, ran.get(key, []), reasons.get(key))
            if key in scored and (own is None or own["value"] is None):
                own = cells.re_scored(task, system, scored[key])
            if own is not None:
                found.append(own)
    if stale := cells.stale_reasons(reasons, found):
        raise SeluError(
            f"deviations.yaml gives a reason for {', '.join(stale)}, which does not deviate: take it out."
        )
    tell(scores, progress)
    return found


def tell(scores: Scores, progress: Progress) -> None:
    """Say which scores of a report could not be computed anew, where there are any."""
    if note := scores.note():
        progress(note)


def cell_now(root: Path, m: Material, task: Task, system: System) -> Record | None:
    """What ``cell_entries`` would say of a cell as its runs stand now, usable or not; None where none is there.

    Raises:
        SeluError: scores are not those of their predictions.
    """
    if system.approach is Approach.PROMPTED or not _begun(root, task, system):
        return None
    if tracked_record(root, task.id)["standing"] == cells.SYNTHETIC:
        return None
    scores = Scores(root, bounds=False)
    ran = [_ran(scores, run) for run in planning.plan(root, Wanted((task.id,), (system.id,)))]
    reason = cells.declared_reasons().get((task.id, system.id))
    return cells.re_earned(task, system, _paper(m, task.id, system.id), ran, reason)


def _refuse_unusable(runs: Iterable[Ran]) -> None:
    """A run that stands but can't be read must not become a hole in what is tracked."""
    unusable = [run for run in runs if run.state in (record.State.STALE, record.State.DAMAGED, NOT_SCORED)]
    if unusable:
        raise SeluError(
            f"{len(unusable)} runs can't be taken, first {unusable[0].name} ({unusable[0].state}): 'selu run' "
            "mends them, or 'dvc checkout --force results' brings the tracked ones back."
        )


def _no_runs(root: Path) -> SeluError:
    return SeluError(f"{root / RESULTS} holds no run: run 'dvc pull' to get the tracked ones, or 'selu run'.")


def runs_by_cell(root: Path, scores: Scores) -> dict[tuple[str, str], list[Ran]]:
    """What stands of each run of the baselines, by (task, system), in the order of the plan."""
    found: dict[tuple[str, str], list[Ran]] = {}
    for planned in planning.plan(root, Wanted(systems=SYSTEMS)):
        found.setdefault((planned.task.id, planned.system), []).append(_ran(scores, planned))
    return found


def trained_by_cell(root: Path, m: Material, scores: Scores) -> dict[tuple[str, str], list[Ran]]:
    """The same of the paper's open models, for cells on real rows of which any run is there."""
    found = {}
    for task in m.tasks:
        for system in m.systems:
            if (
                system.approach is Approach.FINETUNED
                and _begun(root, task, system)
                and system.absence(task) is None
                and tracked_record(root, task.id)["standing"] != cells.SYNTHETIC
            ):
                runs = planning.plan(root, Wanted((task.id,), (system.id,)))
                found[task.id, system.id] = [_ran(scores, planned) for planned in runs]
    return found


def _begun(root: Path, task: Task, system: System) -> bool:
    """Whether any run of a cell is there."""
    return any((root / RESULTS / task.id / system.id).glob(f"*/{record.RUN}"))


def part_of(planned: Planned) -> str:
    """What a run stands for in the comparisons: paper, current (paper with the current libraries) or strict."""
    if planned.finetuned:
        return planned.protocol
    if planned.environment != ENVIRONMENTS[planned.protocol][0]:
        return "current"
    return planned.protocol


def _ran(scores: Scores, planned: Planned) -> Ran:
    state = record.state(planned.folder, planned.identity)
    head = (planned.name, part_of(planned), planned.seed, planned.environment, planned.standing)
    if state is record.State.FAILED:
        return Ran(*head, str(state), error=record.read_run(planned.folder)["error"])
    if state is not record.State.PRESENT:
        return Ran(*head, str(state))
    if not scoring.current(scores.root, planned):
        return Ran(*head, NOT_SCORED)
    return Ran(*head, str(state), record.read_run(planned.folder), scores.read(planned.folder))


def _paper(m: Material, task: str, system: str) -> Paper:
    cell = next(cell for cell in m.cells if (cell.task, cell.system) == (task, system))
    if cell.state is not CellState.PRESENT:
        return Paper(None)
    places = m.tables.get("package_baselines", {})
    name = cells.metric_of(m.task(task))
    found = places.get((f"{task}/{system}", name))
    value = None if found is None else cells.turned(name, float(found.printed))
    return Paper(cell.printed, value)


def _rescored(root: Path) -> list[Record]:
    path = root / REPORTS / RESCORED
    if not path.is_file():
        return []
    found: list[Record] = read_json(path, "selu rescore", ("cells",))["cells"]
    return found


def comparison_entries(root: Path, progress: Progress = lambda _: None) -> list[Record]:
    """Paired differences of the runs that stand: picking on test rows, library versions, duplicates.

    A comparison whose runs are not all there is left out; cells.json says which are missing.

    Raises:
        SeluError: the prepared rows of a task are not here, or no run is there at all.
    """
    knobs = read_knobs(root, "selu", "bootstrap", BootstrapKnobs)
    by_cell: dict[tuple[str, str], list[Planned]] = {}
    for planned in planning.plan(root, Wanted(systems=SYSTEMS)):
        by_cell.setdefault((planned.task.id, planned.system), []).append(planned)
    found: list[Record] = []
    for (task, system), runs in by_cell.items():
        present = [r for r in runs if record.state(r.folder, r.identity) is record.State.PRESENT]
        if present:
            progress(f"comparisons: {task}/{system}, {len(present)} of {len(runs)} runs")
            found += _of_cell(root, runs, present, knobs)
    if not found:
        raise _no_runs(root)
    return found


def _of_cell(
    root: Path, runs: Sequence[Planned], present: Sequence[Planned], knobs: BootstrapKnobs
) -> Iterator[Record]:
    from selu.commands import resampling
    from selu.commands.prepared import rows_of

    first = present[0]
    rows = rows_of(root, runs[0])
    test = rows[rows["part"] == "test"]
    kept = (test["grouped"] == "test").tolist()
    answers = [scoring.read_predictions(run.folder, rows) for run in present]
    name = first.fields["pick"]["metric"]
    drawn = resampling.draw(
        str(first.task.kind),
        test["label"].tolist(),
        answers,
        kept,
        len(first.task.labels),
        name,
        knobs.draws,
        knobs.seed,
    )
    at = {id(run): place for place, run in enumerate(present)}
    parts = {part: [r for r in runs if part_of(r) == part] for part in ("paper", "current", "strict")}
    pairs = (
        (PICKING, parts["current"] or parts["paper"], parts["strict"]),  # the environment of strict
        (LIBRARIES, parts["paper"], parts["current"]),
        (DUPLICATES, parts["paper"], parts["paper"]),
    )
    for what, ours, theirs in pairs:
        if not ours or not theirs or any(id(run) not in at for run in (*ours, *theirs)):
            continue
        places = [at[id(run)] for run in ours], [at[id(run)] for run in theirs]
        yield _entry(what, ours, theirs, _difference(drawn, what, *places, name, knobs.level), kept)


def _difference(
    drawn: Drawn, what: str, first: Sequence[int], second: Sequence[int], metric: str, level: float
) -> Record:
    """Mean over the seeds of first minus second, on Table VI's scale."""
    from selu.commands import resampling

    full, draws = drawn.full, drawn.full_draws
    others, other_draws = (drawn.kept, drawn.kept_draws) if what == DUPLICATES else (full, draws)
    sign = -1.0 if metric == "smape" else 1.0
    value = cells.mean([sign * float(full[a] - others[b]) for a, b in zip(first, second, strict=True)])
    resampled = sign * (draws[list(first)] - other_draws[list(second)]).sum(axis=0) / len(first)
    return dict(resampling.bounds(value, resampled, level)._asdict())


def _entry(
    what: str, first: Sequence[Planned], second: Sequence[Planned], difference: Record, kept: Sequence[bool]
) -> Record:
    task = first[0].task
    return {
        "task": task.id,
        "system": first[0].system,
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
