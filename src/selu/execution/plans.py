"""The runs under the current parameters, of all families of systems.

A family knows of its own systems what differs from the others', so that whoever plans, runs or counts asks it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from selu import registry
from selu.data.prepared import tracked_record
from selu.execution.environments import built_from
from selu.execution.finetune import plan as finetune_plan
from selu.execution.grids import plan as grids_plan
from selu.execution.planned import FINETUNE_LOCKS, PROTOCOLS, Asked, Planned, Wanted
from selu.execution.prompt import plan as prompt_plan
from selu.names import check
from selu.registry import tasks_of
from selu.vocabulary import SeluError, Task

if TYPE_CHECKING:
    from selu.contents import RunContent

__all__ = ["Planned", "Wanted", "here", "plan", "plan_again", "stored"]


@dataclass(frozen=True, slots=True)
class Family:
    """Systems that are planned and run in the same way.

    Attributes:
        name: of the family, which its runs bear, and of the folder of its modules.
        locks: the environments that its runs are made in.
        known: ids of its systems.
        ask: for runs of its systems: root, all tasks, filters, and those of its systems that are named.
        fits: how many fits a run takes.
        trains: whether a run takes GPUs, or as many threads as its settings say.
        paid: whether a run costs money, so that it is named, and ``selu run`` alone makes it.
        tell: what ``selu show`` tells of a run's record beside its score.
    """

    name: str
    locks: tuple[str, ...]
    known: Callable[[Path], Iterable[str]]
    ask: Callable[[Path, Sequence[Task], Wanted, Collection[str]], list[Asked]]
    fits: Callable[[Planned], int] = lambda _run: 1
    trains: bool = False
    paid: bool = False
    tell: Callable[[RunContent], Mapping[str, str | float]] | None = None

    @property
    def runs(self) -> ModuleType:
        """The module that makes its runs, imported late since no plan needs its libraries."""
        return import_module(f"selu.execution.{self.name}.run")


FAMILIES = (
    Family(
        grids_plan.FAMILY,
        ("authors", "baselines", *FINETUNE_LOCKS),
        grids_plan.known,
        grids_plan.ask,
        fits=lambda run: len(run.grid) + (run.protocol == "strict"),
    ),
    Family(finetune_plan.FAMILY, FINETUNE_LOCKS, finetune_plan.known, finetune_plan.ask, trains=True),
    Family(
        prompt_plan.FAMILY,
        prompt_plan.LOCKS,
        prompt_plan.known,
        prompt_plan.ask,
        paid=True,
        tell=prompt_plan.tell,
    ),
)
LOCKS = tuple(dict.fromkeys(lock for family in FAMILIES for lock in family.locks))
_BY_NAME = {family.name: family for family in FAMILIES}


def family_of(run: Planned) -> Family:
    """Find the family of a run's system."""
    return _BY_NAME[run.family]


def plan(root: Path, wanted: Wanted) -> list[Planned]:
    """Plan the runs under the current parameters, in the order of the tasks.

    Without a filter these are the runs of the baselines, and of the fine-tuned systems that params.yaml names,
    on real data of SELU. A task of synthetic rows, of another benchmark or of one's own, any other model, and a
    prompted system, which costs money, is run when it is named. Other benchmarks declare systems of their own:
    of their tasks those are run, and SELU's when they are named. Fine-tuned runs are those under the lock that
    the results available were made under, unless environments are named: ``here`` names what can run here.

    Raises:
        SeluError: an unknown name in a filter, a filter that nothing passes, or a damaged record of a task.
    """
    runs = [run for run in _runs(root, wanted) if wanted.allows(run)]
    if not runs:
        raise _no_run(root, wanted)
    return runs


def here(root: Path, wanted: Wanted) -> Wanted:
    """Complete filters that name no environment: what learns with torch is under the lock of this machine.

    Raises:
        SeluError: a lock is missing.
    """
    if wanted.environments:
        return wanted
    others = [lock for lock in LOCKS if lock not in FINETUNE_LOCKS]
    return replace(wanted, environments=(*others, built_from(root, finetune_plan.PACKAGES)))


