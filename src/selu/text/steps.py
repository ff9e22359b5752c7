"""The cleaning steps: their names, their order, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Pipeline = Literal["paper", "sound"]

PIPELINES: tuple[Pipeline, ...] = ("paper", "sound")

#: Every step, in the authors' order. ``markdown`` and ``html`` exclude each other.
STEPS = ("whitespace", "jira", "markdown", "html", "code", "hash", "url", "user")

MARKUP = frozenset({"jira", "markdown", "html"})


def check_steps(steps: Sequence[str], pipeline: str) -> tuple[str, ...]:
    """Return the steps as a tuple, once they are known to be a valid selection.

    Raises:
        ValueError: an unknown pipeline or step (named); a step twice or out of the authors' order; ``markdown``
            together with ``html``; a markup step without ``whitespace`` before it (no pipeline of the authors
            has that, and `paper`'s parsers rely on a text of one line).
    """
    if pipeline not in PIPELINES:
        raise ValueError(f"unknown pipeline {pipeline!r}: {' or '.join(PIPELINES)}")
    chosen = tuple(steps)
    for step in chosen:
        if step not in STEPS:
            raise ValueError(f"unknown cleaning step {step!r}: one of {', '.join(STEPS)}")
    if list(chosen) != sorted(set(chosen), key=STEPS.index):
        raise ValueError(f"steps {', '.join(chosen)}: each at most once, in the order {', '.join(STEPS)}")
    if {"markdown", "html"} <= set(chosen):
        raise ValueError("steps markdown and html exclude each other: markdown contains html")
    if MARKUP & set(chosen) and "whitespace" not in chosen:
        raise ValueError("a markup step needs the step whitespace before it")
    return chosen
