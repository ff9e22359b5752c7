"""A frozen sentence encoder into a logistic regression: SetFit without its contrastive training."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from selu.systems.baseline.classifying import check_classes, timed
from selu.systems.baseline.learning import Answers, Lesson, Params

if TYPE_CHECKING:
    import numpy as np

PACKAGES = ("torch", "transformers", "tokenizers", "numpy", "scipy", "scikit-learn")


class EncoderLogistic:
    """Learner with the parameters ``max_tokens``, ``C`` and ``max_iter``, and those of ``timed``.

    The encoder is that of ``weights.folder_of``; a process keeps it and the vectors of all texts that it has
    read, since the tasks of a language share theirs.
    """

    def __init__(self, lesson: Lesson) -> None:
        check_classes(lesson)
        self._lesson = lesson
        self.seconds: list[float] = []

    def answer(self, params: Params) -> Answers:
        """Fit with these parameters and answer the lesson's questions."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression

        from selu.systems.embed.encoder import loaded
        from selu.systems.embed.weights import folder_of

        lesson = self._lesson
        encoder = loaded(folder_of(params), params.get("weights"), int(params["max_tokens"]))
        head = LogisticRegression(C=float(params["C"]), max_iter=int(params["max_iter"]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            head.fit(encoder.remembered(lesson.texts), lesson.answers)

        def classes(vectors: np.ndarray[Any, Any]) -> Answers:
            return [int(label) for label in head.predict(vectors)]

        if params.get("timings"):  # of texts that are read, not remembered
            some = lesson.questions[: params.get("timed_texts")]
            _, self.seconds = timed(lambda texts: classes(encoder.embed(texts)), some, params)
        return classes(encoder.remembered(lesson.questions))
