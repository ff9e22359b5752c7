"""A frozen sentence encoder into a logistic regression: SetFit without its contrastive training."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from selu.systems.baseline.classifying import check_classes, timed
from selu.systems.baseline.learning import Answers, Lesson, Params

if TYPE_CHECKING:
    import numpy as np

    from selu.systems.embed.encoder import Encoder

PACKAGES = ("torch", "transformers", "tokenizers", "numpy", "scipy", "scikit-learn")


class EncoderLogistic:
    """Learner with the parameters ``max_tokens``, ``C`` and ``max_iter``, and those of ``timed``.

    The encoder is that of ``weights.folder_of``.
    """

    def __init__(self, lesson: Lesson) -> None:
        check_classes(lesson)
        self._lesson = lesson
        self._known: tuple[Any, Encoder, np.ndarray[Any, Any]] | None = None
        self.seconds: list[float] = []

    def answer(self, params: Params) -> Answers:
        """Fit with these parameters and answer the lesson's questions."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression

        encoder, train = self._encoded(params)
        head = LogisticRegression(C=float(params["C"]), max_iter=int(params["max_iter"]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            head.fit(train, self._lesson.answers)

        def ask(texts: Sequence[str]) -> Answers:
            return [int(label) for label in head.predict(encoder.embed(texts))]

        answers, self.seconds = timed(ask, self._lesson.questions, params)
        return answers

    def _encoded(self, params: Params) -> tuple[Encoder, np.ndarray[Any, Any]]:
        """The encoder and the train rows' vectors, made once for all heads."""
        from selu.systems.embed.encoder import Encoder
        from selu.systems.embed.weights import folder_of

        asked = (folder_of(params), int(params["max_tokens"]))
        if self._known is None or self._known[0] != asked:
            encoder = Encoder(*asked)
            self._known = asked, encoder, encoder.embed(self._lesson.texts)
        return self._known[1:]
