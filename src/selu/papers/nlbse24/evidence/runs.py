"""The present runs of NLBSE'24 with their test rows, as its results take them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from selu.contents import RunContent
from selu.papers.evidence import Evidence, RunSeen
from selu.papers.nlbse24 import design, readers
from selu.papers.nlbse24.records import TRACKS, Absent, NotRun
from selu.papers.nlbse24.resampled import Question
from selu.papers.nlbse24.rescored import NAMES
from selu.papers.nlbse24.results import Entrant
from selu.vocabulary import RunState, SeluError, Task

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

ISSUES = "issue_"
NOTHING = "nothing"  # what is picked on where nothing is picked
Test = Mapping[str, "pd.DataFrame"]  # task -> its test rows


class Key(NamedTuple):
    """What identifies an entrant; ``single`` if one model serves all repositories."""

    track: str
    system: str
    protocol: str
    single: bool


@dataclass(frozen=True)
class Declared:
    """The sets on which a declared system runs here."""

    sets: tuple[str, ...]


def stored_groups(evidence: Evidence) -> Mapping[Key, list[RunSeen]]:
    """Return the planned runs of every entrant of whom at least one is there.

    Raises:
        SeluError: there is no run at all, or one is stale or damaged.
    """
    systems = sorted({name.split("/")[1] for name in evidence.stored()})
    groups: dict[Key, list[RunSeen]] = {}
    for run in evidence.runs(systems=systems) if systems else ():
        track = TRACKS[not run.task.id.startswith(ISSUES)]
        key = Key(track, run.system, run.protocol, run.task.id == readers.ALL)
        groups.setdefault(key, []).append(run)
    every = (run for runs in groups.values() for run in runs)
    if unusable := [run for run in every if run.state in (RunState.STALE, RunState.DAMAGED)]:
        # They must not become gaps in what is tracked.
        raise SeluError(
            f"{len(unusable)} runs can't be used, first {unusable[0].name} ({unusable[0].state}): 'selu run "
            "--paper nlbse24' fixes them, or 'dvc checkout --force results' brings the tracked ones back."
        )
    there = {key: runs for key, runs in groups.items() if any(map(_present, runs))}
    if not there:
        raise SeluError(
            "results/nlbse24 holds no run: run 'dvc pull' to get them, or 'selu run --paper nlbse24'."
        )
    return there


def not_run(evidence: Evidence, groups: Iterable[Key]) -> list[NotRun]:
    """Return declared systems of which no run is there, with the tracks that they are declared for."""
    there = {key.system for key in groups}
    return [
        {"system": name, "tracks": sorted({TRACKS[not f"{set_}_".startswith(ISSUES)] for set_ in system.sets})}
        for name, system in evidence.settings("systems", dict[str, Declared]).items()
        if name not in there
    ]


def _present(run: RunSeen) -> bool:
    return run.state == RunState.PRESENT


def test_rows(evidence: Evidence, groups: Mapping[Key, Sequence[RunSeen]]) -> Mapping[str, pd.DataFrame]:
    """Test rows of every task that was run.

    Raises:
        MachineError: prepared rows are not here, or not those that the task's record vouches for.
    """
    first: dict[str, RunSeen] = {}
    for run in (run for runs in groups.values() for run in runs if _present(run)):
        first.setdefault(run.task.id, run)
    return {task: evidence.test_rows(run) for task, run in first.items()}


def issue_questions(test: Test) -> list[Question]:
    """Return the questions of every repository that was run, in the order of the tasks.

    Raises:
        SeluError: the rows of a repository differ between its own task and that of all repositories.
    """
    questions = []
    for task in _repositories():
        parts = [test[task.id]] if task.id in test else []
        if readers.ALL in test:
            parts.append(test[readers.ALL][_rows_of(task, test)])
        if len({(*part["text"], *part["label"]) for part in parts}) > 1:
            raise SeluError(
                f"the test rows of {task.id} are others than those of its repository in {readers.ALL}: run "
                "'selu prepare --paper nlbse24'."
            )
        if parts:
            place, truth = place_of(task.id), _labels(parts[0])
            questions.append(Question(place, place, np.arange(len(truth)), truth, tuple(range(len(NAMES)))))
    return questions


def comment_questions(test: Test) -> list[Question]:
    """Return the questions of every category that was run, in the order of the tasks.

    Equal sentences of one class are one unit of their language: nothing tells them apart, and they are answered
    alike.
    """
    units: dict[str, dict[str, int]] = {}
    questions = []
    for task in design.tasks():
        if task.id in test and not task.id.startswith(ISSUES):
            language = task.id.partition("_")[0]
            known = units.setdefault(language, {})
            numbers = np.array([known.setdefault(text, len(known)) for text in test[task.id]["text"]])
            questions.append(Question(place_of(task.id), language, numbers, _labels(test[task.id]), (1,)))
    return questions


def place_of(task: str) -> str:
    """Return the repository or language/category, as the published results name it."""
    return task.removeprefix(ISSUES) if task.startswith(ISSUES) else task.replace("_", "/", 1)


def _repositories() -> list[Task]:
    """List the tasks of one repository each."""
    return [task for task in design.tasks() if task.id.startswith(ISSUES) and task.id != readers.ALL]


def _rows_of(task: Task, test: Test) -> NDArray[np.bool_]:
    """Return which rows of all repositories are those of this one."""
    return np.asarray(test[readers.ALL]["group"] == task.sources[0])


def _labels(rows: pd.DataFrame) -> NDArray[np.int64]:
    return rows["label"].to_numpy(dtype=np.int64)


def entrant(evidence: Evidence, runs: Sequence[RunSeen], test: Test) -> Entrant:
    """Build an entrant from its planned runs: answers and times at each place with runs of all seeds."""
    first, present = runs[0], [run for run in runs if _present(run)]
    seeds = tuple(sorted({run.seed for run in present}))
    by_task = {run.task.id: [other for other in present if other.task == run.task] for run in present}
    whole = {task: task_runs for task, task_runs in by_task.items() if len(task_runs) == len(seeds)}
    single, picked = first.task.id == readers.ALL, str(first.fields["pick"]["on"])
    places = {place: task for task in whole for place in _parts(task, test)}
    records = {task: [run.record for run in task_runs] for task, task_runs in whole.items()}
    times = {task: _times(record) for task, record in records.items()}
    given = {task: _answers(evidence, task_runs, test[task]) for task, task_runs in whole.items()}
    name = first.system if picked == NOTHING else f"{first.system} {first.protocol}"
    return Entrant(
        id=f"{name}*" if single else name,
        system=first.system,
        protocol=first.protocol,
        single=single,
        picked_on=picked,
        seeds=seeds,
        tasks=places,
        answers={place: given[task][:, _parts(task, test)[place]] for place, task in places.items()},
        seconds={place: times[task] for place, task in places.items() if times[task]},
        machines=tuple(dict.fromkeys(_machine(run) for record in records.values() for run in record)),
        absent=tuple(_absent(run) for run in runs if run.task.id not in whole and run.seed in seeds),
    )


def _parts(task: str, test: Test) -> Mapping[str, slice | NDArray[np.bool_]]:
    """Return the places that a task's answers belong to, with their rows."""
    if task != readers.ALL:
        return {place_of(task): slice(None)}
    return {place_of(repository.id): _rows_of(repository, test) for repository in _repositories()}


def _answers(evidence: Evidence, runs: Sequence[RunSeen], rows: pd.DataFrame) -> NDArray[np.int64]:
    """Shape (seeds, rows)."""
    return np.array([list(evidence.answers(run, rows).values()) for run in runs], dtype=np.int64)


def _times(records: Sequence[RunContent]) -> list[float]:
    """Return the seconds per text of each repeat, averaged over seeds; empty if a run has none."""
    measured = [run.get("inference") or [] for run in records]
    return [sum(each) / len(each) for each in zip(*measured, strict=True)]


def _machine(run: RunContent) -> str:
    """Return the machine as the record of a run names it."""
    machine = run["machine"]
    return f"{machine['processor']}, {machine['cores']} cores, {machine['system']}"


def _absent(run: RunSeen) -> Absent:
    return {"task": run.task.id, "run": run.run, "state": str(run.state), "reason": run.error or "not run"}
