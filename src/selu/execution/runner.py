"""``selu run``: cells from prepared rows to predictions and scores, resumable at every candidate of a grid.

A lesson is what a learner is given: rows to learn from and texts to answer. Each candidate of the grid is a
unit, fitted by one of several worker processes and kept, sealed, below ``.selu``; a restart takes what is
there. Under protocol ``paper`` the candidates answer the test rows and the best of them is the run. Under
``strict`` they answer the validation rows, and the one picked is fitted anew on train and validation together.

Fine-tuned systems come after the baselines, several trainings at once (``finetuning``), then prompted ones
(``prompting``).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from selu.data.prepared import has_data
from selu.execution import plans, predictions, protocols, recording, scoring
from selu.execution.environments import Environments
from selu.execution.finetune import run as finetune_run
from selu.execution.grids import fitting
from selu.execution.grids.fitting import Lesson, Spent
from selu.execution.planned import Planned, Wanted
from selu.execution.prompt import run as prompt_run
from selu.metrics import kinds
from selu.runs import record, store
from selu.vocabulary import Kind, MachineError, SeluError, Task

__all__ = ["ONLY", "failed_before", "make", "run", "score"]
ONLY = ("missing", "failed", "all", "none")
OUTDATED = "outdated"  # what is here, of whatever system and lock, and not as the parameters ask
Progress = Callable[[str], None]


def run(
    root: Path, wanted: Wanted, only: str, jobs: int | None, progress: Progress, max_cost: float | None = None
) -> list[Path]:
    """Run what the filters and ``only`` ask for; arguments, result and errors as of ``make``.

    Args:
        only: as of ``make``, or outdated: runs that are here and do not stand under their present identity.
    """
    if only == OUTDATED:
        runs = plans.stored(root, wanted)
        return make(root, runs, "missing", jobs, progress, max_cost)
    return make(root, plans.plan(root, plans.here(root, wanted)), only, jobs, progress, max_cost)


def make(
    root: Path,
    chosen: Sequence[Planned],
    only: str,
    jobs: int | None,
    progress: Progress,
    max_cost: float | None = None,
) -> list[Path]:
    """Run those of the chosen that ``only`` asks for, the rest when one fails; returns the folders written.

    Args:
        only: missing (whatever does not stand under its present identity), failed, all, or none.
        jobs: worker processes; by default one a core (of fine-tuning: ``finetuning.run_all``).
        max_cost: USD that prompted systems may cost from now on.

    Raises:
        SeluError: a wrong filter, a missing environment, or runs that failed (after the others were done).
    """
    if only not in ONLY:
        raise SeluError(f"--only takes {', '.join(ONLY)} or {OUTDATED}, not {only!r}.")
    if jobs is not None and jobs < 1:
        raise SeluError("--jobs takes a number from 1 on.")
    if max_cost is not None and not max_cost >= 0:
        raise SeluError("--max-cost takes an amount in USD from 0 on.")
    written: list[Path] = []
    failed: dict[str, str] = {}

    def ended(planned: Planned, result: Path | Exception) -> None:
        if isinstance(result, Path):
            written.append(result)
            return
        failed[planned.name] = sentence = recording.sentence(result)
        progress(f"{planned.name}: {sentence}")
        if not isinstance(result, (MachineError, OSError)):
            _record_failure(planned, sentence, progress)

    todo, left = _parted(chosen, only, ended)
    store.set_aside(root, [run.folder for run in todo])
    fitting.sweep(root)
    plain = [one for one in todo if not (one.finetuned or one.prompted)]
    grids = [one for one in plain if len(one.grid) > 1]
    _baselines(root, grids, only == "all", jobs, progress, ended)
    _singles(root, [one for one in plain if len(one.grid) == 1], only == "all", jobs, progress, ended)
    trainings = [one for one in todo if one.finetuned]
    finetune_run.run_all(root, trainings, jobs, only == "all", progress, ended)
    prompt_run.run_all(root, [one for one in todo if one.prompted], max_cost, progress, ended)
    if only == "missing":
        scored, unscored = _score_all(root, left, progress, anew=False)
        written += scored
        failed |= unscored
    done = sum(planned.name not in failed for planned in todo)
    before = failed_before(left)
    told = f"{len(chosen)} runs: {done} run, {len(left)} left as they are, {len(failed)} failed"
    if not (todo or written or failed) and all(_up_to_date(root, run) for run in left):
        told = f"nothing to do: {len(left)} {'results are' if len(left) > 1 else 'result is'} up to date"
    progress(told + before)
    if outputs := store.replaced(root, written):
        progress(
            "the new results replace tracked ones, so that 'selu verify' and 'selu reproduce' refuse: to go "
            f"back, copy yours elsewhere and run '{store.way_back(outputs)}'"
        )
    if failed:
        names = ", ".join(failed)
        raise SeluError(f"{len(failed)} of {len(chosen)} runs failed, for the reasons above: {names}.")
    return written


def _up_to_date(root: Path, run: Planned) -> bool:
    return record.state(run.folder, run.identity) is record.State.PRESENT and scoring.current(root, run)


def failed_before(left: Sequence[Planned]) -> str:
    """How many of the runs that are left failed another time, in words: an exit code of 0 would hide that."""
    count = sum(record.state(run.folder, run.identity) is record.State.FAILED for run in left)
    return f" ({count} of those left failed before: '--only failed' runs them again)" if count else ""


def _parted(
    chosen: Sequence[Planned], only: str, ended: finetune_run.Ended
) -> tuple[list[Planned], list[Planned]]:
    """Runs to be made, and runs to be left as they are."""
    todo: list[Planned] = []
    left: list[Planned] = []
    for planned in chosen:
        try:
            (todo if to_be_made(planned, only) else left).append(planned)
        except OSError as error:
            ended(planned, error)
    return todo, left


def _record_failure(planned: Planned, sentence: str, progress: Progress) -> None:
    """Record that a cell failed, where the disk takes it: the other cells are run all the same."""
    try:
        recording.record_failure(planned, sentence)
    except OSError as error:
        progress(f"{planned.name}: this can't be recorded: {recording.sentence(error)}")


def _baselines(
    root: Path,
    runs: Sequence[Planned],
    anew: bool,
    jobs: int | None,
    progress: Progress,
    ended: finetune_run.Ended,
) -> None:
    """Grids of baselines, one run after the other: the candidates of each go side by side."""
    with Environments(root, jobs or os.cpu_count() or 1) as environments:
        for number, planned in enumerate(runs, start=1):
            try:
                head = f"[{number}/{len(runs)}]"
                ended(planned, run_baseline(root, planned, environments, anew, progress, head))
            except (SeluError, ValueError, OSError) as error:
                ended(planned, error)


def _singles(
    root: Path,
    runs: Sequence[Planned],
    anew: bool,
    jobs: int | None,
    progress: Progress,
    ended: finetune_run.Ended,
) -> None:
    """Runs of one candidate each, several runs at once."""
    size = jobs or os.cpu_count() or 1
    with Environments(root, size) as environments, ThreadPoolExecutor(size) as pool:
        said = [f"[{number}/{len(runs)}]" for number, _ in enumerate(runs, start=1)]
        futures = {
            pool.submit(run_baseline, root, planned, environments, anew, progress, head): planned
            for head, planned in zip(said, runs, strict=True)
        }
        try:
            for future in as_completed(futures):
                try:
                    ended(futures[future], future.result())
                except (SeluError, ValueError, OSError) as error:
                    ended(futures[future], error)
        except BaseException:  # Ctrl-C: no thread may wait for fits of minutes
            pool.shutdown(wait=False, cancel_futures=True)
            environments.stop()
            raise


def to_be_made(planned: Planned, only: str) -> bool:
    """Whether ``only`` asks for this run, as it stands now.

    Raises:
        OSError: the disk refuses to have removed what a killed run left.
    """
    record.settle(planned.folder)  # what a killed run left must not be tracked
    state = record.state(planned.folder, planned.identity)
    if only == "missing":
        return state not in (record.State.PRESENT, record.State.FAILED)
    return only == "all" or (only == "failed" and state is record.State.FAILED)


def score(root: Path, runs: Sequence[Planned], progress: Progress, anew: bool = False) -> list[Path]:
    """Score the runs that are here and whose scores are out of date: a metric or the intervals' knobs changed.

    Args:
        anew: all of them. Otherwise a run that is not here, or whose rows are not, is left as it is.

    Raises:
        SeluError: runs that can't be scored (after the others were).
    """
    written, failed = _score_all(root, runs, progress, anew)
    if len(set(failed.values())) == 1:
        raise SeluError(next(iter(failed.values())))
    if failed:
        names = ", ".join(failed)
        raise SeluError(f"{len(failed)} of {len(runs)} runs have no score, for the reasons above: {names}.")
    return written


def here(runs: Sequence[Planned], progress: Progress) -> list[Planned]:
    """Leave out the runs that were never made, or failed, and say how many.

    Raises:
        SeluError: no other is left.
    """
    none = (record.State.MISSING, record.State.FAILED)
    found = [run for run in runs if record.state(run.folder, run.identity) not in none]
    if not found:
        raise SeluError(
            "no run is here to be scored: 'dvc pull' brings the tracked ones, 'selu run' makes them."
        )
    if left := len(runs) - len(found):
        progress(f"{left} of {len(runs)} runs are missing or failed, and have no score: 'selu run' makes them")
    return found


def _score_all(
    root: Path, runs: Sequence[Planned], progress: Progress, anew: bool
) -> tuple[list[Path], dict[str, str]]:
    """What was written, and by its name why a run could not be scored."""
    written, failed = [], {}
    for planned in runs:
        try:
            written += _score(root, planned, progress, anew)
        except Exception as error:  # whatever a file that is not as it should be makes a library say
            said = recording.sentence(error)
            if not isinstance(error, (SeluError, OSError)):
                why = f"{type(error).__name__}: {said}"
                said = f"it can't be scored ({why}): 'selu run --only all' makes it anew."
            failed[planned.name] = said
            progress(f"{planned.name}: {said}")
    return written, failed


def _score(root: Path, planned: Planned, progress: Progress, anew: bool) -> list[Path]:
    if anew:
        record.read_file(planned.folder, record.PREDICTIONS, planned.identity)  # refuses what can't be scored
    elif record.state(planned.folder, planned.identity) is not record.State.PRESENT:
        return []
    if not anew and (scoring.current(root, planned) or not has_data(root, planned.task.id)):
        return []
    progress(f"scoring {planned.name}")
    return [scoring.score(root, planned, predictions.rows_of(root, planned))]


def run_baseline(
    root: Path, planned: Planned, environments: Environments, anew: bool, progress: Progress, head: str = ""
) -> Path:
    """Learn and score one run of a baseline; returns the path of its scores.

    ``head`` precedes its name where the run is announced.

    Raises:
        SeluError, ValueError, OSError: it can't be learnt; a MachineError says nothing of the cell.
    """
    if head:
        progress(f"{head} {planned.name} ({planned.environment})")
    rows, spent = predictions.rows_of(root, planned), Spent()
    fit, asked = protocols.candidates(rows, planned.protocol)
    units = Lesson(root, planned, fit, asked).learn(planned.grid, environments, anew, spent, progress)
    truth = asked["label"].tolist()
    metric = planned.fields["pick"]["metric"]
    scores = [_primary(planned.task, metric, truth, unit["answers"]) for unit in units]
    best = protocols.pick(scores, planned.fields["pick"]["best"])
    fit, test = protocols.picked(rows)
    unit = units[best]
    if planned.protocol == "strict":
        again = Lesson(root, planned, fit, test)
        unit = again.learn([planned.grid[best]], environments, anew, spent, progress)[0]
    answers = predictions.to_parquet(test["id"].tolist(), unit["answers"], planned.task.kind)
    grid = [
        {**params, "score": score, "seconds": one["cost"]["seconds"]}
        for params, score, one in zip(planned.grid, scores, units, strict=True)
    ]
    content = {
        **recording.provenance(planned, environments.versions(planned), spent.started),
        "state": "present",
        "chosen": dict(planned.grid[best]),
        "grid": grid,
        "cost": spent.cost(),
        **({"inference": unit["inference"]} if "inference" in unit else {}),  # seconds per text, of each repeat
    }
    recording.check_unchanged(root, planned)
    record.write_run(planned.folder, {record.PREDICTIONS: answers}, content)
    path = scoring.score(root, planned, rows)
    value, seconds = record.read_scores(planned.folder)["value"], content["cost"]["wall_seconds"]
    progress(f"{planned.name}: {metric} {value:.4f}{recording.standing_of(planned)}, {seconds:.0f} s")
    return path


def _primary(task: Task, metric: str, truth: Sequence[Any], answers: Sequence[Any]) -> float:
    """The score by which candidates are picked."""
    if spec := kinds.added(task.kind):
        return float(spec.evaluate(truth, answers, [label.name for label in task.labels])[metric])
    return protocols.primary(Kind(task.kind), len(task.labels), metric, truth, answers)
