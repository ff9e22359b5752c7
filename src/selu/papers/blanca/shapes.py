"""Distributions of distances, in few numbers that represent all pairs (figures 2, 4 and 7)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from selu.papers.blanca.records import Shape

BINS = 40  # of embedding distance, over 0..1 and above
PARTS = 20  # of pairs by class distance, of equal number


def densities(related: ArrayLike, distance: ArrayLike) -> Shape:
    """Count related and unrelated pairs by distance.

    Returns:
        ``edges``, of ``BINS`` + 1 numbers, and the counts between them; the last also has all that is above.
    """
    labels, near = np.asarray(related), np.asarray(distance, dtype=np.float64)
    edges = np.linspace(0, 1, BINS + 1)
    counts, others = (np.histogram(np.clip(near[labels == label], 0, 1), edges)[0].tolist() for label in (1, 0))
    return {"edges": [round(float(edge), 6) for edge in edges], "related": counts, "unrelated": others}


def curve(distance: ArrayLike, embedded: ArrayLike) -> Shape:
    """Average embedding distance over pairs of like class distance, in parts of equal number.

    Returns:
        ``class_distance`` and ``embedding_distance``, the means of each part, from near to far.
    """
    x, y = np.asarray(distance, dtype=np.float64), np.asarray(embedded, dtype=np.float64)
    parts = np.array_split(np.argsort(x, kind="stable"), min(PARTS, len(x)))
    classes, embeddings = ([float(values[part].mean()) for part in parts] for values in (x, y))
    return {"class_distance": classes, "embedding_distance": embeddings}
