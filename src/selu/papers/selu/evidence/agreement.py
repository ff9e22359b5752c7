"""How often two runs of a prompted model give the same answer to the same rows, with intervals.

Runs without and with shots are held against each other, and the readings of both protocols.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from selu.metrics.checks import INVALID
from selu.papers.evidence import Evidence, RunSeen
from selu.papers.selu.records.prompted import Agreed, Agreement, PromptedCell
from selu.papers.selu.reruns import cells
from selu.papers.selu.reruns.prompted import run_of
from selu.stats.agreement import kappa, share
from selu.vocabulary import Kind, RunState, SeluError, System

SAME, NEAR = "the same answer", "within 1 point"


def agreements(
    evidence: Evidence,
    planned: Mapping[tuple[str, str], Mapping[str, RunSeen]],
    found: Sequence[PromptedCell],
    systems: Sequence[System],
) -> list[Agreement]:
    """Return how often a model's strict answers agree with and without examples, per task with both runs."""
    by = {(cell["task"], cell["system"]): cell for cell in found}
    pairs = [
        (zero, few)
        for zero in systems
        for few in systems
        if (zero.series, zero.shots) == (few.series, 0) and few.shots
    ]
    entries: list[Agreement] = []
    for task in dict.fromkeys(task for task, _ in planned):
        for zero, few in pairs:
            keys = (task, zero.id), (task, few.id)
            if any(key not in planned for key in keys):
                continue
            pair = [by[key] for key in keys]
            gone = [cell["system"] for cell in pair if run_of(cell, "strict")["state"] != cells.PRESENT]
            if gone:
                why = f"it takes the strict runs of both, and {' and '.join(gone)} has none"
                entries.append(_entry(pair[0], str(RunState.MISSING), why))
                continue
            agreed = _agreement(evidence, planned[keys[0]]["strict"], planned[keys[1]]["strict"])
            entries.append({**_entry(pair[0], cells.PRESENT, None), **agreed})
    return entries


def _entry(cell: PromptedCell, state: str, reason: str | None) -> Agreement:
    return {
        "task": cell["task"],
        "model": cell["model"],
        "kind": cell["kind"],
        "metric": cell["metric"],
        "standing": cell["standing"],
        "state": state,
        "reason": reason,
    }


def _agreement(evidence: Evidence, zero: RunSeen, few: RunSeen) -> Agreed:
    """Compare the answers to rows that both answered validly.

    Numbers agree if they are at most a point apart: a rank correlation would not see all of them shifted, which
    SMAPE does. Label sets agree if all labels do."""
    pairs, level = both_answers(evidence, zero, few), evidence.draws.level
    valid = [(a, b) for a, b in pairs if a is not None and b is not None]
    number = zero.task.kind is Kind.REGRESSION
    same = sum(abs(a - b) <= 1 if number else a == b for a, b in valid)
    return {
        "zero_shot": zero.name,
        "few_shot": few.name,
        "what": NEAR if number else SAME,
        "rows": len(pairs),
        "invalid_zero_shot": sum(a is None for a, _ in pairs),
        "invalid_few_shot": sum(b is None for _, b in pairs),
        "invalid_both": sum(a is None and b is None for a, b in pairs),
        "same": share(same, len(valid), level) if valid else None,
        "kappa": None if number or not valid else kappa(valid, level),
    }


def both_answers(evidence: Evidence, run_seen: RunSeen, other: RunSeen) -> list[tuple[Any, Any]]:
    """Return the answers of two runs to each row of both, None for an invalid answer.

    Of a task that is asked in part a run with demonstrations may hold a smaller sample of the same rows.

    Raises:
        SeluError: a run is damaged, or each answers rows that the other does not.
    """
    first, second = evidence.answers(run_seen), evidence.answers(other)
    if not (first.keys() <= second.keys() or second.keys() <= first.keys()):
        raise SeluError(f"{run_seen.name} and {other.name} answer other rows: run both again with 'selu run'.")
    return [(_plain(answer), _plain(second[id])) for id, answer in first.items() if id in second]


def _plain(answer: object) -> object:
    if isinstance(answer, list):
        return None if INVALID in answer else tuple(answer)
    if isinstance(answer, float):
        return answer if math.isfinite(answer) else None
    return None if answer == INVALID else answer
