"""fastText as NLBSE'24 ran it on issues (section 2.2): a hundred epochs, all else the library's defaults.

Texts are one line each, without the token that marks labels. Train rows are shuffled by NumPy's older stream,
as pandas' ``sample(frac=1, random_state=seed)`` does. The competition ran several threads, whose order is
chance; one thread with the seed 42 for shuffle and library gives the published mean F1 of the five
repositories to four digits (one repository's rows shuffled alone), though not each repository's.

The library is called as in ``fasttext.py``: one thread, and one text at a time through the inner ``predict``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from selu.systems.baseline.classifying import check_classes, timed
from selu.systems.baseline.fasttext import shares_of
from selu.systems.baseline.learning import Answers, Lesson, Params

PACKAGES = ("fasttext-wheel", "numpy")
_LABEL = "__label__"


class FastTextLines:
    """Learner with the parameter ``epoch``, those of ``timed``, and ``probabilities`` as in ``fasttext.py``."""

    def __init__(self, lesson: Lesson) -> None:
        check_classes(lesson)
        self._lesson = lesson
        self.seconds: list[float] = []
        self.probabilities: list[list[float]] = []

    def answer(self, params: Params) -> Answers:
        """Fit with these parameters and answer the lesson's questions."""
        import fasttext

        path = self._lesson.folder / f"lines-{os.getpid()}.txt"
        path.write_text("".join(train_lines(self._lesson)), "utf-8")
        try:
            model = fasttext.train_supervised(
                str(path), epoch=int(params["epoch"]), thread=1, seed=self._lesson.seed, verbose=0
            )
        finally:
            path.unlink()

        def ask(texts: Sequence[str]) -> Answers:
            given = (model.f.predict(one_line(text) + "\n", 1, 0.0, "strict") for text in texts)
            return [int(found[0][1][len(_LABEL) :]) for found in given]

        if params.get("probabilities"):
            asked = (one_line(text) + "\n" for text in self._lesson.questions)
            self.probabilities = [shares_of(model, text, self._lesson.labels) for text in asked]
        answers, self.seconds = timed(ask, self._lesson.questions, params)
        return answers


def one_line(text: str) -> str:
    """Strip a text of the label token, and collapse its white space."""
    return " ".join(text.replace(_LABEL, "").split())


def train_lines(lesson: Lesson) -> list[str]:
    """Write the lines of the train file, shuffled: the label's index, then the text."""
    import numpy as np

    order = np.random.RandomState(lesson.seed).permutation(len(lesson.texts))
    return [f"{_LABEL}{lesson.answers[row]} {one_line(lesson.texts[row])}\n" for row in order]
