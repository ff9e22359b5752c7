"""Two cleaning pipelines, `paper` (the authors' behaviour, exactly) and `sound` (ours): texts in, texts out."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Sequence
from functools import partial

from selu.text import line, masks, sound
from selu.text.steps import PIPELINES, STEPS, Pipeline, check_steps
from selu.text.streaming import soup_text

__all__ = ["PIPELINES", "STEPS", "Pipeline", "check_steps", "clean", "clean_many", "cleaner"]

#: Texts per message to a process: large enough that sending costs little beside cleaning.
CHUNK = 250


def _markdown(text: str) -> str:
    try:
        page = line.to_html(text)
    except (UnicodeEncodeError, IndexError):
        return ""
    return soup_text(page) or ""


#: The steps of `paper`: the same text as the authors' own program gives, in linear time.
_PAPER: dict[str, Callable[[str], str]] = {
    "whitespace": lambda text: " ".join(text.split()),
    "jira": masks.convert_jira,
    "markdown": _markdown,
    "html": lambda text: soup_text(text) or "",
    "code": masks.mask_code,
    "hash": masks.mask_hash,
    "url": masks.mask_url,
    "user": masks.mask_user,
}


def cleaner(steps: Sequence[str], pipeline: Pipeline) -> Callable[[str], str]:
    """Return the function that cleans one text.

    Raises:
        ValueError: see `selu.text.steps.check_steps`.
    """
    chosen = check_steps(steps, pipeline)
    if pipeline == "sound":
        return sound.cleaner(chosen)
    functions = [_PAPER[step] for step in chosen]

    def run(text: str) -> str:
        for function in functions:
            text = function(text)
        return text

    return run


def clean(text: str, steps: Sequence[str], pipeline: Pipeline) -> str:
    """Clean one text. Pure, and linear in the length of the text.

    Args:
        text: any string, lone surrogates and NUL included.
        steps: names out of `STEPS`, in that order.
        pipeline: ``paper`` or ``sound``.

    Raises:
        ValueError: see `selu.text.steps.check_steps`.
    """
    return cleaner(steps, pipeline)(text)


def _clean_chunk(texts: list[str], steps: tuple[str, ...], pipeline: Pipeline) -> list[str]:
    clean_one = cleaner(steps, pipeline)
    return [clean_one(text) for text in texts]


def clean_many(texts: Sequence[str], steps: Sequence[str], pipeline: Pipeline, processes: int = 1) -> list[str]:
    """Clean many texts, in their order; the result does not depend on the number of processes.

    Args:
        texts: any strings.
        steps: names out of `STEPS`, in that order.
        pipeline: ``paper`` or ``sound``.
        processes: 1 cleans in this process; more share the texts out in chunks of `CHUNK`.

    Raises:
        ValueError: see `selu.text.steps.check_steps`; or less than one process.
    """
    chosen = check_steps(steps, pipeline)
    if processes < 1:
        raise ValueError(f"processes must be 1 or more, not {processes}")
    every = list(texts)
    work = partial(_clean_chunk, steps=chosen, pipeline=pipeline)
    if processes == 1 or len(every) <= CHUNK:
        return work(every)
    chunks = [every[start : start + CHUNK] for start in range(0, len(every), CHUNK)]
    # `spawn` starts clean interpreters: safe beside threads, the same on every platform.
    with multiprocessing.get_context("spawn").Pool(
        min(processes, len(chunks)),
        signal.signal,
        (signal.SIGINT, signal.SIG_IGN),  # this process stops them
    ) as pool:
        return [text for cleaned in pool.imap(work, chunks) for text in cleaned]
