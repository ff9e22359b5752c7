"""``selu compare``: two systems side by side, compared as their benchmark does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selu import registry
from selu.app.ranking import boards
from selu.evidence.tracked import tracked_cells, tracked_extra, tracked_frozen
from selu.execution.finetune import plan as finetune_plan
from selu.execution.grids import plan as grids_plan
from selu.names import find
from selu.papers.api import Benchmark, Scored
from selu.vocabulary import WHOLE, SeluError

STRICT = "strict"  # of a run
PUBLISHED, OURS = "published", "ours"  # of a score, for people
Row = dict[str, Any]


def comparison(
    root: Path, a: str, b: str, name: str | None = None, board: str | None = None
) -> Row | boards.Comparison:
    """Compare two systems: differences per task or track, and one sentence.

    Args:
        name: of the benchmark, by default the one that has both.
        board: which of its rankings, where it has several.

    Raises:
        SeluError: an unknown system, the same one twice, or nothing is there of which both have a score.
    """
    if name is None and board is not None:
        raise SeluError(f"--board {board} is a ranking of a paper: give --paper, too.")
    try:
        return _comparison(root, a, b, name, board)
    except SeluError as error:
        raise boards.apart(root, a, b, name, board) or error from None


def _comparison(root: Path, a: str, b: str, name: str | None, board: str | None) -> Row | boards.Comparison:
    found = [] if board else boards.with_both(root, a, b, name)
    has_runs = board is None and (name is None or _benchmark(root, a, b).id == registry.known(name))
    if name is not None and not has_runs and not found and boards.is_asked(name, board):
        return boards.compared(root, name, board, a, b)
    try:
        paper = _benchmark(root, a, b) if name is None else registry.benchmark(name)
        compared = {"benchmark": paper.id, **_compared(root, paper, a, b)}
    except SeluError:
        if not found:
            raise
    else:
        others = [other for other, _ in found if other != paper.id]
        if not others:
            return compared
        papers = " or ".join(f"--paper {id}" for id in (paper.id, *dict.fromkeys(others)))
        raise SeluError(f"{a} and {b} are systems of several papers: give {papers}.")
    if len(found) > 1:
        raise boards.several(a, b, found)
    return boards.compared(root, *found[0], a, b)


def _compared(root: Path, benchmark: Benchmark, a: str, b: str) -> Row:
    """Compare two systems as their benchmark does."""
    if benchmark.id == registry.DEFAULT and _beside(root).keys() & {a.lower(), b.lower()}:
        scored = registry.scored(root, benchmark.id)
        assert scored is not None, "the default benchmark publishes one score per task and system"
        return _outside(root, scored, a, b)
    if benchmark.compare is None:
        raise SeluError(f"systems of {benchmark.id} are not compared: 'selu list systems' shows others.")
    return benchmark.compare(root, registry.load(root, benchmark.id), a, b)


def _benchmark(root: Path, a: str, b: str) -> Benchmark:
    """Return the benchmark whose paper has one of the systems or that declares it; else the default one."""
    asked = {name.lower().rstrip("*") for name in (a, b)}
    for name in registry.published()[1:]:
        benchmark = registry.benchmark(name)
        published = (word.lower() for system in benchmark.systems() for word in (system.id, system.name))
        if asked & {*published, *grids_plan.declared(root, name)}:
            return benchmark
    return registry.benchmark(registry.DEFAULT)


def _outside(root: Path, scored: Scored, a: str, b: str) -> Row:
    """Compare two systems at least one of which is not in the paper; no posterior.

    A score run here is that of protocol strict, the mean of its seeds; a system that was not run here has its
    printed one. Each row says which is which.
    """
    first, second = (_scores(root, scored, name) for name in (a, b))
    if first["id"] == second["id"]:
        raise SeluError(f"{a!r} and {b!r} are the same system: name two different ones.")
    rows = [
        {
            "task": task.id,
            "kind": task.kind,
            first["id"]: first["scores"][task.id],
            second["id"]: second["scores"][task.id],
            "difference": round(first["scores"][task.id] - second["scores"][task.id], 4),
            "scores": f"{first['of'][task.id]}, {second['of'][task.id]}",
        }
        for task in scored.tasks
        if task.id in first["scores"] and task.id in second["scores"]
    ]
    if not rows:
        raise SeluError(
            f"there is no task of which both {first['id']} and {second['id']} have a score: 'selu run' makes "
            "runs, and 'selu report finetuned' or 'selu report frozen' collects them."
        )
    sentence = _sentence(first, second, rows)
    return {"a": first["id"], "b": second["id"], "tasks": rows, "posterior": None, "sentence": sentence}


def _scores(root: Path, scored: Scored, name: str) -> Row:
    """Return id, name, and per task the score and its source."""
    if beside := _beside(root).get(name.lower()):
        return beside
    id = find(name, scored.systems, "system")
    (system,) = (system for system in scored.systems if system.id == id)
    column = {cell.task: float(cell.published) for cell in scored.cells if cell.system == id and cell.published}
    sources = dict.fromkeys(column, PUBLISHED)
    for (task, system_id), cell in tracked_cells(root).items():
        if system_id == id and cell["value"] is not None and cell.get("strict"):
            column[task], sources[task] = cell["strict"]["value"], _on(cell["standing"])
    return {"id": id, "name": system.name, "scores": column, "of": sources}


def _beside(root: Path) -> Mapping[str, Row]:
    """Return systems that are not in the paper, with their scores, by id and by lower-case name."""
    names = {extra.id: extra.system.name for extra in finetune_plan.extras(root).values()}
    names |= {name: name for name in grids_plan.declared(root, registry.DEFAULT)}
    runs = [(e["system"], e["task"], e["standing"], e[STRICT]["value"]) for e in tracked_extra(root)]
    for entry in tracked_frozen(root):
        names[entry["system"]] = entry["name"]
        runs.append((entry["system"], entry["task"], entry["standing"], entry["value"]))
    found: dict[str, Row] = {id: {"id": id, "name": name, "scores": {}, "of": {}} for id, name in names.items()}
    for system, task, availability, value in runs:
        if system in found and value is not None:
            found[system]["scores"][task], found[system]["of"][task] = value, _on(availability)
    return {name.lower(): row for row in found.values() for name in (row["id"], row["name"])}


def _on(availability: str) -> str:
    """Describe how a score that was run here was selected, and whether it is on part of the data."""
    return OURS if availability in WHOLE else f"{OURS} on part of the data"


def _sentence(first: Row, second: Row, rows: list[Row]) -> str:
    differences = [row["difference"] for row in rows]
    wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    ties = len(differences) - wins - losses
    mixed = any(PUBLISHED in row["scores"] for row in rows)
    return (
        f"Over {len(rows)} tasks {first['name']} wins {wins}, ties {ties}, loses {losses} against "
        f"{second['name']}. A system outside the paper is not part of its ranks and averages, so no "
        "posterior is computed."
        + (" Published scores are of checkpoints picked on test data, ours are not." if mixed else "")
    )
