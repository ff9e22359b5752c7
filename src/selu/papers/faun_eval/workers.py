"""Scoring many answers on all cores."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial

from selu.papers.faun_eval.rescored import Each

FEW = 60  # answers that are scored sooner than a process starts
_AT_ONCE = 8


@contextmanager
def share_work(answers: int) -> Iterator[Each]:
    """Return a ``map`` that shares many answers among processes, one per core; for few, the built-in one.

    The order of results is that of the arguments, and no score depends on the process that computes it.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if answers < FEW or cores < 2:
        yield map
        return
    context = multiprocessing.get_context("spawn")  # threads of libraries do not survive a fork
    with ProcessPoolExecutor(min(cores, 8), mp_context=context) as pool:
        yield partial(pool.map, chunksize=_AT_ONCE)
