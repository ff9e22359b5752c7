"""Distances between the vectors of an encoder."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from selu.vocabulary import SeluError

FloatArray = NDArray[np.float64]


def check_vectors(vectors: ArrayLike, texts: int) -> FloatArray:
    """Return the vectors of an encoder as an array of shape (texts, size).

    Raises:
        SeluError: their number or sizes differ, or a vector is zero or not finite; names the first such text.
    """
    try:
        found = np.asarray(vectors, dtype=np.float64)
    except ValueError:
        raise SeluError("the encoder gives vectors of several sizes: use one of a fixed size.") from None
    if found.ndim != 2 or len(found) != texts:
        raise SeluError(
            f"the encoder gives an array of shape {found.shape} for {texts} texts: use one that gives a vector "
            "for each text."
        )
    for what, wrong in (("not finite", ~np.isfinite(found).all(axis=1)), ("zero", ~found.any(axis=1))):
        if wrong.any():
            raise SeluError(
                f"the encoder gives a vector that is {what} for text {int(wrong.argmax()) + 1} of {texts}: "
                "leave that text out, or use another encoder."
            )
    return found


def cosine(first: FloatArray, second: FloatArray) -> Any:
    """Return 1 minus the cosine of vectors, row by row (the paper's section 4.1), in 0..2."""
    lengths = np.linalg.norm(first, axis=-1) * np.linalg.norm(second, axis=-1)
    return 1 - np.clip((first * second).sum(axis=-1) / lengths, -1, 1)


def squared_euclidean(first: FloatArray, second: FloatArray) -> Any:
    """Return the squared Euclidean distance of vectors, row by row (the authors' script for R)."""
    return np.square(first - second).sum(axis=-1)
