"""Random weights that another language draws alike: whole numbers, comparisons and one division.

``static/chosen.js`` of the site has the same generator. Logarithms are avoided, because their last bit differs
between libraries: exponential numbers come from von Neumann's comparisons, the arcsine law from a point in a
circle.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

DRAWS, SEED = 20_000, 42
_STEP = 0x9E3779B9  # 2**32 over the golden ratio: successive states lie far apart
_RANGE = 1 << 32
_AT_ONCE = 1 << 16  # random numbers made together


@lru_cache(maxsize=4)
def gammas(observations: int, draws: int = DRAWS, seed: int = SEED) -> NDArray[np.float64]:
    """Draw gamma numbers, which divided by their sum are the Dirichlet weights of the signed-rank test.

    The first column has shape 1/2, for the pseudo-observation 0 of the prior, all others have shape 1, for an
    observation each. Shape 1: J. von Neumann, Various techniques used in connection with random digits, 1951.
    Shape 1/2: an exponential number times one of the arcsine law.

    Args:
        observations: without the prior's.

    Returns:
        shape (1 + observations, draws), the same array for the same arguments: don't write into it.
    """
    words = _Words(seed)
    found = np.empty((1 + observations, draws))
    for draw in range(draws):
        found[0, draw] = words.exponential() * words.arcsine()
        for place in range(1, 1 + observations):
            found[place, draw] = words.exponential()
    found.flags.writeable = False
    return found


class _Words:
    """A stream of 32-bit numbers: a counter, mixed (splitmix32), and values derived from them."""

    def __init__(self, seed: int) -> None:
        self._next, self._seed, self._made = iter(()).__next__, seed, 0

    def word(self) -> int:
        try:
            return self._next()
        except StopIteration:
            self._next = iter(self._mixed().tolist()).__next__
            return self._next()

    def _mixed(self) -> NDArray[np.uint64]:
        place = np.arange(self._made + 1, self._made + 1 + _AT_ONCE, dtype=np.uint64)
        self._made += _AT_ONCE
        x = (np.uint64(self._seed) + place * np.uint64(_STEP)) % _RANGE
        for shift, factor in ((16, 0x21F0AAAD), (15, 0x735A2D97)):
            x = ((x ^ (x >> np.uint64(shift))) * np.uint64(factor)) % _RANGE
        mixed: NDArray[np.uint64] = x ^ (x >> np.uint64(15))
        return mixed

    def exponential(self) -> float:
        """Draw by the lengths of falling runs: one of odd length keeps its first number, another adds 1."""
        whole = 0
        while True:
            first = last = self.word()
            falling = 1
            while (number := self.word()) < last:
                last, falling = number, falling + 1
            if falling % 2:
                return whole + first / _RANGE
            whole += 1

    def arcsine(self) -> float:
        """Draw the squared cosine of a random direction: that of a point of the circle's quarter."""
        while True:
            x, y = self.word() >> 16, self.word() >> 16
            if 0 < x * x + y * y < 1 << 32:
                return x * x / (x * x + y * y)
