"""Bayesian signed-rank test for many pairs at once (Benavoli et al., ICML 2014; SELU section IV-D).

The posterior of the test is a Dirichlet process: a draw puts weights ``w`` on the pseudo-observation
0 (prior strength) and on the n paired differences ``z``. The mass of a hypothesis under that draw is a
quadratic form, for example ``w' R w`` with ``R[i, j] = [z_i + z_j > 2 rope]``. Every pair of systems has
the same n, so all pairs can share the same draws, and all quadratic forms of a block of draws are one
matrix product: the indicators of every pair times the products ``w_i w_j`` of every draw.

With the same seed the weights are the very numbers that ``baycomp.SignedRankTest`` draws, one pair at a
time, and the probabilities are the same counts divided by the same number of draws.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

_DRAWS_PER_BLOCK = 256  # what the leads of some hundred pairs need in a core's cache
_PAIRS_PER_BLOCK = 400
_FEW_PAIRS = 16  # for fewer, a block has more draws


def posterior(
    differences: FloatArray,
    rope: FloatArray,
    *,
    draws: int = 50_000,
    seed: int = 42,
    prior: float = 0.5,
) -> FloatArray:
    """Estimate posterior probabilities of left, practically equal and right for each row of differences.

    Args:
        differences: shape (pairs, n), score of the second system minus score of the first, per task.
        rope: shape (pairs,), half-width of the region of practical equivalence, in score units, > 0.
        draws: Dirichlet draws shared by all pairs.
        seed: seed of the legacy generator, the one baycomp uses.
        prior: weight of the pseudo-observation 0.

    Returns:
        shape (pairs, 3): P(first better), P(equal), P(second better); rows sum to 1.

    Raises:
        ValueError: on a shape that does not fit, a non-finite number or a rope that is not positive.
    """
    differences, rope = _checked(differences, rope, draws)
    pairs, n = differences.shape
    weights = _weights(n, prior, draws, seed)
    counts = np.zeros((pairs, 3), dtype=np.int64)
    for start in range(0, pairs, _PAIRS_PER_BLOCK):
        block = slice(start, start + _PAIRS_PER_BLOCK)
        counts[block] = _count_winners(_indicators(differences[block], rope[block]), weights)
    return counts / draws


@lru_cache(maxsize=2)  # tables of one size share draws; scores before rounding take more of them
def _weights(n: int, prior: float, draws: int, seed: int) -> FloatArray:
    """Draw weights of the pseudo-observation and of n differences, shape (n + 1, draws)."""
    concentration = np.ones(n + 1)
    concentration[0] = prior
    weights: FloatArray = np.random.RandomState(seed).dirichlet(concentration, draws).T.copy()
    weights.flags.writeable = False
    return weights


def monte_carlo_error(probabilities: FloatArray, draws: int) -> FloatArray:
    """Return the standard error of each posterior probability: a share of ``draws`` independent draws."""
    p = np.asarray(probabilities, dtype=np.float64)
    error: FloatArray = np.sqrt(p * (1.0 - p) / draws)
    return error


def _checked(differences: FloatArray, rope: FloatArray, draws: int) -> tuple[FloatArray, FloatArray]:
    differences = np.atleast_2d(np.asarray(differences, dtype=np.float64))
    rope = np.broadcast_to(np.asarray(rope, dtype=np.float64), (differences.shape[0],))
    if differences.ndim != 2 or differences.shape[1] < 1:
        raise ValueError(f"differences must have shape (pairs, n >= 1), not {differences.shape}")
    if not np.isfinite(differences).all():
        raise ValueError("differences must be finite: a pair can only be compared on tasks that both have")
    if not (np.isfinite(rope).all() and (rope > 0).all()):
        raise ValueError("rope must be positive: a pair with no spread at all has no pooled deviation")
    if draws < 1:
        raise ValueError(f"draws must be at least 1, not {draws}")
    return differences, rope


def _indicators(differences: FloatArray, rope: FloatArray) -> FloatArray:
    """Return coefficients of w_i w_j (i <= j) in the masses of left and right, shape (2 * pairs, terms)."""
    pairs, n = differences.shape
    z = np.hstack((np.zeros((pairs, 1)), differences))
    i, j = np.triu_indices(n + 1)
    sums = z[:, i] + z[:, j]
    threshold = 2.0 * rope[:, None]
    multiplicity = np.where(i == j, 1.0, 2.0)
    return np.vstack((_heaviside(-sums, threshold), _heaviside(sums, threshold))) * multiplicity


def _heaviside(a: FloatArray, threshold: FloatArray) -> FloatArray:
    steps: FloatArray = (a > threshold) + 0.5 * (a == threshold)
    return steps


def _count_winners(indicators: FloatArray, weights: FloatArray) -> NDArray[np.int64]:
    """Count the draws won by left, equal and right; the first of equals wins, as numpy's argmax has it.

    The leads are summed in single precision, which takes half the time. The few draws in which none leads both
    others by more than twice its rounding error (one epsilon a term, since the weights sum to 1) are summed
    again in double.
    """
    size, draws = weights.shape
    pairs = len(indicators) // 2
    first, second = np.triu_indices(size)
    left, right = indicators[:pairs], indicators[pairs:]
    over_right, over_equal = left - right, 2.0 * left + right - np.where(first == second, 1.0, 2.0)
    leads = np.vstack((over_right, over_equal))  # of left
    single, error = leads.astype(np.float32), np.float32(2 * (leads.shape[1] + 3) * np.finfo(np.float32).eps)
    counts = np.zeros((pairs, 3), dtype=np.int64)
    width = _DRAWS_PER_BLOCK * max(1, _FEW_PAIRS // pairs)
    for start in range(0, draws, width):
        block = weights[:, start : start + width]
        rounded = block.astype(np.float32)
        left_right, left_equal = np.split(single @ (rounded[first] * rounded[second]), 2)
        right_equal = left_equal - left_right
        by_left = (left_right > error) & (left_equal > error)
        by_right = (left_right < -error) & (right_equal > error)
        by_equal = (left_equal < -error) & (right_equal < -error)
        pair, draw = np.divmod(np.flatnonzero(~(by_left | by_right | by_equal)), block.shape[1])
        products = (near := block[:, draw])[first] * near[second]
        exact, exact_equal = (np.einsum("ij,ji->i", leads[rows], products) for rows in (pair, pair + pairs))
        by_left[pair, draw] = (exact >= 0) & (exact_equal >= 0)
        by_right[pair, draw] = (exact < 0) & (exact_equal > exact)
        counts[:, 0] += _row_sums(by_left)
        counts[:, 2] += _row_sums(by_right)
    counts[:, 1] = draws - counts[:, 0] - counts[:, 2]
    return counts


def _row_sums(found: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count what is true in each row; einsum takes half the time of count_nonzero."""
    sums: NDArray[np.int64] = np.einsum("ij->i", found.view(np.uint8), dtype=np.int64)
    return sums
