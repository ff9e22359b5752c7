"""What the rounding of Table VI to three digits can change, and what the scores before rounding say of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import wraps

import numpy as np

from selu.benchmarks.selu.analysis.aggregates import HALF_WIDTH, FloatArray
from selu.benchmarks.selu.claims._systems import scores_of
from selu.benchmarks.selu.material import Material
from selu.stats.effect import cohen_d
from selu.stats.rounding import reachable
from selu.vocabulary import CaveatKind, Claim, Finding, Verdict

MEANS = 2 * HALF_WIDTH  # the largest difference of two means that rounding alone can explain
DEVIATION = HALF_WIDTH * (20 / 19) ** 0.5  # the most that it moves a standard deviation of 20 scores
MARGIN = "Rounding or Monte-Carlo error that can turn the verdict is a caveat now, by one rule for all claims."
_TABLES = 50
_NAMED = re.compile(r"rounding|Monte-Carlo", re.IGNORECASE)  # in the rule of a claim whose caveat has no kind


def settled(claim: Claim) -> Claim:
    """Judge a claim that rounding or Monte-Carlo error limits on the scores before rounding, too.

    Where these leave no caveat, theirs is the finding; ``from_published_scores`` has the other one.
    """

    @wraps(claim.check)
    def check(m: Material) -> Finding:
        found = claim.check(m)
        kind = found.caveat_kind or (CaveatKind.ROUNDING if _NAMED.search(claim.rule.caveat) else None)
        if found.verdict is not Verdict.CAVEAT or kind is not CaveatKind.ROUNDING:
            return found
        finer = claim.check(m.unrounded) if m.unrounded else found
        if finer.verdict not in (Verdict.HOLDS, Verdict.FAILS):
            return found
        before = {"verdict": found.verdict.value, "because": found.because}
        return Finding(
            finer.verdict,
            f"By the scores before rounding: {finer.because} The published digits alone leave this open.",
            {**finer.numbers, "from_published_scores": before},
        )

    return replace(claim, check=check)


def half_widths(m: Material, systems: Iterable[str]) -> FloatArray:
    """How far each ranked score may be off by its rounding, shape (tasks, systems)."""
    tasks, names = list(m.ranked.index), list(systems)
    return np.array([[0.0 if (task, name) in m.exact else HALF_WIDTH for name in names] for task in tasks])


def margin(m: Material, a: str, b: str) -> float:
    """Return the largest difference of two systems' means that rounding alone can explain."""
    return HALF_WIDTH * np.count_nonzero(half_widths(m, (a, b))) / len(m.ranked)


def unrounded(m: Material) -> FloatArray:
    """Random tables that round to the published scores, shape (tables, tasks, systems in rank order)."""
    scores = m.ranked[m.order].to_numpy(dtype=np.float64)
    rng = np.random.default_rng(m.knobs.seed)
    noise = rng.uniform(-HALF_WIDTH, HALF_WIDTH, (_TABLES, *scores.shape))
    return np.asarray(scores + noise * (half_widths(m, m.order) > 0))


def d_range(m: Material, a: str, b: str) -> tuple[float, float]:
    """Return the lowest and the highest Cohen's d of two systems that rounding can explain."""
    both = np.stack([scores_of(m, a), scores_of(m, b)])
    return reachable(lambda pair: cohen_d(pair[0], pair[1]), both, half_widths(m, (a, b)).T)
