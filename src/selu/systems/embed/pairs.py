"""Pairs of texts, each text once, and the distances of their vectors."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selu.systems.embed import vectors
from selu.vocabulary import SeluError

Embed = Callable[[Sequence[str]], Any]


def of_rows(rows: Iterable[Any]) -> list[tuple[str, str]]:
    """Read the two texts of each row.

    Raises:
        SeluError: a row is not a mapping of two columns.
    """
    found = [tuple(row.values()) if isinstance(row, dict) else (row,) for row in rows]
    if wrong := [row for row in found if len(row) != 2]:
        raise SeluError(
            f"this learner says how far two texts are apart, and a row of this task has {len(wrong[0])}: "
            "choose another system for it."
        )
    return [(first, second) for first, second in found]


def texts_of(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """List the different texts of pairs, in order of the alphabet."""
    return sorted({text for pair in pairs for text in pair})


def distances(pairs: Sequence[tuple[str, str]], found: dict[str, NDArray[Any]]) -> list[float]:
    """Return 1 minus the cosine of each pair; a vector without any number but 0 is at distance 1 from all."""
    first, second = (np.array([found[pair[side]] for pair in pairs], dtype=np.float64) for side in (0, 1))
    known = first.any(axis=1) & second.any(axis=1)
    apart = np.ones(len(pairs))
    apart[known] = vectors.cosine(first[known], second[known])
    return [float(value) for value in apart]


def timed(embed: Embed, texts: Sequence[str], params: Any) -> list[float]:
    """Return seconds per text of each of ``timings`` repeats on ``timed_texts`` texts, a regular sample of all.

    Every way is timed on the same texts of a task, and on none that was kept.
    """
    step = max(1, len(texts) // int(params["timed_texts"]))
    some = list(texts)[::step][: int(params["timed_texts"])]
    found = []
    for _ in range(int(params["timings"])):
        started = time.perf_counter()
        embed(some)
        found.append((time.perf_counter() - started) / len(some))
    return found
