"""The effect of rounding Table VI to three digits, by the scores before rounding where known."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, wraps

import numpy as np
from numpy.typing import NDArray

from selu.papers.claims import Check
from selu.papers.selu.analysis.aggregates import HALF_WIDTH, FloatArray
from selu.papers.selu.claims._systems import scores_of
from selu.papers.selu.material import Material
from selu.stats.effect import cohen_d
from selu.stats.rounding import reachable
from selu.vocabulary import CaveatKind, Finding, Verdict

MEANS = 2 * HALF_WIDTH  # the largest difference of two means that rounding alone can explain
DEVIATION = HALF_WIDTH * (20 / 19) ** 0.5  # the most that it moves a standard deviation of 20 scores
_TABLES = 50


def settled(check: Check) -> Check:
    """Judge a claim that rounding or Monte-Carlo error limits on the scores before rounding, too.

    Where these leave no caveat, theirs is the finding; ``from_published_scores`` has the other one.
    """

    @wraps(check)
    def judged(paper: Material) -> Finding:
        found = check(paper)
        if found.verdict is not Verdict.CAVEAT or found.caveat_kind not in (CaveatKind.ROUNDING, None):
            return found
        finer = check(paper.unrounded) if paper.unrounded else found
        if finer.verdict not in (Verdict.HOLDS, Verdict.FAILS):
            return found
        before = {"verdict": found.verdict.value, "because": found.because}
        return Finding(
            finer.verdict,
            f"By the scores before rounding: {finer.because} The published digits alone leave this open.",
            {**finer.numbers, "from_published_scores": before},
        )

    return judged


def rounded(paper: Material, systems: Iterable[str]) -> NDArray[np.bool_]:
    """Return which ranked scores are rounded, shape (tasks, systems)."""
    tasks, names = list(paper.ranked.index), list(systems)
    return np.array([[(task, name) not in paper.exact for name in names] for task in tasks])


def margin(paper: Material, a: str, b: str) -> float:
    """Return the largest difference of two systems' means that rounding alone can explain."""
    return HALF_WIDTH * np.count_nonzero(rounded(paper, (a, b))) / len(paper.ranked)


def unrounded(paper: Material) -> FloatArray:
    """Return random tables that round to the published scores, shape (tables, tasks, systems by rank)."""
    scores = paper.ranked[paper.order].to_numpy(dtype=np.float64)
    rng = np.random.default_rng(paper.settings.seed)
    noise = rng.uniform(-HALF_WIDTH, HALF_WIDTH, (_TABLES, *scores.shape))
    return np.asarray(scores + noise * rounded(paper, paper.order))


def d_range(paper: Material, a: str, b: str) -> tuple[float, float]:
    """Return the lowest and the highest Cohen's d of two systems that rounding can explain."""
    scores = np.stack([scores_of(paper, a), scores_of(paper, b)])
    return _d_range(scores.tobytes(), rounded(paper, (a, b)).T.astype(bool).tobytes())


@lru_cache(maxsize=4_096)  # claims on other scores ask again for pairs whose scores are the same
def _d_range(scores: bytes, is_rounded: bytes) -> tuple[float, float]:
    pair, widths = np.frombuffer(scores).reshape(2, -1), np.frombuffer(is_rounded, bool).reshape(2, -1)
    return reachable(lambda moved: cohen_d(moved[0], moved[1]), pair, HALF_WIDTH * widths)
