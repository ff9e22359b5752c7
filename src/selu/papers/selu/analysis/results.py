"""The records that SELU's stages write: statistics, sensitivity, claims. Plain dicts, ready for JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from itertools import product
from typing import Annotated, Any, ClassVar, cast

import numpy as np
from annotated_types import Ge, Gt, Le, Lt

from selu.papers.selu.material import STRICT, Material
from selu.papers.selu.records.statistics import (
    BoardRow,
    BoardScore,
    Leaderboard,
    PosteriorEntry,
    ScoreEntry,
    Sensitivity,
    SensitivityFields,
    SensitivityPart,
    Settings,
    Statistics,
    SystemEntry,
    TaskEntry,
    VariationEntry,
)
from selu.stats import sensitivity
from selu.stats.compare import Posterior
from selu.stats.intervals import bonferroni, t_interval
from selu.stats.tiers import tiers
from selu.vocabulary import Cell, Family, Kind

ALL = "all"


@dataclasses.dataclass(frozen=True)
class SensitivitySettings:
    """Section ``sensitivity``: other seeds (0 up), half a printed unit, how often, noise stream."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    seeds: Annotated[int, Ge(1), Le(1000)]
    rounding: Annotated[float, Gt(0), Lt(1)]
    roundings: Annotated[int, Ge(1), Le(1000)]
    seed: Annotated[int, Ge(0)]


def statistics(paper: Material) -> Statistics:
    """Return everything that the paper's method derives from the published scores.

    Keys: ``settings``, ``tasks``, ``systems`` (rank order, with Table IV's columns), ``cells`` (22 x 28),
    ``posteriors`` (by rope: matrices in rank order, row against column), ``tiers``, ``leaderboards``.
    """
    return {
        "settings": cast(Settings, dataclasses.asdict(paper.settings)),
        "tasks": [_task(paper, task_id) for task_id in paper.task_ids()],
        "systems": [_system(paper, name) for name in paper.order],
        "cells": [cast(ScoreEntry, {**_keyed(cell), "id": cell.id}) for cell in paper.cells],
        "posteriors": {
            "autorank": matrices(paper, paper.posterior),
            "paper": matrices(paper, paper.posterior_paper_rope),
        },
        "tiers": [[paper.order[i] for i in group] for group in tiers(paper.decisions.to_numpy())],
        "leaderboards": leaderboards(paper),
    }


def _task(paper: Material, task_id: str) -> TaskEntry:
    task = paper.task(task_id)
    return {
        "id": task.id,
        "kind": str(task.kind),
        "family": task.family.value,
        "activity": task.activity.value,
        "question": task.question,
        "metric": str(task.metric),
        "instances": task.instances,
        "targets": task.targets,
        "sources": list(task.sources),
        "ranked": task.ranked,
    }


def _system(paper: Material, name: str) -> SystemEntry:
    system = paper.system(name)
    derived = {str(column): value for column, value in paper.ranking.loc[name].items()}
    return cast(SystemEntry, {**dataclasses.asdict(system), **derived, "shapiro_p": paper.normality[name]})


def matrices(paper: Material, posterior: Posterior) -> PosteriorEntry:
    """Return a posterior's probabilities, their errors and what they decide, in rank order."""
    return {
        "order": paper.order,
        "better": posterior.better.tolist(),
        "equal": posterior.equal.tolist(),
        "rope": posterior.rope.tolist(),
        "error_better": posterior.error_better.tolist(),
        "error_equal": posterior.error_equal.tolist(),
        "decision": posterior.decisions(paper.settings.threshold).tolist(),
    }


def leaderboards(paper: Material) -> list[Leaderboard]:
    """Return the mean over the tasks of a family and a kind, for each combination that has tasks.

    ``family`` and ``kind`` are a value or "all"; kind "all" means the 20 tasks that every system answers.
    An interval is given where it lies within the scores' range. Each row names how many tasks its mean is
    over and which of the scope's tasks the system lacks.
    """
    boards: list[Leaderboard] = []
    for family, kind in product((ALL, *(f.value for f in Family)), (ALL, *(k.value for k in Kind))):
        chosen = [
            task.id
            for task in paper.tasks
            if family in (ALL, task.family.value) and (task.ranked if kind == ALL else str(task.kind) == kind)
        ]
        if chosen:
            boards.append({"family": family, "kind": kind, "tasks": chosen, "rows": _board(paper, chosen)})
    return boards


