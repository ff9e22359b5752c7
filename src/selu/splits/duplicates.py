"""Exact and near duplicates among the texts of a task.

Two texts are exact duplicates when they are equal after folding case and collapsing whitespace. They are near
duplicates when the Jaccard similarity of their word shingles reaches the setting ``near_duplicate``. Candidates
come from MinHash (datasketch) and locality-sensitive hashing, with bands chosen so that a pair at the
threshold is missed less than once in a thousand; every candidate is then confirmed by its true similarity, so
nothing is reported that is not so. Texts with fewer words than a shingle can only be exact duplicates.

Texts are compared as published (raw): a split must not depend on how a protocol cleans them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from datasketch import MinHash
from numpy.typing import NDArray
from scipy.cluster.hierarchy import DisjointSet

from selu.splits.settings import DataSettings

Numbers = NDArray[np.int64]

_WORD = re.compile(r"\w+")
_MISSED = 0.001  # largest share of pairs at the threshold that the bands may miss


@dataclass(frozen=True, slots=True, eq=False)
class Duplicates:
    """Groups of rows, in row order: rows with the same number belong together.

    ``exact`` and ``near``: int64 arrays of shape (rows,). The number of a group is the position of its first
    row, so a row alone in its group carries its own position. Every exact group lies inside one near group.
    """

    exact: Numbers
    near: Numbers


def row_texts(table: pd.DataFrame) -> list[str]:
    """Return the text of each row; tokens, and the columns of kinds with several, are joined by spaces."""
    if "text" in table:
        return [str(text) for text in table["text"]]
    if "tokens" in table:
        return [" ".join(tokens) for tokens in table["tokens"]]
    asked = [name for name in table if name not in ("id", "label", "group", "source")]
    return [" ".join(map(str, row)) for row in zip(*(table[name] for name in asked), strict=True)]


def find(texts: Sequence[str], settings: DataSettings) -> Duplicates:
    """Group the texts of a task; the same groups on every machine and in every run."""
    exact = first_positions(" ".join(text.casefold().split()) for text in texts)
    words = [_WORD.findall(texts[row].casefold()) if exact[row] == row else [] for row in range(len(texts))]
    # Texts that differ in punctuation only have the same shingles: one of them represents all below.
    keys = (" ".join(found) if len(found) >= settings.shingle else row for row, found in enumerate(words))
    same_words = first_positions(keys)
    clusters = DisjointSet(range(len(texts)))
    for row, (first, alike) in enumerate(zip(exact.tolist(), same_words.tolist(), strict=True)):
        clusters.merge(row, first if first != row else alike)
    heads = [
        row for row, found in enumerate(words) if same_words[row] == row and len(found) >= settings.shingle
    ]
    shingles = _shingles([words[row] for row in heads], settings.shingle)
    _join_similar(clusters, heads, shingles, settings)
    return Duplicates(exact, first_positions(clusters[row] for row in range(len(texts))))


def first_positions(keys: Iterable[Hashable]) -> Numbers:
    """Find for each key the position of its first occurrence; shape (keys,)."""
    first: dict[Hashable, int] = {}
    return np.array([first.setdefault(key, row) for row, key in enumerate(keys)], dtype=np.int64)


def bands(threshold: float, permutations: int) -> tuple[int, int]:
    """Choose the number of bands and rows per band: the longest that miss few pairs at the threshold."""
    for rows in range(permutations // 2, 1, -1):
        count = permutations // rows
        if (1 - threshold**rows) ** count <= _MISSED:
            return count, rows
    return permutations, 1


def _shingles(words: Sequence[Sequence[str]], length: int) -> list[NDArray[np.uint64]]:
    """Hash the distinct shingles of each text to 64 bits, from sha1 of the words.

    64 bits: among ten million shingles two share a hash with a chance of 3 in a million.
    """
    known: dict[str, int] = {}
    for found in words:
        for word in found:
            if word not in known:
                digest = hashlib.sha1(word.encode("utf-8", "surrogatepass")).digest()
                known[word] = int.from_bytes(digest[:8], "little")
    shingles = []
    for found in words:
        hashes = np.array([known[word] for word in found], dtype=np.uint64)
        mixed = np.zeros(len(found) - length + 1, dtype=np.uint64)
        for start in range(length):
            mixed = _mix(mixed + hashes[start : start + len(mixed)])
        shingles.append(np.unique(mixed))
    return shingles


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread every bit by splitmix64's finaliser, a bijection, so that order within a shingle counts."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (values ^ (values >> np.uint64(31))) + np.uint64(0x9E3779B97F4A7C15)


def _join_similar(
    clusters: DisjointSet, heads: Sequence[int], shingles: Sequence[NDArray[np.uint64]], settings: DataSettings
) -> None:
    """Join the clusters of all pairs of texts whose true similarity reaches the threshold."""
    count, rows = bands(settings.near_duplicate, settings.permutations)
    # Plain tables: with datasketch's own index, grouping 13,091 methods took 7.3 s instead of 3.5 s.
    index: list[dict[bytes, list[int]]] = [{} for _ in range(count)]
    listed = (found.tolist() for found in shingles)
    sketches = MinHash.generator(
        listed, num_perm=settings.permutations, seed=settings.seed, hashfunc=int, scheme="affine64"
    )
    sets: dict[int, frozenset[int]] = {}  # of texts that were a candidate before
    for number, sketch in enumerate(sketches):
        mine = clusters[heads[number]]
        values = sketch.hashvalues[: count * rows].reshape(count, rows)
        buckets = [band.setdefault(key.tobytes(), []) for band, key in zip(index, values, strict=True)]
        for other in {candidate for bucket in buckets for candidate in bucket}:
            # Pairs that are joined already need no look: clusters are the same in whatever order pairs come.
            if clusters[heads[other]] == mine:
                continue
            short, long = sorted((len(shingles[number]), len(shingles[other])))
            if short < settings.near_duplicate * long:
                continue
            for key in (number, other):
                if key not in sets:
                    sets[key] = frozenset(shingles[key].tolist())
            if jaccard(sets[number], sets[other]) >= settings.near_duplicate:
                clusters.merge(mine, heads[other])
                mine = clusters[mine]
        for bucket in buckets:
            bucket.append(number)


def jaccard(first: frozenset[int], second: frozenset[int]) -> float:
    """Divide shared members by all members; 1 for two empty sets."""
    shared = len(first & second)
    together = len(first) + len(second) - shared
    return shared / together if together else 1.0
