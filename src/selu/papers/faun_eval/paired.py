"""The difference of two sets of answers on the same tasks, with intervals over resampled tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from selu.metrics import percentiles
from selu.metrics.percentiles import Resampling
from selu.papers.faun_eval.records import Difference, Mean, Pair, StratumPair

COMPARED = ("exact_existing", "edit_patch", "codebleu_blocks", "resolved")
ALL_TASKS = "all tasks"
Values = Mapping[str, Mapping[str, Sequence[float]]]  # set -> metric -> score of each task, in their order


@lru_cache(maxsize=8)
def resample(total: int, draws: Resampling) -> NDArray[np.int64]:
    """Draw how often each task counts: shape (draws, total), the same for all sets and metrics."""
    random = np.random.default_rng(draws.seed)
    return random.multinomial(total, np.full(total, 1 / total), size=draws.draws)


def difference(first: Sequence[float], second: Sequence[float], draws: Resampling) -> Difference:
    """Average the differences of two lists of scores of the same tasks, with an interval over resampled tasks.

    Raises:
        ValueError: the lists differ in length, or are empty.
    """
    gap = np.subtract(first, second)
    if gap.ndim != 1 or len(gap) == 0 or len(first) != len(second):
        raise ValueError("paired scores are those of the same tasks")
    low, high, error = percentiles.bounds(resample(len(gap), draws) @ gap / len(gap), draws.level)
    return {"difference": float(gap.mean()), "low": low, "high": high, "error": error}


def mean(values: Sequence[float], draws: Resampling, minus: Sequence[float] | None = None) -> Mean:
    """Average scores, or how far they are above others of the same tasks, in the same way."""
    found = difference(values, [0.0] * len(values) if minus is None else minus, draws)
    return {"score": found["difference"], "low": found["low"], "high": found["high"]}


def compare(values: Values, draws: Resampling) -> list[Pair]:
    """Compare every two sets that have a metric, the one with the higher mean first."""
    rows: list[Pair] = []
    for metric in COMPARED:
        for higher, lower in combinations(_ordered(values, metric), 2):
            found = difference(values[higher][metric], values[lower][metric], draws)
            rows.append({"metric": metric, "one": higher, "other": lower, "tasks": ALL_TASKS, **found})
    return rows


def compare_in_strata(
    values: Values, tasks: Sequence[str], strata: Mapping[str, str], draws: Resampling
) -> list[StratumPair]:
    """Compare the best set of each metric with every other one, in each stratum of the tasks."""
    rows: list[StratumPair] = []
    for name in sorted(set(strata.values())):
        places = [place for place, task in enumerate(tasks) if strata.get(task) == name]
        for metric in COMPARED if places else ():
            best, *others = _ordered(values, metric) or [""]
            for other in others:
                ours, theirs = (
                    [values[set_name][metric][place] for place in places] for set_name in (best, other)
                )
                found = difference(ours, theirs, draws)
                rows.append(
                    {
                        "metric": metric,
                        "one": best,
                        "other": other,
                        "tasks": name,
                        "number": len(places),
                        **found,
                    }
                )
    return rows


def apart(rows: Iterable[Difference]) -> tuple[int, int]:
    """Count the pairs whose interval leaves 0 out, and all of them."""
    every = list(rows)
    return sum(row["low"] > 0 or row["high"] < 0 for row in every), len(every)


def _ordered(values: Values, metric: str) -> list[str]:
    having = [name for name, scores in values.items() if metric in scores]
    return sorted(having, key=lambda name: -float(np.mean(values[name][metric])))
