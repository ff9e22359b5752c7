"""The families of systems: what each knows of its own, so that whoever plans, runs or counts asks them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.execution.finetune import plan as finetune_plan
from selu.execution.grids import plan as grids_plan
from selu.execution.planned import FINETUNE_LOCKS, Asked, Planned, Wanted
from selu.execution.prompt import plan as prompt_plan
from selu.vocabulary import Task

if TYPE_CHECKING:
    from selu.execution.environments import Environments
    from selu.execution.recording import Orders


@dataclass(frozen=True, slots=True)
class Family:
    """Systems that are planned and run alike.

    Attributes:
        name: of the family, which its runs bear.
        locks: the environments that its runs are made in.
        known: ids of its systems.
        ask: for runs of its systems: root, all tasks, filters, and those of its systems that are named.
        runs: gives the module that makes its runs, whose libraries no plan needs.
        fits: how many fits a run takes.
        trains: whether a run takes GPUs, or as many threads as its knobs say.
        paid: whether a run costs money, so that it is named, and ``selu run`` alone makes it.
        tell: what ``selu show`` tells of a run's record beside its score.
    """

    name: str
    locks: tuple[str, ...]
    known: Callable[[Path], Iterable[str]]
    ask: Callable[[Path, Sequence[Task], Wanted, Collection[str]], list[Asked]]
    runs: Callable[[], Any]
    fits: Callable[[Planned], int] = lambda _run: 1
    trains: bool = False
    paid: bool = False
    tell: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None

    def make(self, orders: Orders, runs: Sequence[Planned]) -> None:
        """Make runs, one after the other or side by side, and tidy up where none is to be made."""
        self.runs().make(orders, runs)

    def open_workers(self, root: Path, size: int) -> Environments:
        """So many worker processes, for ``make_one``; of a family that is not ``paid``."""
        workers: Environments = self.runs().open_workers(root, size)
        return workers

    def make_one(self, orders: Orders, run: Planned, environments: Environments) -> Path:
        """Make a single run; returns the path of its scores."""
        scores: Path = self.runs().make_one(orders, run, environments)
        return scores


def _fitted() -> Any:
    from selu.execution.grids import run

    return run


def _trained() -> Any:
    from selu.execution.finetune import run

    return run


def _prompted() -> Any:
    from selu.execution.prompt import run

    return run


FAMILIES = (
    Family(
        grids_plan.FAMILY,
        ("authors", "baselines", *FINETUNE_LOCKS),
        grids_plan.known,
        grids_plan.ask,
        _fitted,
        fits=lambda run: len(run.grid) + (run.protocol == "strict"),
    ),
    Family(finetune_plan.FAMILY, FINETUNE_LOCKS, finetune_plan.known, finetune_plan.ask, _trained, trains=True),
    Family(
        prompt_plan.FAMILY,
        (prompt_plan.FAMILY,),
        prompt_plan.known,
        prompt_plan.ask,
        _prompted,
        paid=True,
        tell=lambda content: dict(_prompted().tell(content)),
    ),
)
LOCKS = tuple(dict.fromkeys(lock for family in FAMILIES for lock in family.locks))
_BY_NAME = {family.name: family for family in FAMILIES}


def family_of(run: Planned) -> Family:
    """The family of a run's system."""
    return _BY_NAME[run.family]
