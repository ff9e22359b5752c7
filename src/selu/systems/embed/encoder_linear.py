"""A frozen sentence encoder under a linear head: logistic regression, one per label of several, or ridge."""

from __future__ import annotations

import warnings
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.systems.baseline.learning import Answers, Lesson, Params, check
from selu.systems.embed.sentences import SentenceEncoder

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

PACKAGES = ("sentence-transformers", "transformers", "tokenizers", "torch", "numpy", "scipy", "scikit-learn")


class EncoderLinear:
    """Learner with the parameters ``max_tokens``, ``C`` and ``max_iter``.

    The encoder is that of ``weights.folder_of``; of a text it reads ``max_tokens`` tokens, or as many as its
    publisher has it read where these are fewer. Its vectors are kept below ``params["vectors"]``, where that is
    given, so that each candidate after the first reads no text. ``C`` is the inverse strength of the L2
    penalty, of ridge regression ``1 / alpha``. Nothing is random.
    """

    def __init__(self, lesson: Lesson) -> None:
        check(lesson)
        self._lesson = lesson

    def answer(self, params: Params) -> Answers:
        """Fit a head with these parameters and answer the lesson's questions.

        Raises:
            SeluError: the encoder is not available or can't be loaded, or a vector is zero or not finite.
        """
        import numpy as np

        lesson = self._lesson
        vectors = embed_texts([*lesson.texts, *lesson.questions], params)
        learnt, asked = vectors[: len(lesson.texts)], vectors[len(lesson.texts) :]
        if lesson.kind == "regression":
            return _by_ridge(learnt, np.array(lesson.answers, dtype=np.float64), asked, params)
        if lesson.kind == "multi_label":
            labels = np.array(lesson.answers)
            found = [_by_logistic(learnt, column, asked, params) for column in labels.T]
            return [[int(label) for label in row] for row in zip(*found, strict=True)]
        return [int(label) for label in _by_logistic(learnt, np.array(lesson.answers), asked, params)]


def embed_texts(texts: list[str], params: Params) -> Array:
    """Return the vectors of texts, shape (texts, width)."""
    from selu.systems.embed.kept import Kept, key_of
    from selu.systems.embed.sentences import files_hash
    from selu.systems.embed.vectors import check_vectors
    from selu.systems.embed.weights import folder_of

    folder, tokens = folder_of(params), int(params["max_tokens"])
    files = files_hash(folder)

    def embed(some: list[str]) -> Array:
        return check_vectors(_loaded(folder, tokens, files).embed(some), len(some))

    if place := params.get("vectors"):
        kept = Kept(Path(place), key_of(files, tokens, PACKAGES))
        return check_vectors(kept.vectors(texts, embed), len(texts))
    return embed(texts)


@lru_cache(maxsize=1)
def _loaded(folder: Path, max_tokens: int, _files: str) -> SentenceEncoder:
    encoder = SentenceEncoder(folder, max_tokens)
    encoder.max_tokens = min(encoder.max_tokens, max_tokens)
    return encoder


def _by_logistic(learnt: Array, answers: Array, asked: Array, params: Params) -> Array:
    """Answer by logistic regression; what has one answer in all rows to learn from is answered so again."""
    import numpy as np
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    if (answers == answers[0]).all():
        return np.full(len(asked), answers[0])
    head = LogisticRegression(C=float(params["C"]), max_iter=int(params["max_iter"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        head.fit(learnt, answers)
    found: Array = head.predict(asked)
    return found


def _by_ridge(learnt: Array, targets: Array, asked: Array, params: Params) -> Answers:
    """Answer by ridge regression, within the range of the targets: a line leads below zero, points don't."""
    from sklearn.linear_model import Ridge

    head = Ridge(alpha=1 / float(params["C"])).fit(learnt, targets)
    return [float(value) for value in head.predict(asked).clip(targets.min(), targets.max())]
