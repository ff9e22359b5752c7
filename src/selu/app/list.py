"""``selu list``: the tasks, systems, cells or claims of a benchmark, filtered; or the papers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from selu import registry
from selu.app.ranking import scores
from selu.evidence.tracked import availability_of, tracked_cells, tracked_claims
from selu.execution.finetune import plan as finetune_plan
from selu.execution.grids import plan as grids_plan
from selu.names import nearest
from selu.papers.api import Benchmark
from selu.report.console import as_text
from selu.report.words import TITLES, shown
from selu.systems import learners
from selu.systems.settings import Declared
from selu.vocabulary import Approach, SeluError

LISTS = ("tasks", "systems", "cells", "claims", "papers")
_OLDER = {"benchmarks": "papers"}  # what older scripts write
# The columns of each list, the most important one first: what a narrow terminal shows.
IMPORTANT = {
    "tasks": ("id", "kind", "instances", "metric", "data", "activity"),
    "systems": (
        "id",
        "mean",
        "size_published",
        "architecture",
        "approach",
        "licence",
        "learner",
        "sets",
        "run",
    ),
    "cells": ("cell", "score", "value", "interval", "verdict", "reason", "evidence", "state", "kind"),
    "claims": ("id", "verdict", "statement", "weight", "section"),
}
_GROUPS = ("family", "activity")
_OF_TASK = ("id", "kind", *_GROUPS, "instances", "targets", "metric", "question")
_OF_SYSTEM = ("id", "name", "approach", "architecture", "adaptation", "size_published", "licence", "gated")
_OF_CLAIM = ("id", "weight", "kind", "section", "verdict", "statement")
_FROZEN = "frozen encoder"  # the approach of a declared system that trains a head alone, or nothing
_SETS = 4  # that a row names; 'selu show SYSTEM' names all
Row = dict[str, Any]


def rows(root: Path, what: str, where: Sequence[str], benchmark: str = registry.DEFAULT) -> list[Row]:
    """List what a benchmark has, filtered by FIELD=VALUE.

    Raises:
        SeluError: an unknown benchmark, list, field or value, with the nearest known one.
    """
    what = _OLDER.get(what, what)
    if what not in LISTS:
        raise nearest(what, LISTS, "listing")
    paper = registry.benchmark(registry.known(benchmark))
    ways = {"tasks": _tasks, "systems": _systems, "cells": _cells, "claims": _claims, "papers": _papers}
    published = scores.load(root, paper.id)
    listing = (published and scores.rows(published, what)) or ways[what](root, paper)
    if not listing and (ranked := scores.ranked(root, paper.id)):
        listing = scores.rows(ranked, what)
    if not listing:
        others = [name for name in LISTS[:-1] if name != what and ways[name](root, paper)]
        raise SeluError(
            f"{paper.name} has no {called(what)} to list here, but {' and '.join(others)}: "
            f"'selu list {others[0]} --paper {paper.id}'."
        )
    for condition in where:
        listing = _filtered(listing, what, condition)
    return listing


def called(what: str) -> str:
    """Return what readers call a list."""
    return "scores" if what == "cells" else what


def _filtered(listing: list[Row], what: str, condition: str) -> list[Row]:
    field, equals, value = condition.partition("=")
    if not equals:
        raise SeluError(f"--where {condition!r} is not FIELD=VALUE, for example kind=binary.")
    names = {title: name for name, title in TITLES.items() if name in listing[0]}
    field = names.get(field, field)
    if field not in listing[0]:
        raise nearest(field, listing[0], f"field of {called(what)}")
    texts = [as_text(row[field]).lower() for row in listing]
    as_shown = [shown(field, row[field]).lower() for row in listing]  # what a table shows can be typed, too
    value = value.lower()
    if value not in texts and value not in as_shown:
        raise nearest(value, sorted(set(as_shown)), f"value of {field} among these {called(what)}")
    return [row for row, *forms in zip(listing, texts, as_shown, strict=True) if value in forms]


def _tasks(root: Path, benchmark: Benchmark) -> list[Row]:
    """List the paper's tasks, grouped if it has several families; the default paper lists local tasks, too."""
    tasks = benchmark.tasks()
    grouped = len({task.family for task in tasks}) > 1
    fields = [field for field in _OF_TASK if grouped or field not in _GROUPS]
    if benchmark.id == registry.DEFAULT:
        tasks = (*tasks, *(task for task in registry.tasks_of(root) if registry.local_tasks(task.id)))
    return [
        {field: getattr(task, field) for field in fields}
        | {"instances": task.instances or None, "data": availability_of(root, task.id)}
        for task in tasks
    ]


