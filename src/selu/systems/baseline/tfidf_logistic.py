"""TF-IDF of words and pairs of words into a logistic regression: a stand-in without pre-trained weights."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from selu.systems.baseline.classifying import check_classes, timed
from selu.systems.baseline.learning import Answers, Lesson, Params

PACKAGES = ("numpy", "scipy", "scikit-learn")


class TfidfLogistic:
    """Learner with the parameters ``min_df``, ``C``, ``max_iter`` and ``class_weight``, and those of ``timed``.

    Counts weigh by 1 + log. ``class_weight`` is None or ``balanced``. Fitting ends after ``max_iter`` steps,
    whether or not it has converged. Nothing is drawn at random. With ``probabilities``, those of each label are
    kept for each question.
    """

    def __init__(self, lesson: Lesson) -> None:
        check_classes(lesson)
        self._lesson = lesson
        self.seconds: list[float] = []
        self.probabilities: list[list[float]] = []

    def answer(self, params: Params) -> Answers:
        """Fit with these parameters and answer the lesson's questions."""
        import numpy as np
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline

        model = make_pipeline(
            TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), min_df=int(params["min_df"])),
            LogisticRegression(
                C=float(params["C"]), max_iter=int(params["max_iter"]), class_weight=params["class_weight"]
            ),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(self._lesson.texts, self._lesson.answers)

        def ask(texts: Sequence[str]) -> Answers:
            return [int(label) for label in model.predict(texts)]

        if params.get("probabilities"):
            shares = np.zeros((len(self._lesson.questions), self._lesson.labels))
            shares[:, model.classes_] = model.predict_proba(self._lesson.questions)
            self.probabilities = shares.tolist()
        answers, self.seconds = timed(ask, self._lesson.questions, params)
        return answers
