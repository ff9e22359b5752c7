"""A ranking of systems over chosen tasks with weights: mean, win rate, interval, signed-rank test.

``static/chosen.js`` of the site does the same, sum by sum in the same order, so that both give the same
numbers. A task's weight multiplies its share in a mean and its mass in each draw; weights are scaled so that
they are 1 on average, which leaves the prior its strength. With equal weights this is the paper's method.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Scores = Sequence[float | None]  # of a system, one for each task of the benchmark
_TAIL = 0.025  # what an interval leaves out on each side
_SAME = 1e12  # means that are equal at this scale are equal


@dataclass(frozen=True, slots=True)
class Place:
    """A system's place: ``system`` is its position in the list, ``missing`` are positions of tasks.

    Systems of equal means that lack as many tasks share a rank.

    ``low`` and ``high`` bound the mean with 95 %: the Bayesian bootstrap over tasks (Rubin, Annals of
    Statistics 9(1), 1981). They, ``sd`` and ``win_rate`` are None where there is nothing to compute them from.
    """

    rank: int
    system: int
    mean: float
    sd: float | None
    low: float | None
    high: float | None
    win_rate: float | None
    missing: tuple[int, ...]


class Pair(NamedTuple):
    """Posterior probabilities of one system against another, over so many tasks; ``rope`` in score units."""

    better: float
    equal: float
    worse: float
    rope: float
    tasks: int


def ranking(scores: Sequence[Scores], weights: Sequence[float], draws: FloatArray) -> list[Place]:
    """Rank systems by their weighted mean; those that lack a chosen task come after all that lack none.

    Args:
        scores: in 0..1, of each system.
        weights: of each task, 0 for one that is not chosen.
        draws: of ``draws.gammas``, one row more than tasks.

    Returns:
        best first, without systems that have a score on no chosen task.
    """
    chosen = [task for task, weight in enumerate(weights) if weight > 0]
    rates = _win_rates(scores, weights, chosen)
    found = []
    for system, row in enumerate(scores):
        tasks = [task for task in chosen if row[task] is not None]
        if not tasks:
            continue
        values = [float(row[task] or 0.0) for task in tasks]
        scaled = _scaled([weights[task] for task in tasks])
        mean = _mean(values, scaled)
        sd = _deviation(values, scaled, mean)
        low, high = _interval(values, scaled, draws, tasks)
        missing = tuple(task for task in chosen if row[task] is None)
        found.append(Place(0, system, mean, sd, low, high, rates[system], missing))
    found.sort(key=lambda place: (*_level(place), place.sd or 0.0))
    levels = [_level(place) for place in found]
    return [replace(place, rank=levels.index(level) + 1) for place, level in zip(found, levels, strict=True)]


def _level(place: Place) -> tuple[int, int]:
    return len(place.missing), -math.floor(place.mean * _SAME + 0.5)


def against(a: Scores, b: Scores, weights: Sequence[float], rope: float, draws: FloatArray) -> Pair | None:
    """Test a system against another one by the Bayesian signed-rank test (Benavoli et al., ICML 2014).

    Args:
        weights: of each task, 0 for one that is not chosen; tasks that one of the two lacks are left out.
        rope: equivalence threshold, as a share of the pooled standard deviation of the two.
        draws: of ``draws.gammas``.

    Returns:
        None over fewer than two tasks, or where neither system's scores vary.
    """
    tasks = [
        task
        for task, weight in enumerate(weights)
        if weight > 0 and a[task] is not None and b[task] is not None
    ]
    if len(tasks) < 2:
        return None
    first, second = ([float(row[task] or 0.0) for task in tasks] for row in (a, b))
    scaled = _scaled([weights[task] for task in tasks])
    spreads = [_deviation(values, scaled, _mean(values, scaled)) or 0.0 for values in (first, second)]
    width = rope * math.sqrt((spreads[0] * spreads[0] + spreads[1] * spreads[1]) / 2.0)
    if width == 0.0:
        return None
    better, worse = _count(first, second, scaled, width, draws, tasks)
    total = draws.shape[1]
    return Pair(better / total, (total - better - worse) / total, worse / total, width, len(tasks))


def _count(
    a: list[float], b: list[float], weights: list[float], width: float, draws: FloatArray, tasks: list[int]
) -> tuple[int, int]:
    """Count the draws in which ``a`` has the largest mass, and ``b``."""
    points = [
        (0.0, 1.0, 0),
        *((x - y, w, 1 + task) for x, y, w, task in zip(a, b, weights, tasks, strict=True)),
    ]
    points.sort(key=lambda point: (point[0], point[2]))
    masses = [weight * draws[row] for _, weight, row in points]
    below = [np.zeros(draws.shape[1])]  # mass of the first so many points
    for mass in masses:
        below.append(below[-1] + mass)
    total, left, right = below[-1], 0.0 * below[-1], 0.0 * below[-1]
    for (z, _, _), mass in zip(points, masses, strict=True):
        left += mass * below[sum(z + other < -2.0 * width for other, _, _ in points)]
        right += mass * (total - below[sum(z + other <= 2.0 * width for other, _, _ in points)])
    equal = total * total - left - right
    won = (right > left) & (right > equal)
    lost = (left >= right) & (left >= equal)
    return int(np.count_nonzero(won)), int(np.count_nonzero(lost))


def _scaled(weights: list[float]) -> list[float]:
    total = 0.0
    for weight in weights:
        total += weight
    return [weight * len(weights) / total for weight in weights]


def _mean(values: list[float], weights: list[float]) -> float:
    total = 0.0
    for value, weight in zip(values, weights, strict=True):
        total += weight * value
    return total / len(values)


def _deviation(values: list[float], weights: list[float], mean: float) -> float | None:
    """Return the standard deviation over tasks (n - 1), each square with its task's weight."""
    if len(values) < 2:
        return None
    total = 0.0
    for value, weight in zip(values, weights, strict=True):
        total += weight * (value - mean) * (value - mean)
    return math.sqrt(total / (len(values) - 1))


def _interval(
    values: list[float], weights: list[float], draws: FloatArray, tasks: list[int]
) -> tuple[float | None, float | None]:
    if len(values) < 2:
        return None, None
    above, below = np.zeros(draws.shape[1]), np.zeros(draws.shape[1])
    for value, weight, task in zip(values, weights, tasks, strict=True):
        mass = weight * draws[1 + task]
        above += mass * value
        below += mass
    means = np.sort(above / below)
    place = math.floor(_TAIL * len(means))
    return float(means[place]), float(means[len(means) - 1 - place])


def _win_rates(scores: Sequence[Scores], weights: Sequence[float], chosen: list[int]) -> list[float | None]:
    """Return each system's share of others that it beats (a tie counts half), averaged over its tasks."""
    rates: list[float | None] = []
    for system, row in enumerate(scores):
        above = below = 0.0
        for task in chosen:
            value = row[task]
            others = [
                o
                for place, other_row in enumerate(scores)
                if place != system and (o := other_row[task]) is not None
            ]
            if value is None or not others:
                continue
            won = sum(other < value for other in others) + 0.5 * sum(other == value for other in others)
            above += weights[task] * (won / len(others))
            below += weights[task]
        rates.append(above / below if below else None)
    return rates
