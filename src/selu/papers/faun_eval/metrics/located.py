"""Exact match and hit at k: does an answer name the file at fault?"""

from __future__ import annotations

import re
from collections.abc import Sequence

_FENCE = re.compile(r"\A```[^\n`]*\n(.*?)\n?```\Z", re.DOTALL)


def exact(answer: str, path: str) -> float:
    """Score 1 where an answer is the path and nothing else, else 0 (FAUN-Eval section 4.4)."""
    return float(answer == path)


def trim(answer: str) -> str:
    """Strip white space, a code fence, quotes and a leading ``./`` from an answer."""
    bare = answer.strip()
    if fenced := _FENCE.match(bare):
        bare = fenced[1].strip()
    while len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'`":
        bare = bare[1:-1].strip()
    return bare.removeprefix("./")


def exact_trimmed(answer: str, path: str) -> float:
    """Score as ``exact``, after the text around a bare path was stripped (``trim``)."""
    return exact(trim(answer), path)


def hit(files: Sequence[str], path: str, k: int) -> float:
    """Score 1 where the path is among the first k files that are named, each counted once, else 0.

    Raises:
        ValueError: k is below 1.
    """
    if k < 1:
        raise ValueError(f"hit at {k}")
    return float(path in list(dict.fromkeys(files))[:k])
