"""Ways to put documents in the order of a query; each gives a score per document, the higher the better.

A document that scores 0 is not answered with by BM25 and overlap: it has no word of the query.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from selu.papers.faun_eval.metrics.similarity import library

FloatArray = NDArray[np.float64]
FUSED = 60  # the constant of reciprocal-rank fusion
K1, B = 1.5, 0.75  # of BM25, as bm25s has them
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def words(text: str) -> list[str]:
    """Split a text into lower-case words: at blanks, signs, digits, and between small and capital letters."""
    return [word.lower() for word in _WORDS.findall(text)]


def bm25(queries: Sequence[str], documents: Sequence[str]) -> FloatArray:
    """Score documents by BM25 as bm25s computes it (Lucene's variant, k1 = 1.5, b = 0.75) on ``words``.

    Returns:
        shape (queries, documents).
    """
    found = np.zeros((len(queries), len(documents)))
    tokens = [words(text) for text in documents]
    if not any(tokens):
        return found
    index = library("bm25s").BM25(k1=K1, b=B, method="lucene")
    index.index(tokens, show_progress=False)
    known = {token for document_tokens in tokens for token in document_tokens}
    for place, query in enumerate(queries):
        if asked := [word for word in words(query) if word in known]:
            found[place] = index.get_scores(asked)
    return found


def bm25_of_counts(queries: Sequence[str], documents: Sequence[Mapping[str, int]]) -> FloatArray:
    """Score documents as ``bm25`` does, of which the words are counted already.

    The files of a tree are mostly those of the tree before it: each is counted once, and no index is built.

    Args:
        documents: words, as ``words`` finds them, and how often each is there.

    Returns:
        shape (queries, documents).
    """
    found = np.zeros((len(queries), len(documents)))
    lengths = np.array([sum(counts.values()) for counts in documents], dtype=np.float64)
    if not lengths.any():
        return found
    norm = K1 * (1 - B + B * lengths / lengths.mean())
    for place, query in enumerate(queries):
        for word, times in Counter(words(query)).items():
            often = np.array([counts.get(word, 0) for counts in documents], dtype=np.float64)
            having = np.count_nonzero(often)
            weight = np.log1p((len(documents) - having + 0.5) / (having + 0.5))
            found[place] += times * weight * often / (often + norm)
    return found


def overlap(queries: Sequence[str], paths: Sequence[str]) -> FloatArray:
    """Score a path by the share of its different words that the query has; shape (queries, paths)."""
    of_paths = [set(words(path)) for path in paths]
    of_queries = [set(words(query)) for query in queries]
    return np.array(
        [[len(query & path) / max(1, len(path)) for path in of_paths] for query in of_queries], dtype=np.float64
    )


def cosines(queries: ArrayLike, documents: ArrayLike) -> FloatArray:
    """Score vectors of documents by their cosine with those of queries; shape (queries, documents)."""
    asked, found = (np.asarray(vectors, dtype=np.float64) for vectors in (queries, documents))
    lengths = np.outer(np.linalg.norm(asked, axis=1), np.linalg.norm(found, axis=1))
    return np.asarray(asked @ found.T / np.maximum(lengths, 1e-12))


def fuse(scores: Sequence[FloatArray]) -> FloatArray:
    """Fuse rankings by the sum of 1 / (60 + rank) (Cormack et al. 2009); same shape as each of them.

    Equal scores share their mean rank, so that a ranking which finds nothing does not decide by the order of
    the documents.
    """
    from scipy.stats import rankdata

    return np.asarray(sum(1 / (FUSED + rankdata(-score, axis=1)) for score in scores))


def order(scores: FloatArray) -> list[int]:
    """Return the places of one query's documents, the best first; equal ones in their order."""
    return [int(place) for place in np.argsort(-scores, kind="stable")]
