"""A seeded sample of rows, known by their ids alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def draw_sample(ids: Iterable[str], rows: int, seed: int) -> set[str]:
    """Draw this many ids, or all if there are fewer.

    An id is taken for the hash of itself and the seed, whatever the order of the others: no library's
    generator decides, and of two samples of one seed the larger holds the smaller.
    """
    return set(sorted(set(ids), key=lambda id: (hashlib.sha256(f"{seed}:{id}".encode()).digest(), id))[:rows])
