"""The families of systems: what each knows of its own, so that whoever plans, runs or counts asks them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selu.execution.environments import Environments
from selu.execution.finetune import plan as finetune_plan
from selu.execution.finetune import run as finetune_run
from selu.execution.grids import plan as grids_plan
from selu.execution.grids import run as grids_run
from selu.execution.planned import FINETUNE_LOCKS, Asked, Planned, Wanted
from selu.execution.prompt import plan as prompt_plan
from selu.execution.prompt import run as prompt_run
from selu.execution.recording import Orders
from selu.vocabulary import Task


@dataclass(frozen=True, slots=True)
class Family:
    """Systems that are planned and run alike.

    Attributes:
        name: of the family, which its runs bear.
        locks: the environments that its runs are made in.
        known: ids of its systems.
        ask: for runs of its systems: root, all tasks, filters, and those of its systems that are named.
        make: runs, one after the other or side by side; a family is also called where none of its is asked for.
        make_one: a single run, in an environment that ``open`` gave.
        open: worker processes, so many; None, as ``make_one``, where a family has none.
        fits: how many fits a run takes.
        trains: whether a run takes GPUs, or as many threads as its knobs say.
        paid: whether a run costs money, so that none is made which nobody names.
        tell: what ``selu show`` tells of a run's record beside its score.
    """

    name: str
    locks: tuple[str, ...]
    known: Callable[[Path], Iterable[str]]
    ask: Callable[[Path, Sequence[Task], Wanted, Collection[str]], list[Asked]]
    make: Callable[[Orders, Sequence[Planned]], None]
    make_one: Callable[[Orders, Planned, Environments], Path] | None = None
    open: Callable[[Path, int], Environments] | None = None
    fits: Callable[[Planned], int] = lambda _run: 1
    trains: bool = False
    paid: bool = False
    tell: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None


FAMILIES = (
    Family(
        grids_plan.FAMILY,
        ("authors", "baselines", *FINETUNE_LOCKS),
        grids_plan.known,
        grids_plan.ask,
        grids_run.make,
        grids_run.make_one,
        grids_run.open_workers,
        lambda run: len(run.grid) + (run.protocol == "strict"),
    ),
    Family(
        finetune_plan.FAMILY,
        FINETUNE_LOCKS,
        finetune_plan.known,
        finetune_plan.ask,
        finetune_run.make,
        finetune_run.make_one,
        finetune_run.open_workers,
        trains=True,
    ),
    Family(
        prompt_plan.FAMILY,
        (prompt_plan.FAMILY,),
        prompt_plan.known,
        prompt_plan.ask,
        prompt_run.make,
        paid=True,
        tell=prompt_run.tell,
    ),
)
LOCKS = tuple(dict.fromkeys(lock for family in FAMILIES for lock in family.locks))
_BY_NAME = {family.name: family for family in FAMILIES}


def family_of(run: Planned) -> Family:
    """The family of a run's system."""
    return _BY_NAME[run.family]
