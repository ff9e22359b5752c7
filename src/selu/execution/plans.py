"""Which runs there are under the current parameters, of whatever systems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from selu import registry
from selu.data.prepared import tracked_record
from selu.execution.finetune import plan as finetune_plan
from selu.execution.grids import baselines as planning_baselines
from selu.execution.grids import declared as declared_learners
from selu.execution.planned import FINETUNE_LOCKS, PROMPT, PROTOCOLS, Planned, Wanted
from selu.execution.prompt import plan as prompt_plan
from selu.registry import tasks_of
from selu.vocabulary import SeluError, Task

__all__ = ["Planned", "Wanted", "here", "plan", "plan_again", "stored"]
_OTHERS = {name for names in planning_baselines.ENVIRONMENTS.values() for name in names} | {PROMPT}


def plan(root: Path, wanted: Wanted) -> list[Planned]:
    """The runs under the current parameters, in the order of the tasks.

    Without a filter these are the runs of the baselines, and of the fine-tuned systems that params.yaml names,
    on real data of SELU. A task of synthetic rows, of another benchmark or of one's own, any other model, and a
    prompted system, which costs money, is run when it is named. Other benchmarks declare systems of their own:
    of their tasks those are run, and SELU's when they are named. Fine-tuned runs are those under the lock that
    the results at hand were made under, unless environments are named: ``here`` names what can run here.

    Raises:
        SeluError: an unknown name in a filter, a filter that nothing passes, or a damaged record of a task.
    """
    tasks = tasks_of(root, wanted.tasks)
    environments = {*_OTHERS, *FINETUNE_LOCKS}
    _check(root, wanted, environments)
    runs = [
        run
        for run in _runs(root, tasks, wanted)
        if run.system in (wanted.systems or (run.system,))
        and run.protocol in (wanted.protocols or PROTOCOLS)
        and run.seed in (wanted.seeds or (run.seed,))
        and run.environment in (wanted.environments or environments)
    ]
    if not runs:
        raise SeluError(
            "no run passes these filters: 'selu plan' lists all runs, and 'selu show TASK/SYSTEM' says why a "
            "cell is absent."
        )
    return runs


def here(root: Path, wanted: Wanted) -> Wanted:
    """The same filters, with fine-tuned runs under the lock of this machine, where they name no environment.

    Raises:
        SeluError: a lock is missing.
    """
    from selu.execution.environments import built_from

    if wanted.environments:
        return wanted
    return replace(wanted, environments=(*sorted(_OTHERS), built_from(root, finetune_plan.PACKAGES)))


def stored(root: Path, wanted: Wanted) -> list[Planned]:
    """The planned runs that pass the filters and whose folders are here, of any system that costs no money.

    A prompted system is taken where it is named. Fine-tuned runs are those under the lock that the results at
    hand were made under.

    Raises:
        SeluError: as of ``plan``.
    """
    tasks = [task.id for task in tasks_of(root, wanted.tasks) if task.id in (wanted.tasks or (task.id,))]
    cells = {cell for task in tasks for cell in registry.results_of(root, task).glob("*") if cell.is_dir()}
    free = [name for name in _systems(root) if name not in prompt_plan.known(root)]
    systems = wanted.systems or tuple(name for name in free if name in {cell.name for cell in cells})
    named = tuple(task for task in tasks if registry.results_of(root, task).is_dir())
    if not (systems and named):
        return []
    return [run for run in plan(root, replace(wanted, tasks=named, systems=systems)) if run.folder.is_dir()]


def _systems(root: Path) -> list[str]:
    """Every system that can be run, by id."""
    return [
        *planning_baselines.SYSTEMS,
        *declared_learners.every(root),
        *finetune_plan.known(root),
        *prompt_plan.known(root),
    ]


def _check(root: Path, wanted: Wanted, environments: set[str]) -> None:
    """Refuse names that nothing has."""
    from selu.names import nearest

    for names, known, what in (
        (wanted.tasks, [*registry.declared(), *registry.local_names(root)], "task"),
        (wanted.systems, _systems(root), "system"),
        (wanted.protocols, PROTOCOLS, "protocol"),
        (wanted.environments, sorted(environments), "environment"),
    ):
        for name in names:
            if name not in known:
                raise nearest(name, known, what)


def _runs(root: Path, tasks: tuple[Task, ...], wanted: Wanted) -> Iterator[Planned]:
    """All runs of the wanted tasks, read for the wanted systems only."""
    asked_tasks = tuple(task for task in tasks if task.id in (wanted.tasks or (task.id,)))
    plain = not wanted.systems or any(name in planning_baselines.SYSTEMS for name in wanted.systems)
    tuned = finetune_plan.chosen(root, wanted.systems)
    declared = declared_learners.basis(root, asked_tasks, wanted.systems)
    baselines = planning_baselines.basis(root, tasks) if plain else None
    finetune = finetune_plan.basis(root, tuned) if tuned else None
    asked = tuple(name for name in prompt_plan.known(root) if name in wanted.systems)
    prompted = prompt_plan.basis(root, asked) if asked else None
    for task in asked_tasks:
        if not (task.ranked or finetune or declared):
            continue
        record = tracked_record(root, task.id)
        if record["standing"] == "synthetic" and not wanted.tasks:
            continue
        if declared:
            yield from declared_learners.of_task(root, task, record, declared, wanted.environments)
        if registry.benchmark(task.benchmark).asked and not wanted.systems:
            continue
        if baselines:
            yield from planning_baselines.of_task(root, task, record, baselines)
        if finetune:
            yield from finetune_plan.of_task(root, task, record, finetune, wanted.environments)
        if prompted:
            yield from prompt_plan.of_task(root, task, record, prompted)


def plan_again(root: Path, run: Planned) -> Planned:
    """The same run, planned anew: its identity differs when a source, a lock or a parameter changed."""
    names = Wanted((run.task.id,), (run.system,), (run.protocol,), (run.seed,), (run.environment,))
    return plan(root, names)[0]
