"""``selu run``: several trainings at once on several GPUs, as a sweep places them, else one after another."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from selu.execution import runner
from selu.execution.planned import Planned, Progress, Wanted
from selu.execution.plans import family_of
from selu.runs import nvidia
from selu.sweep import sweep
from selu.systems.finetune.settings import PROCESSES
from selu.vocabulary import SeluError


def run(
    root: Path, wanted: Wanted, only: str, jobs: int | None, progress: Progress, max_cost: float | None = None
) -> list[Path]:
    """Run what the filters and ``only`` select; arguments, returned paths and errors as in ``runner.make``.

    Args:
        only: as there, or outdated: runs that are here and do not stand under their present identity.
    """
    return make(root, *runner.choose(root, wanted, only), jobs, progress, max_cost)


def make(
    root: Path,
    chosen: Sequence[Planned],
    only: str,
    jobs: int | None,
    progress: Progress,
    max_cost: float | None = None,
) -> list[Path]:
    """Run those of the chosen that ``only`` asks for, as ``runner.make`` does; prompted ones come last."""
    if not shares_gpus(chosen, only):
        return runner.make(root, chosen, only, jobs, progress, max_cost)
    free, paid = ([run for run in chosen if family_of(run).paid is costs] for costs in (False, True))
    try:
        written = sweep.make(root, free, only, progress, jobs=jobs)
    except SeluError:
        if paid:
            runner.make(root, paid, only, jobs, progress, max_cost)
        raise
    return written + (runner.make(root, paid, only, jobs, progress, max_cost) if paid else [])


def shares_gpus(chosen: Sequence[Planned], only: str) -> bool:
    """Return whether several trainings are due and this machine has several GPUs for them.

    Where SELU_PROCESSES says on how many each of them works, they are made one after another.
    """
    if nvidia.count_gpus() < 2 or os.environ.get(PROCESSES):
        return False
    return sum(family_of(run).trains and runner.to_be_made(run, only) for run in chosen) > 1