def stored(root: Path, wanted: Wanted, paid: bool = False) -> list[Planned]:
    """Plan the runs that pass the filters and whose folders are here.

    A prompted system is taken where it is named, or if ``paid`` says that nobody will be asked. Fine-tuned runs
    are those under the lock that the results at hand were made under.

    Raises:
        SeluError: as in ``plan``.
    """
    tasks = [task.id for task in tasks_of(root, wanted.tasks) if task.id in (wanted.tasks or (task.id,))]
    cells = {cell.name for task in tasks for cell in registry.results_of(root, task).glob("*") if cell.is_dir()}
    known = (name for family in FAMILIES if paid or not family.paid for name in family.known(root))
    systems = wanted.systems or tuple(name for name in known if name in cells)
    named = tuple(task for task in tasks if registry.results_of(root, task).is_dir())
    if not (systems and named):
        return []
    return [run for run in plan(root, replace(wanted, tasks=named, systems=systems)) if run.folder.is_dir()]


def _no_run(root: Path, wanted: Wanted) -> SeluError:
    """Say that no run passes the filters; of one system on one task also which runs there are."""
    if len(wanted.tasks) != 1 or len(wanted.systems) != 1:
        return SeluError(
            "there is no such run: 'selu plan' lists all, 'selu show TASK/SYSTEM' says why there is none, and "
            "'selu run --help' how a model of yours is run."
        )
    place = f"{wanted.tasks[0]}/{wanted.systems[0]}"
    there = [*_runs(root, replace(wanted, protocols=(), seeds=(), environments=()))]
    if not there:
        return SeluError(f"there is no such run: 'selu show {place}' says why there is none.")
    had = (
        f"{name} {', '.join(dict.fromkeys(str(getattr(run, name)) for run in there))}"
        for name in ("protocol", "seed", "environment")
    )
    return SeluError(f"there is no such run of {place}, which has {'; '.join(had)}: choose among these.")


def _runs(root: Path, wanted: Wanted) -> Iterator[Planned]:
    """Yield all runs of the wanted tasks, planned for the wanted systems only."""
    tasks = tasks_of(root, wanted.tasks)
    if other := set(wanted.tasks) - {task.id for task in tasks}:
        raise registry.unknown_task(root, min(other))
    check(wanted.protocols, PROTOCOLS, "protocol")
    check(wanted.environments, sorted(LOCKS), "environment")
    if wanted.encoder:
        asked = grids_plan.ask_given(root, tasks, wanted, wanted.encoder)
    else:
        families = _families(root, wanted.systems)
        asked = [system for family, names in families for system in family.ask(root, tasks, wanted, names)]
    for task in tasks:
        is_wanted = task.id in (wanted.tasks or (task.id,))
        takers = [system for system in asked if is_wanted and system.takes(task)]
        record = tracked_record(root, task.id) if takers else None
        if record and (record["standing"] != "synthetic" or wanted.tasks):
            for system in takers:
                yield from system.runs(task, record)


def _families(root: Path, systems: Sequence[str]) -> list[tuple[Family, Collection[str]]]:
    """Return the families of these systems with the systems of each; without systems, all families.

    No more of them are asked for their names than it takes.
    """
    left, every = dict.fromkeys(systems), list[str]()
    found: list[tuple[Family, Collection[str]]] = []
    for family in FAMILIES:
        names = list[str]()
        for name in family.known(root) if left else ():
            every.append(name)
            if name in left:
                names.append(name)
                del left[name]
            if not left:
                break
        if names or not systems:
            found.append((family, names))
    check(list(left), every, "system")
    return found


def plan_again(root: Path, run: Planned) -> Planned:
    """Plan the same run again: its identity differs when a source, a lock or a parameter changed."""
    system = () if run.encoder else (run.system,)
    names = ((run.task.id,), system, (run.protocol,), (run.seed,), (run.environment,))
    return plan(root, Wanted(*names, encoder=run.encoder))[0]
