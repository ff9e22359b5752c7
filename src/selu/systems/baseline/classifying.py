"""Shared by learners of one class per text: the accepted tasks, and the time of an answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from selu.systems.baseline.learning import Answers, Lesson, Params, check
from selu.vocabulary import SeluError

KINDS = ("binary", "multi_class")


def check_classes(lesson: Lesson) -> None:
    """Refuse a lesson that no single class per text can be learnt from.

    Raises:
        SeluError: as ``check``; or the task is of another kind than ``KINDS``.
    """
    if lesson.kind not in KINDS:
        raise SeluError(
            f"this learner gives each text one class, which a task of kind {lesson.kind} does not ask for: "
            "choose another system for it."
        )
    check(lesson)


def timed(
    ask: Callable[[Sequence[str]], Answers], questions: Sequence[str], params: Params
) -> tuple[Answers, list[float]]:
    """Return answers, and seconds per text of each of ``params["timings"]`` repeats (NLBSE'24 3.2: ten).

    ``ask`` takes raw texts, so that tokenisation counts; the model is in memory by then, so that loading does
    not. Answering all questions once comes first and is not timed: it warms caches up. To bound the time, only
    the first ``params["timed_texts"]`` questions (all where it is left out) are repeated.

    Raises:
        SeluError: the repeats differ, so that the time is not of these answers.
    """
    answers, seconds, first = ask(questions), [], None
    some = questions[: params.get("timed_texts")]
    for _ in range(int(params.get("timings", 0))):
        started = time.perf_counter()
        again = ask(some)
        seconds.append((time.perf_counter() - started) / len(some))
        if first is not None and again != first:
            raise SeluError("a repeat of the same questions gave other answers: the system is not repeatable.")
        first = again
    return answers, seconds
