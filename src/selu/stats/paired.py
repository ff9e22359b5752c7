"""Two systems on the same rows: McNemar's test, and the smallest difference that so many rows would show."""

from __future__ import annotations


def mcnemar(only_first: int, only_second: int) -> float:
    """Compute the exact two-sided p-value of rows that one system alone has right (McNemar 1947)."""
    from scipy import special

    # the binomial distribution is symmetric, so that both tails are twice the smaller one
    tail = special.bdtr(min(only_first, only_second), only_first + only_second, 0.5)
    return min(1.0, 2 * float(tail))


def detectable(error: float, level: float, power: float) -> float:
    """Compute the true difference that a two-sided test at this level finds with this probability.

    Args:
        error: standard error of the difference.
        level: of the interval that decides, in (0, 1).
        power: probability to find it, in (0, 1).
    """
    from scipy import special

    return float((special.ndtri((1 + level) / 2) + special.ndtri(power)) * error)