def _systems(root: Path, benchmark: Benchmark) -> list[Row]:
    """List the paper's systems, those that are run beside them, and those that benchmarks declare."""
    found: list[Row] = []
    if papers := benchmark.systems():
        scored = registry.scored(root, benchmark.id)
        for system in papers:
            mean = scored.mean(system.id) if scored else None
            found.append(_row(system) | {"mean": mean, "paper": True})
        default = benchmark.id == registry.DEFAULT
        beside = finetune_plan.extras(root).values() if default else benchmark.others()
        found += [_row(extra.system) | {"mean": None, "paper": False} for extra in beside]
    for name, declared in grids_plan.declared(root, benchmark.id).items():
        sets = " ".join(declared.sets) if len(declared.sets) <= _SETS else f"{len(declared.sets)} sets"
        row: Row = {"id": name, "approach": _approach(declared), "learner": declared.learner, "sets": sets}
        row |= {"encoder": declared.encoder, "text": declared.text}
        row |= {"paper": False} if papers else {}
        found.append(row | {"run": "when named" if declared.named else "always"})
    columns = dict.fromkeys(column for row in found for column in row)
    return [{column: row.get(column) for column in columns} for row in found]


def _approach(declared: Declared) -> str | None:
    """Return how a declared system learns; None where a benchmark's own learner has an encoder."""
    if declared.learner in learners.TRAINS_ENCODER:
        return Approach.FINETUNED if learners.TRAINS_ENCODER[declared.learner] else _FROZEN
    return None if declared.encoder else Approach.BASELINE


def _row(system: object) -> Row:
    return {field: getattr(system, field) for field in _OF_SYSTEM}


def _cells(root: Path, benchmark: Benchmark) -> list[Row]:
    """List the paper's scores, each with the result of its re-run; empty if the paper publishes none."""
    scored = registry.scored(root, benchmark.id)
    if scored is None:
        return []
    checked = tracked_cells(root, benchmark.id, needed=benchmark.cell_now is not None)
    tasks = {task.id: task for task in scored.tasks}
    systems = {system.id: system for system in scored.systems}
    listing = []
    for cell in scored.cells:
        task, system = tasks[cell.task], systems[cell.system]
        ours = checked.get((cell.task, cell.system), {})
        listing.append(
            {
                "cell": cell.id,
                "task": task.id,
                "system": system.id,
                "kind": task.kind,
                "family": task.family,
                "approach": system.approach,
                "architecture": system.architecture,
                "state": cell.state,
                "score": cell.published,
                "evidence": ours.get("evidence", cell.evidence),
                "value": ours.get("value"),
                "low": ours.get("low"),
                "high": ours.get("high"),
                "verdict": ours.get("verdict"),
                "reason": ours.get("reason") or cell.reason,
            }
        )
    return listing


def _claims(root: Path, benchmark: Benchmark) -> list[Row]:
    if not benchmark.claim_prefix:
        return []
    claims = tracked_claims(root, benchmark.id)
    fields = [field for field in _OF_CLAIM if any(claim.get(field) for claim in claims)]
    return [{field: claim.get(field) for field in fields} for claim in claims]


def _papers(root: Path, _benchmark: Benchmark) -> list[Row]:
    """List all papers, whichever one is selected."""
    return [
        {"id": paper.id, "name": paper.name, "tasks": scores.count_tasks(root, paper), "about": paper.about}
        for paper in map(registry.benchmark, registry.published())
    ]
