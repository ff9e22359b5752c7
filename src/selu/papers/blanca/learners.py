"""Systems that give a distance for a pair of texts, without pre-trained weights."""

from __future__ import annotations

from typing import Any

PACKAGES = ("numpy", "scikit-learn", "scipy")
MODULES = (f"{__name__.rpartition('.')[0]}.evaluators.baselines",)


class TfidfCosine:
    """1 minus the cosine of TF-IDF vectors of words and pairs of words, weighed on the training texts.

    Counts weigh by 1 + log; ``min_df`` is the number of texts that a term is in at least. A text without any
    known term is at distance 1 from all others. Nothing is drawn at random.
    """

    def __init__(self, lesson: Any) -> None:
        self._texts = sorted({text for row in lesson.texts for text in _pair(row)})
        self._questions = [_pair(row) for row in lesson.questions]

    def answer(self, params: Any) -> list[float]:
        """Return the distance of each pair."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        model = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), min_df=int(params["min_df"]))
        model.fit(self._texts)
        first, second = (model.transform(texts) for texts in zip(*self._questions, strict=True))
        near = first.multiply(second).sum(axis=1)
        return [float(1 - value) for value in near.A1]


class SimilarLength:
    """The lengths of two texts alone: the score of an encoder without any knowledge."""

    def __init__(self, lesson: Any) -> None:
        self._questions = [_pair(row) for row in lesson.questions]

    def answer(self, _params: Any) -> list[float]:
        """Return the distance of each pair."""
        from selu.papers.blanca.evaluators.baselines import similar_length

        first, second = zip(*self._questions, strict=True)
        return [float(distance) for distance in similar_length(first, second)]


def _pair(row: Any) -> tuple[str, str]:
    return row["text_a"], row["text_b"]