def _board(paper: Material, chosen: list[str]) -> list[BoardRow]:
    scores = paper.scores.loc[chosen]
    rows: list[BoardScore] = []
    for name in scores.columns:
        present = scores[name].dropna()
        if present.empty:
            continue
        row: BoardScore = {
            "system": name,
            "n": len(present),
            "missing": [task for task in chosen if task not in present.index],
            "M": float(present.mean()),
            "SD": None,
            "ci_lower": None,
            "ci_upper": None,
        }
        if len(present) > 1:
            lower, upper = t_interval(
                present.to_numpy()[:, None], bonferroni(paper.settings.alpha, scores.shape[1])
            )
            row["SD"] = float(present.std(ddof=1))
            if lower[0] >= 0 and upper[0] <= 1:  # over few tasks Student's interval leaves the scores' range
                row["ci_lower"], row["ci_upper"] = float(lower[0]), float(upper[0])
        rows.append(row)
    rows.sort(key=lambda row: (len(row["missing"]), -round(row["M"], 12), row["SD"] or 0.0))
    return [{"rank": position, **row} for position, row in enumerate(rows, start=1)]


def sensitivity_record(
    paper: Material, settings: SensitivitySettings, progress: Callable[[str], None] = lambda _: None
) -> Sensitivity:
    """Return what changes under other seeds, without each task, under input rounding, and with medians.

    Args:
        progress: called with a line before each part.

    Returns:
        ``base`` and, per part, its variations with their changed decisions and moved ranks; and per pair
        the share of a part's variations that keep the base decision.
    """
    scores, draws, seed = paper.ranked[paper.order].to_numpy(), paper.settings.draws, paper.settings.seed
    parts: dict[str, Callable[[], list[sensitivity.Variation]]] = {
        "seeds": lambda: sensitivity.over_seeds(scores, list(range(settings.seeds)), draws),
        "leave_one_task_out": lambda: sensitivity.without_each(scores, list(paper.ranked.index), draws, seed),
        "rounding": lambda: sensitivity.under_rounding(
            scores, settings.rounding, settings.roundings, draws, settings.seed
        ),
        "medians": lambda: [sensitivity.by_medians(scores, draws, seed)],
        "paper_rope": lambda: [
            sensitivity.Variation("rope 0.1 d", paper.posterior_paper_rope, list(range(scores.shape[1])))
        ],
    }
    found = {}
    for name, run in parts.items():
        progress(f"sensitivity: {name}")
        found[name] = _part(paper, run())
    fields = cast(SensitivityFields, dataclasses.asdict(settings))
    return {"settings": fields, "order": paper.order, "draws": draws, "parts": found}


def _part(paper: Material, variations: list[sensitivity.Variation]) -> SensitivityPart:
    base, threshold = paper.posterior, paper.settings.threshold
    first, second = np.triu_indices(len(paper.order), 1)
    decided = base.decisions(threshold)
    kept = np.zeros(len(first))
    rows: list[VariationEntry] = []
    for variation in variations:
        changed = variation.changed_decisions(base, threshold)
        after = variation.posterior.decisions(threshold)
        kept += after[first, second] == decided[first, second]
        moves = {paper.order[p]: place - p for place, p in enumerate(variation.order) if place != p}
        rows.append(
            {
                "name": variation.name,
                "changed": [
                    {
                        "a": paper.order[i],
                        "b": paper.order[j],
                        "from": str(decided[i, j]),
                        "to": str(after[i, j]),
                    }
                    for i, j in changed
                ],
                "largest_shift": _largest_shift(base, variation.posterior),
                "top": paper.order[variation.order[0]],
                "moved_ranks": moves,
            }
        )
    unstable = {
        f"{paper.order[i]}/{paper.order[j]}": float(share)
        for i, j, share in zip(first, second, kept / len(variations), strict=True)
        if share < 1
    }
    return {"variations": rows, "pairs": len(first), "unstable_pairs": unstable}


def _largest_shift(base: Posterior, other: Posterior) -> float:
    return float(np.nanmax(np.abs(other.better - base.better)))


def _keyed(cell: Cell) -> dict[str, object]:
    """Return the fields of a score by their keys in statistics.json, where ``published`` is ``printed``."""
    return {key.replace("published", "printed"): value for key, value in dataclasses.asdict(cell).items()}
