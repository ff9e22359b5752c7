"""Answers of baselines to texts that come in: a run of theirs keeps no model, so that it is fitted again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from selu import registry
from selu.data.inputs import clean_texts
from selu.execution import plans, protocols, results
from selu.execution.grids.run import Lesson, Spent, open_workers
from selu.execution.planned import Planned, Wanted
from selu.names import DATA, STAND_IN
from selu.runs import record
from selu.runs.store import caution
from selu.systems import learners
from selu.vocabulary import SeluError, Task

_NOT_THE_PAPERS = ("synthetic", "stand-in")


class Answered(NamedTuple):
    """An answer per text, the probabilities of each label if requested, and the name of the run."""

    answers: list[Any]
    probabilities: list[list[float]]
    run: str


def answers(
    root: Path,
    system: str,
    task: Task,
    run: str | None,
    texts: Sequence[str | Mapping[str, object]],
    say: Callable[[str], None],
    probabilities: bool = False,
) -> Answered:
    """Answer texts with a run's chosen parameters, seed and environment, learnt from its rows.

    Args:
        run: its name, like strict-s42; by default the one with the lowest seed, strict where there is one.
        texts: as they are published; they are cleaned where the run's rows were. Of a row of several columns,
            these by name.

    Raises:
        SeluError: no such run, no rows to learn from, an environment that is missing, or no probabilities.
    """
    import pandas as pd

    planned = _planned(root, system, task, run)
    if probabilities and planned.learner not in learners.WITH_PROBABILITIES:
        raise SeluError(f"{system} gives no probabilities: leave --probabilities out.")
    params = dict(record.read_run(planned.folder, planned.identity)["chosen"])
    params |= {"probabilities": True} if probabilities else {}
    if "timings" in params:
        params["timings"] = 0  # nobody asks how long an answer takes
    if planned.fields["data"]["text"] == "paper":
        given = [str(text) for text in texts]
        texts = clean_texts(root, task, given)
        say_emptied(given, texts, say)
    fit, _ = protocols.picked(results.read_rows(root, planned))
    origin = f" of {DATA[planned.availability]}" if planned.availability in DATA else ""
    aside = f"; {STAND_IN}" if planned.availability in _NOT_THE_PAPERS else ""
    say(f"{planned.name} keeps no model: it is fitted again to {len(fit):,} rows{origin}{aside}")
    with open_workers(root, 1) as environments:
        lesson = Lesson(root, planned, fit, pd.DataFrame({"text": list(texts)}))
        (unit,) = lesson.learn([params], environments, False, Spent(), say)
    return Answered(unit["answers"], unit.get("probabilities", []), planned.folder.name)


def say_emptied(given: Sequence[str], texts: Sequence[str], say: Callable[[str], None]) -> None:
    """Say how many texts cleaning left nothing of."""
    if n := sum(bool(before.strip() and not after.strip()) for before, after in zip(given, texts, strict=True)):
        are = "is" if n == 1 else "are"
        say(f"{n:,} of {len(given):,} texts {are} empty after cleaning: such an answer is meaningless")


def _planned(root: Path, system: str, task: Task, name: str | None) -> Planned:
    declared = next((declared for declared in registry.paper_systems() if declared.id == system), None)
    if declared and (absence := registry.absence(declared, task)) is not None:
        raise SeluError(f"{system} does not answer {task.id}: {absence}.")
    runs = sorted(plans.plan(root, Wanted((task.id,), (system,))), key=_order)
    by_name = {run.folder.name: run for run in runs}
    states = {run: record.state(planned.folder, planned.identity) for run, planned in by_name.items()}
    there = [run for run, state in states.items() if state is record.State.PRESENT]
    alike = [run for run in there if by_name[run].protocol == runs[0].protocol]
    chosen = name or next(iter(alike), runs[0].folder.name)
    if chosen in there:
        return by_name[chosen]
    here = f"; {', '.join(there)} can be asked with --run" if there else ""
    if chosen not in by_name:
        raise SeluError(f"{task.id}/{system} has no run {name!r}: its runs are {', '.join(by_name)}.")
    run = by_name[chosen]
    what = f"--protocol {run.protocol} --seed {run.seed} --environment {run.environment}"
    state = "out of date" if states[chosen] is record.State.STALE else states[chosen]
    only = " --only failed" if states[chosen] is record.State.FAILED else ""
    raise SeluError(
        f"the run {run.name} is {state}: 'selu run --task {task.id} --system {system} {what}{only}' "
        f"makes it{caution(root, run.folder.parent, run.folder.name)}{here}."
    )


def _order(run: Planned) -> tuple[bool, int, int]:
    """Return a sort key: strict first, then the lowest seed, then the environment that the protocol names."""
    return run.protocol != "strict", run.seed, len(run.folder.name)
