"""Distances of pairs by what is fitted to the train texts alone: TF-IDF with SVD, hashed n-grams, word vectors.

A text without any word that they know is at distance 1 from all others: its cosine is not defined. The seed of
the lesson starts the randomised SVD; nothing else is drawn.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selu.systems.embed import pairs

PACKAGES = ("numpy", "scikit-learn", "scipy")
_WORD = re.compile(r"\w+")
Array = NDArray[Any]


class Fitted(ABC):
    """Shared by three encoders: a task's texts, and distances of its pairs; ``fit`` gives an encoder."""

    def __init__(self, lesson: Any) -> None:
        self._train = pairs.texts_of(pairs.of_rows(lesson.texts))
        self._asked = pairs.of_rows(lesson.questions)
        self._seed = int(lesson.seed)
        self.seconds: list[float] = []

    @abstractmethod
    def fit(self, params: Any) -> pairs.Embed:
        """Fit to the train texts; returns what gives texts vectors, shape (texts, width)."""

    def answer(self, params: Any) -> list[float]:
        """Return the distance of each pair."""
        embed, texts = self.fit(params), pairs.texts_of(self._asked)
        found = dict(zip(texts, _dense(embed(texts)), strict=True))
        self.seconds = pairs.timed(embed, texts, params)
        return pairs.distances(self._asked, found)


class TfidfSvd(Fitted):
    """TF-IDF of words and pairs of words, of which truncated SVD keeps ``width`` dimensions (LSA)."""

    def fit(self, params: Any) -> pairs.Embed:
        """Fit both; ``min_df`` is the number of texts that a term is in at least."""
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.pipeline import make_pipeline

        words = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), min_df=int(params["min_df"]))
        model = make_pipeline(words, TruncatedSVD(int(params["width"]), random_state=self._seed))
        model.fit(self._train)
        return lambda texts: model.transform(list(texts))


class HashedNgrams(Fitted):
    """Counts of n-grams of letters inside words, each put by a hash into one of ``width`` places; unfitted."""

    def fit(self, params: Any) -> pairs.Embed:
        """Fit the encoder; n-grams have ``shortest`` to ``longest`` letters."""
        from sklearn.feature_extraction.text import HashingVectorizer

        letters = (int(params["shortest"]), int(params["longest"]))
        model = HashingVectorizer(analyzer="char_wb", ngram_range=letters, n_features=int(params["width"]))
        return lambda texts: model.transform(list(texts))


class WordVectors(Fitted):
    """The mean of a text's word vectors, which are learnt from the words that stand near each other.

    Positive pointwise mutual information of words up to ``window`` apart, nearer ones weighing more, contexts'
    counts to the power of 0.75, and singular vectors times the square root of their values (Levy, Goldberg and
    Dagan, 2015, https://doi.org/10.1162/tacl_a_00134, section 3). They need no library beside scipy, and a fit
    gives the same numbers each time.
    """

    def fit(self, params: Any) -> pairs.Embed:
        """Learn vectors of ``width`` numbers, of words that are ``min_count`` times in the texts at least."""
        words = [_WORD.findall(text.lower()) for text in self._train]
        names, counts = np.unique([word for text in words for word in text], return_counts=True)
        known = {str(word): number for number, word in enumerate(names[counts >= int(params["min_count"])])}
        vectors = _factored(_near(words, known, int(params["window"])), int(params["width"]), self._seed)

        def embed(texts: Sequence[str]) -> Array:
            found = np.zeros((len(texts), vectors.shape[1]))
            for row, text in enumerate(texts):
                mine = [known[word] for word in _WORD.findall(text.lower()) if word in known]
                if mine:
                    found[row] = vectors[mine].mean(axis=0)
            return found

        return embed


def _near(texts: Sequence[Sequence[str]], known: dict[str, int], window: int) -> Any:
    """Count how often words occur near each other, a sparse matrix of shape (words, words)."""
    from scipy.sparse import coo_array

    total = coo_array((len(known), len(known))).tocsr()
    row = np.array([known.get(word, -1) for text in texts for word in (*text, *[""] * window)], dtype=np.int64)
    for apart in range(1, window + 1):
        earlier, later = row[:-apart], row[apart:]
        are_known = (earlier >= 0) & (later >= 0)
        weights = np.full(int(are_known.sum()), (window + 1 - apart) / window)
        total = total + coo_array((weights, (earlier[are_known], later[are_known])), shape=total.shape).tocsr()
    return total + total.T


def _factored(near: Any, width: int, seed: int) -> Array:
    """Return singular vectors of positive pointwise mutual information, shape (words, width)."""
    from scipy.sparse import coo_array
    from sklearn.utils.extmath import randomized_svd

    cells = coo_array(near)
    words, contexts = near.sum(axis=1), near.sum(axis=0) ** 0.75
    together = cells.data * contexts.sum() / (words[cells.row] * contexts[cells.col])
    table = coo_array((np.maximum(np.log(together), 0), (cells.row, cells.col)), shape=cells.shape).tocsr()
    left, values, _ = randomized_svd(table, min(width, table.shape[0]), random_state=seed)
    found: Array = left * np.sqrt(values)
    return found


def _dense(vectors: Any) -> Array:
    found: Array = vectors.toarray() if hasattr(vectors, "toarray") else np.asarray(vectors)
    return found
