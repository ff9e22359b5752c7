"""Changes of decisions and ranks under changes that should not matter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selu.stats.compare import Posterior, compare_all

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Variation:
    """One changed run beside the base run; ``orders`` hold column positions, best first."""

    name: str
    posterior: Posterior
    order: list[int]

    def changed_decisions(self, base: Posterior, threshold: float = 0.95) -> list[tuple[int, int]]:
        """List the pairs (i < j) whose decision differs from the base run's."""
        differs = self.posterior.decisions(threshold) != base.decisions(threshold)
        rows, columns = np.nonzero(np.triu(differs, 1))
        return [(int(i), int(j)) for i, j in zip(rows, columns, strict=True)]


def rank_order(values: FloatArray) -> list[int]:
    """Return column positions by falling value; equal values keep their column order."""
    return [int(i) for i in np.argsort(-np.asarray(values), kind="stable")]


def _by_means(name: str, scores: FloatArray, draws: int, seed: int) -> Variation:
    """Run the test on changed scores or draws, and rank by means."""
    return Variation(name, compare_all(scores, draws=draws, seed=seed), rank_order(scores.mean(axis=0)))


def over_seeds(scores: FloatArray, seeds: list[int], draws: int) -> list[Variation]:
    """Run the test under other random draws: ranks cannot change, decisions near the threshold can."""
    return [_by_means(f"seed {seed}", scores, draws, seed) for seed in seeds]


def without_each(scores: FloatArray, names: list[str], draws: int, seed: int) -> list[Variation]:
    """Leave out one task (row) at a time."""
    return [
        _by_means(f"without {name}", np.delete(scores, row, axis=0), draws, seed)
        for row, name in enumerate(names)
    ]


def under_rounding(
    scores: FloatArray, half_width: float, repeats: int, draws: int, seed: int
) -> list[Variation]:
    """Try unrounded scores that would print as these: uniform noise of ``half_width`` on every input."""
    noise = np.random.default_rng(seed)
    moved = (scores + noise.uniform(-half_width, half_width, scores.shape) for _ in range(repeats))
    return [_by_means(f"rounding {place}", each, draws, seed) for place, each in enumerate(moved, start=1)]


def by_medians(scores: FloatArray, draws: int, seed: int) -> Variation:
    """Rank by medians, with the rope from pooled median absolute deviations."""
    order = rank_order(np.median(scores, axis=0))
    return Variation("medians", compare_all(scores, mode="mad", draws=draws, seed=seed), order)
