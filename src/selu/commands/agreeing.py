"""How often two runs give the same answer to the same rows, with intervals.

A prompted model's runs without and with shots are held against each other, and the readings of both protocols.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from selu.benchmarks.selu import cells
from selu.commands.planned import Planned
from selu.metrics.checks import INVALID
from selu.runs import record
from selu.vocabulary import Kind, SeluError, System

SAME, NEAR = "the same answer", "within 1 point"
Record = dict[str, Any]


def agreements(
    planned: Mapping[tuple[str, str], Mapping[str, Planned]],
    found: Sequence[Record],
    systems: Sequence[System],
    level: float,
) -> list[Record]:
    """How often a model's strict answers without and with shots are the same, per task, where both stand."""
    by = {(cell["task"], cell["system"]): cell for cell in found}
    pairs = [
        (zero, few)
        for zero in systems
        for few in systems
        if (zero.series, zero.shots) == (few.series, 0) and few.shots
    ]
    entries = []
    for task in dict.fromkeys(task for task, _ in planned):
        for zero, few in pairs:
            keys = (task, zero.id), (task, few.id)
            if any(key not in planned for key in keys):
                continue
            both = [by[key] for key in keys]
            head = {name: both[0][name] for name in ("task", "model", "kind", "metric", "standing")}
            gone = [c["system"] for c in both if c["strict"]["state"] != cells.PRESENT]
            if gone:
                why = f"it takes the strict runs of both, and {' and '.join(gone)} has none"
                entries.append({**head, "state": str(record.State.MISSING), "reason": why})
                continue
            one, other = (planned[key]["strict"] for key in keys)
            entries.append({**head, "state": cells.PRESENT, "reason": None, **_agreement(one, other, level)})
    return entries


def _agreement(zero: Planned, few: Planned, level: float) -> Record:
    """Over the rows that both answered validly. Of numbers: at most a point apart, since a rank correlation
    would not see all of them shifted, which SMAPE does; of label sets: all labels the same."""
    pairs = both_answers(zero, few)
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


def share(count: int, rows: int, level: float) -> Record:
    """A share of rows with Wilson's interval (1927), which keeps a width where the share is 0 or 1."""
    from scipy import stats

    bounds = stats.binomtest(count, rows).proportion_ci(level, method="wilson")
    low, high = float(bounds.low), float(bounds.high)
    return {"count": count, "rows": rows, "share": count / rows, "low": low, "high": high}


def kappa(pairs: Sequence[tuple[Any, Any]], level: float) -> Record | None:
    """Cohen's kappa (1960) with the large-sample interval of Fleiss, Cohen and Everitt (1969), cut at -1 and 1.

    None where both always give one and the same answer, of which it is not defined.
    """
    from scipy import stats

    n = len(pairs)
    first, second = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    chance = math.fsum(first[a] * second[a] for a in first) / n**2
    if chance == 1:
        return None
    value = (sum(a == b for a, b in pairs) / n - chance) / (1 - chance)
    terms = []
    for (a, b), count in Counter(pairs).items():
        weight = (second[a] + first[b]) / n * (1 - value)
        terms.append(count / n * (1 - weight if a == b else weight) ** 2)
    spread = math.fsum(terms) - (value - chance * (1 - value)) ** 2
    error = math.sqrt(max(spread, 0.0) / n) / (1 - chance)
    half = float(stats.norm.ppf((1 + level) / 2)) * error
    return {"value": value, "low": max(value - half, -1.0), "high": min(value + half, 1.0)}


def both_answers(one: Planned, other: Planned) -> list[tuple[Any, Any]]:
    """The answers of two runs to each row, None where there is none.

    Raises:
        SeluError: a run is damaged, or they answer other rows.
    """
    first, second = _answers(one), _answers(other)
    if first.keys() != second.keys():
        raise SeluError(f"{one.name} and {other.name} answer other rows: run both again with 'selu run'.")
    return [(answer, second[id]) for id, answer in first.items()]


def _answers(run: Planned) -> dict[str, Any]:
    table = record.read_predictions(run.folder, run.identity)
    return dict(zip(table["id"], map(_plain, table["prediction"]), strict=True))


def _plain(answer: Any) -> Any:
    if isinstance(answer, list):
        return None if INVALID in answer else tuple(answer)
    if isinstance(answer, float):
        return answer if math.isfinite(answer) else None
    return None if answer == INVALID else answer
