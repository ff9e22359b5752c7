"""CodeBLEU of two pieces of Python (Ren et al., 2020), as the package codebleu computes it."""

from __future__ import annotations

import logging
from functools import cache
from typing import Any

from selu.benchmarks.faun_eval.metrics.similarity import LONGEST, library


class _Ordered(dict[Any, None]):
    """What the package asks of a set, in the order in which it was filled."""

    def __init__(self, items: Any = ()) -> None:
        super().__init__(dict.fromkeys(items))

    def add(self, item: Any) -> None:
        self[item] = None


@cache
def _scorer() -> Any:
    """Load the package so that it gives the same score in every process.

    It numbers the variables of a data flow in the order of a set of names, which differs with the seed of
    Python's hashes and moves some scores. Its warning that a text has no data flow is left out.
    """
    for name in ("codebleu.dataflow_match", "codebleu.parser.DFG"):
        vars(library(name))["set"] = _Ordered
    quiet = logging.getLogger("codebleu")
    quiet.setLevel(logging.ERROR)
    library("codebleu.dataflow_match").logging = quiet
    return library("codebleu").calc_codebleu


def codebleu(answer: str, reference: str) -> float:
    """Compute CodeBLEU, 0 to 1: words between blanks, four parts of a quarter each, the grammar of Python.

    A reference without data flow counts that part as matched, as the package does. Text that is no Python, such
    as a patch, is parsed as far as its grammar goes. An empty answer scores 0, and so does one above
    ``LONGEST`` characters.
    """
    if not answer.strip() or not reference.strip() or len(answer) > LONGEST:
        return 0.0
    return float(_scorer()([reference], [answer], lang="python")["codebleu"])
