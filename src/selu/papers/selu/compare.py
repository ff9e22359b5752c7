"""Two systems of the paper side by side: their published scores, and the paper's own test."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from selu.boards.versus import probability
from selu.names import find
from selu.papers.selu.material import Material
from selu.stats.choices import RopeMode
from selu.stats.compare import BETTER, EQUAL, WORSE
from selu.stats.signed_rank import monte_carlo_error
from selu.vocabulary import SeluError

Row = dict[str, Any]


def compare(_root: Path, paper: Material, a: str, b: str) -> Row:
    """Compare two systems: differences per task, posteriors under both ropes, and one sentence.

    Raises:
        SeluError: the paper has no such system, or both names are of one.
    """
    first, second = (find(name, paper.systems, "system") for name in (a, b))
    if first == second:
        raise SeluError(f"{a!r} and {b!r} are the same system: name two different ones.")
    scores = paper.scores[[first, second]].dropna()
    tasks = [
        {
            "task": task_id,
            "kind": paper.task(str(task_id)).kind,
            first: float(row[first]),
            second: float(row[second]),
            "difference": round(float(row[first] - row[second]), 3),
            "ranked": paper.task(str(task_id)).ranked,
        }
        for task_id, row in scores.iterrows()
    ]
    modes: tuple[RopeMode, ...] = ("autorank", "paper")
    posteriors = {mode: _posterior(paper, first, second, mode) for mode in modes}
    return {
        "a": first,
        "b": second,
        "tasks": tasks,
        "posterior": posteriors,
        "sentence": _sentence(paper, first, second, posteriors),
    }


def _posterior(paper: Material, a: str, b: str, mode: RopeMode) -> Row:
    pair = [id for id in paper.order if id in (a, b)]  # as among all, the one that is ranked first
    posterior = paper.posterior_of(mode, pair)
    i, j = pair.index(a), pair.index(b)
    probabilities = {
        "better": float(posterior.better[i, j]),
        "equal": float(posterior.equal[i, j]),
        "worse": float(posterior.better[j, i]),
    }
    errors = {
        f"{name}_error": float(monte_carlo_error(np.array(p), posterior.draws))
        for name, p in probabilities.items()
    }
    decision = str(posterior.decisions(paper.settings.threshold)[i, j])
    return {**probabilities, **errors, "rope": float(posterior.rope[i, j]), "decision": decision}


def _sentence(paper: Material, a: str, b: str, posteriors: Mapping[RopeMode, Row]) -> str:
    differences = (paper.ranked[a] - paper.ranked[b]).round(6)
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    ties, mean = len(differences) - wins - losses, float(differences.mean())
    p, strict = posteriors["autorank"], posteriors["paper"]
    name_a, name_b = paper.system(a).name, paper.system(b).name
    meaning = {
        BETTER: f"{name_a} is better",
        WORSE: f"{name_b} is better",
        EQUAL: "they are practically equal",
    }
    events = {"better": f"{name_a} better", "equal": "practically equal", "worse": f"{name_b} better"}
    parts = [probability(event, p[name], p[f"{name}_error"]) for name, event in events.items()]
    decided = f"at {100 * paper.settings.threshold:.0f} %"
    unclear = "there is no clear winner"
    return (
        f"Over the {len(differences)} ranked tasks {name_a} scores {abs(mean):.3f} "
        f"{'more' if mean >= 0 else 'less'} than {name_b} on average and wins {wins}, ties {ties}, loses "
        f"{losses}. {', '.join(parts)}: {meaning.get(p['decision'], unclear)} {decided} "
        f"(with the paper's equivalence threshold of 0.1 d: {meaning.get(strict['decision'], unclear)})."
    )
