"""SetFit in rounds: each draws train texts again and tunes the encoder further on pairs of them.

After CFFitST, which NLBSE'24 (section 2.4) describes as "sampling the training set and repeating the training
process multiple times using Sentence Transformer embeddings". The classifier learns from all train texts, once,
at the end.
"""

from __future__ import annotations

import random
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import replace

from selu.systems.baseline.classifying import timed
from selu.systems.baseline.learning import Answers, Lesson, Params
from selu.systems.embed import setfit

PACKAGES = setfit.PACKAGES


class SetFitRounds(setfit.SetFit):
    """Learner with the parameters of ``SetFit``, of which ``iterations`` and ``epochs`` are those of a round;
    ``rounds``, ``drawn`` (train texts of each class in a round), and ``layers`` (how many upper ones of the
    encoder are tuned; 0: all).
    """

    def answer(self, params: Params) -> Answers:
        """Fit with these parameters and answer the lesson's questions."""
        model = setfit._untrained(params)
        if tuned := int(params["layers"]):
            network = model.model_body[0].auto_model
            network.requires_grad_(False)
            network.encoder.layer[-tuned:].requires_grad_(True)
        with tempfile.TemporaryDirectory(dir=self._lesson.folder) as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a head that has not converged, of memory that is not pinned
            for part in rounds(self._lesson, int(params["rounds"]), int(params["drawn"])):
                setfit._train(model, part, params, folder)
            vectors = model.encode(list(self._lesson.texts), show_progress_bar=False)
            model.model_head.fit(vectors, list(self._lesson.answers))

        def ask(texts: Sequence[str]) -> Answers:
            found = model.predict(list(texts), as_numpy=True, use_labels=False, show_progress_bar=False)
            return [int(label) for label in found]

        answers, self.seconds = timed(ask, self._lesson.questions, params)
        return answers


def rounds(lesson: Lesson, count: int, drawn: int) -> list[Lesson]:
    """Draw the lessons of ``count`` rounds: ``drawn`` texts of each class, or all where a class has fewer.

    The order of a class is drawn once and gone through from round to round, so that no text comes again before
    all others of its class have come.
    """
    draw = random.Random(lesson.seed)
    found: list[list[int]] = [[] for _ in range(count)]
    for label in sorted(set(lesson.answers)):
        rows = [row for row, answer in enumerate(lesson.answers) if answer == label]
        draw.shuffle(rows)
        size = min(drawn, len(rows))
        for at, part in enumerate(found):
            part += [rows[(at * size + place) % len(rows)] for place in range(size)]
    return [
        replace(
            lesson,
            texts=[lesson.texts[row] for row in part],
            answers=[lesson.answers[row] for row in part],
            seed=lesson.seed + at,
        )
        for at, part in enumerate(found)
    ]
