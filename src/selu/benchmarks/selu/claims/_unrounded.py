"""Scores that round to the published ones: what the rounding of Table VI to three digits can change."""

from __future__ import annotations

import numpy as np

from selu.benchmarks.selu.analysis.aggregates import HALF_WIDTH, FloatArray
from selu.benchmarks.selu.claims._systems import scores_of
from selu.benchmarks.selu.material import Material
from selu.stats.effect import cohen_d
from selu.stats.rounding import reachable

MEANS = 2 * HALF_WIDTH  # the largest difference of two means that rounding alone can explain
DEVIATION = HALF_WIDTH * (20 / 19) ** 0.5  # the most that it moves a standard deviation of 20 scores
MARGIN = "Rounding or Monte-Carlo error that can turn the verdict is a caveat now, by one rule for all claims."
_TABLES = 50


def unrounded(m: Material) -> FloatArray:
    """Random tables that round to the published scores, shape (tables, tasks, systems in rank order)."""
    scores = m.ranked[m.order].to_numpy(dtype=np.float64)
    rng = np.random.default_rng(m.knobs.seed)
    return np.asarray(scores + rng.uniform(-HALF_WIDTH, HALF_WIDTH, (_TABLES, *scores.shape)))


def d_range(m: Material, a: str, b: str) -> tuple[float, float]:
    """Return the lowest and the highest Cohen's d of two systems that rounding can explain."""
    both = np.stack([scores_of(m, a), scores_of(m, b)])
    return reachable(lambda pair: cohen_d(pair[0], pair[1]), both, HALF_WIDTH)
