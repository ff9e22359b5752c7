"""All pairs of systems at once: ropes, posterior matrices, decisions (SELU section IV-D, Figure 5)."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selu.stats.choices import Backend, RopeMode
from selu.stats.effect import cohen_d, pooled_mad, pooled_sd, variance
from selu.stats.signed_rank import monte_carlo_error, posterior

FloatArray = NDArray[np.float64]

_NONE = 1e-12  # width of a region that stands for none
BETTER, EQUAL, WORSE, INCONCLUSIVE = "better", "equal", "worse", "inconclusive"


@dataclass(frozen=True)
class Posterior:
    """Posterior of every ordered pair of systems.

    ``better[i, j]`` is P(system i better than system j), ``equal`` is symmetric, and
    ``better + equal + better.T = 1`` off the diagonal, which is nan. ``rope[i, j]`` is the half-width used.
    """

    better: FloatArray
    equal: FloatArray
    rope: FloatArray
    draws: int
    seed: int

    @property
    def error_better(self) -> FloatArray:
        """Return the Monte-Carlo standard error of ``better``."""
        return monte_carlo_error(self.better, self.draws)

    @property
    def error_equal(self) -> FloatArray:
        """Return the Monte-Carlo standard error of ``equal``."""
        return monte_carlo_error(self.equal, self.draws)

    def decisions(self, threshold: float = 0.95) -> NDArray[np.str_]:
        """Decide between the row system and the column system; the diagonal is empty."""
        verdicts = np.full(self.better.shape, INCONCLUSIVE, dtype="<U12")
        verdicts[threshold <= self.better.T] = WORSE
        verdicts[self.equal >= threshold] = EQUAL
        verdicts[self.better >= threshold] = BETTER
        np.fill_diagonal(verdicts, "")
        return verdicts


def rope_width(a: FloatArray, b: FloatArray, mode: RopeMode, rope: float = 0.1) -> float:
    """Return the half-width of the region of practical equivalence of one pair, in score units.

    ``autorank``: rope x pooled SD, half of a small effect. ``paper``: rope x |d|, as section IV-D writes
    it, with d used as if it were a score difference; it vanishes for equal means, where a width of 1e-12
    stands for "none". ``mad``: rope x pooled MAD, autorank's way where it ranks by medians.

    Raises:
        ValueError: where the pair has no spread, so that no width can be derived.
    """
    if mode == "paper":
        d = cohen_d(a, b)
        if np.isnan(d):
            raise ValueError("Cohen's d is undefined: neither system's scores vary")
        return max(rope * abs(d), _NONE)
    spread = pooled_mad(a, b) if mode == "mad" else pooled_sd(a, b)
    if spread == 0:
        raise ValueError("the pooled deviation is 0: neither system's scores vary")
    return rope * spread


def _widths(
    scores: FloatArray, first: NDArray[np.intp], second: NDArray[np.intp], mode: RopeMode, rope: float
) -> FloatArray:
    """Return ``rope_width`` of each pair of columns, to the bit; the spread of a column is computed once."""
    n = len(scores)
    if mode == "mad" or n < 2:
        pairs = zip(first, second, strict=True)
        return np.array([rope_width(scores[:, i], scores[:, j], mode, rope) for i, j in pairs])
    variances, means = (
        np.array([statistic(column) for column in scores.T]) for statistic in (variance, np.mean)
    )
    spread = np.sqrt(((n - 1) * variances[first] + (n - 1) * variances[second]) / (n + n - 2))
    if not spread.all():  # the first such pair is refused with the reason
        i, j = next((i, j) for i, j, width in zip(first, second, spread, strict=True) if not width)
        rope_width(scores[:, i], scores[:, j], mode, rope)
    if mode == "autorank":
        return np.asarray(rope * spread)
    return np.asarray(np.maximum(rope * np.abs((means[first] - means[second]) / spread), _NONE))


def compare_all(
    scores: FloatArray,
    *,
    mode: RopeMode = "autorank",
    rope: float = 0.1,
    draws: int = 50_000,
    seed: int = 42,
    backend: Backend = "matrix",
) -> Posterior:
    """Run the Bayesian signed-rank test of every pair of columns.

    Args:
        scores: shape (n tasks, systems), higher is better, no missing value.
        mode: how the region of practical equivalence is set, see ``rope_width``.
        backend: ``matrix`` for all pairs together, ``autorank`` for the authors' library (slow; only its
            own rope modes).
    """
    scores = np.asarray(scores, dtype=np.float64)
    systems = scores.shape[1]
    first, second = np.triu_indices(systems, 1)
    widths = _widths(scores, first, second, mode, rope)
    if backend == "autorank":
        p = _by_autorank(scores, mode, rope, draws, seed)
    else:
        p = posterior((scores[:, second] - scores[:, first]).T, widths, draws=draws, seed=seed)
    better, equal, width = (np.full((systems, systems), np.nan) for _ in range(3))
    better[first, second], better[second, first] = p[:, 0], p[:, 2]
    equal[first, second] = equal[second, first] = p[:, 1]
    width[first, second] = width[second, first] = widths
    return Posterior(better, equal, width, draws, seed)


def _by_autorank(scores: FloatArray, mode: RopeMode, rope: float, draws: int, seed: int) -> FloatArray:
    """Return the posterior of the upper-triangle pairs from autorank, in the order of ``triu_indices``."""
    import pandas as pd
    from autorank import autorank

    if mode == "paper":
        raise ValueError("autorank has no rope of 0.1 d: use the matrix backend, or mode autorank or mad")
    systems = scores.shape[1]
    frame = pd.DataFrame(scores, columns=[f"{i:03d}" for i in range(systems)])
    with contextlib.redirect_stdout(io.StringIO()):  # autorank prints its table
        result = autorank(
            frame,
            approach="bayesian",
            rope=rope,
            nsamples=draws,
            random_state=seed,
            force_mode="parametric" if mode == "autorank" else "nonparametric",
        )
    matrix = result.posterior_matrix
    place = {name: position for position, name in enumerate(matrix.index)}
    rows = []
    for i, j in zip(*np.triu_indices(systems, 1), strict=True):
        a, b = f"{i:03d}", f"{j:03d}"
        forward = place[a] < place[b]
        p = matrix.loc[a, b] if forward else matrix.loc[b, a]
        rows.append(p if forward else p[::-1])
    return np.array(rows, dtype=np.float64)
