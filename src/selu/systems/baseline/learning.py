"""The input and output of every baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from selu.vocabulary import SeluError

Params = Mapping[str, Any]
Answers = list[Any]  # a label index, a list of 0 and 1 per label, or a number, per text


@dataclass(frozen=True)
class Lesson:
    """Rows to learn from and texts to answer.

    ``answers`` are those of ``texts``: an int in ``range(labels)``, a list of ``labels`` zeros and ones, or a
    float, by ``kind``. ``seed`` is of the learner's random stream, ``folder`` a place for what it keeps between
    fits, private to this lesson.
    """

    kind: str
    labels: int
    texts: Sequence[str]
    answers: Sequence[Any]
    questions: Sequence[str]
    seed: int
    folder: Path


class Learner(Protocol):
    """A learner: one object per training set, so that what all fits share is made once."""

    def answer(self, params: Params) -> Answers:
        """Fit with these parameters and answer the lesson's questions."""


def check(lesson: Lesson) -> None:
    """Refuse a lesson that nothing can be learnt from.

    Raises:
        SeluError: no rows, an answer outside the declared set, a target that is not a number, or one class.
    """
    if not lesson.texts or not lesson.questions:
        raise SeluError("there are no rows to learn from or to answer: prepare the task again.")
    if lesson.kind == "regression":
        if any(answer != answer or answer in (float("inf"), float("-inf")) for answer in lesson.answers):
            raise SeluError("a target of the train rows is not a finite number: prepare the task again.")
        return
    flat = lesson.answers if lesson.kind != "multi_label" else [v for row in lesson.answers for v in row]
    allowed = 2 if lesson.kind == "multi_label" else lesson.labels
    if foreign := {value for value in flat if value not in range(allowed)}:
        raise SeluError(
            f"a train row has the label {min(foreign)!r}, which the task does not declare: prepare it again."
        )
    if lesson.kind == "multi_label" and any(len(row) != lesson.labels for row in lesson.answers):
        raise SeluError("a train row has not as many labels as the task declares: prepare it again.")
    if len(set(flat)) < 2:
        raise SeluError("all train rows have the same label, so that there is nothing to learn.")
