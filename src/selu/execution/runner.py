"""``selu run``: cells from prepared rows to predictions and scores, family by family (``plans.FAMILIES``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from selu.data.prepared import has_data
from selu.execution import plans, results
from selu.execution.environments import check_device, remove_leftovers
from selu.execution.planned import Orders, Planned, Progress, Wanted
from selu.execution.plans import FAMILIES, family_of
from selu.runs import record, store
from selu.systems.prompt.budget import limited
from selu.vocabulary import MachineError, SeluError

__all__ = ["ONLY", "failed_before", "make", "score"]
ONLY = ("missing", "failed", "all", "none")
OUTDATED = "outdated"  # runs here, of any system and lock, that differ from the parameters


def choose(root: Path, wanted: Wanted, only: str) -> tuple[list[Planned], str]:
    """List the planned runs, or the stored ones if ``only`` is outdated, and the ``only`` of ``make``."""
    if only == OUTDATED:
        return list(plans.stored(root, wanted)), "missing"
    return list(plans.plan(root, plans.here(root, wanted))), only


def make(
    root: Path,
    chosen: Sequence[Planned],
    only: str,
    jobs: int | None,
    progress: Progress,
    max_cost: float | None = None,
) -> list[Path]:
    """Run those of the chosen that ``only`` asks for, the rest when one fails; returns the scores' paths.

    Args:
        only: missing (whatever does not stand under its present identity), failed, all, or none.
        max_cost: USD that prompted systems may cost from now on.

    Raises:
        SeluError: a wrong filter, a missing environment, a torch for CPUs beside a GPU, or runs that failed
            (after the others were done).
    """
    if only not in ONLY:
        raise SeluError(f"--only takes {', '.join(ONLY)} or {OUTDATED}, not {only!r}.")
    if jobs is not None and jobs < 1:
        raise SeluError("--jobs takes a number of 1 or more.")
    budget = limited(max_cost)
    written: list[Path] = []
    failed: dict[str, str] = {}

    def ended(planned: Planned, result: Path | Exception) -> None:
        if isinstance(result, Path):
            written.append(result)
            return
        failed[planned.name] = sentence = results.sentence(result)
        progress(f"{planned.name}: {sentence}")
        if not isinstance(result, (MachineError, OSError)):
            try:
                results.write_failure(planned, sentence)
            except OSError as error:  # the other cells are run all the same
                progress(f"{planned.name}: this can't be recorded: {results.sentence(error)}")

    todo: list[Planned] = []
    left: list[Planned] = []
    for planned in chosen:
        try:
            (todo if to_be_made(planned, only) else left).append(planned)
        except OSError as error:
            ended(planned, error)
    check_device(todo)
    store.set_aside(root, [run.folder for run in todo])
    remove_leftovers(root)
    orders = Orders(root, partial(plans.plan_again, root), progress, ended, only == "all", jobs, budget)
    for family in FAMILIES:
        if any(family_of(run) is family for run in chosen):
            family.runs.make(orders, [run for run in todo if family_of(run) is family])
    if only == "missing":
        scored, unscored = score_all(root, left, progress, anew=False)
        written += scored
        failed |= unscored
    done = sum(planned.name not in failed for planned in todo)
    before = failed_before(left)
    summary = f"{len(chosen)} runs: {done} run, {len(left)} left as they are, {len(failed)} failed"
    if not (todo or written or failed) and all(results.is_current(root, run) for run in left):
        summary = f"nothing to do: {len(left)} {'results are' if len(left) > 1 else 'result is'} up to date"
    progress(summary + before)
    if outputs := store.replaced(root, written):
        progress(
            "the new results replace tracked ones, so that 'selu verify' and 'selu reproduce' refuse: to go "
            f"back, copy yours elsewhere and run '{store.way_back(outputs)}'"
        )
    if failed:
        names = ", ".join(failed)
        raise SeluError(f"{len(failed)} of {len(chosen)} runs failed, for the reasons above: {names}.")
    return written


def failed_before(left: Sequence[Planned]) -> str:
    """State how many of the remaining runs failed before: an exit code of 0 would hide that."""
    count = sum(record.state(run.folder, run.identity) is record.State.FAILED for run in left)
    return f" ({count} of those left failed before: '--only failed' runs them again)" if count else ""


def to_be_made(planned: Planned, only: str) -> bool:
    """Return whether ``only`` selects this run in its present state.

    Raises:
        OSError: the disk refuses to have removed what a killed run left.
    """
    record.settle(planned.folder)  # what a killed run left must not be tracked
    state = record.state(planned.folder, planned.identity)
    if only == "missing":
        return state not in (record.State.PRESENT, record.State.FAILED)
    return only == "all" or (only == "failed" and state is record.State.FAILED)


def score(root: Path, runs: Sequence[Planned], progress: Progress, anew: bool = False) -> list[Path]:
    """Score the runs whose scores are out of date: a metric or the intervals' settings differ.

    Args:
        anew: all of them. Otherwise a run that is not here, or whose rows are not, is left as it is.

    Raises:
        SeluError: runs that can't be scored (after the others were).
    """
    written, failed = score_all(root, runs, progress, anew)
    if len(set(failed.values())) == 1:
        raise SeluError(next(iter(failed.values())))
    if failed:
        names = ", ".join(failed)
        raise SeluError(f"{len(failed)} of {len(runs)} runs have no score, for the reasons above: {names}.")
    return written


def here(root: Path, wanted: Wanted, progress: Progress) -> list[Planned]:
    """List the runs of all systems that are here with their rows, and report how many others there are.

    Raises:
        SeluError: there is none.
    """
    runs = plans.stored(root, wanted, paid=True)
    if not runs:
        raise SeluError("there is no run to score: 'dvc pull' brings the tracked ones, 'selu run' makes them.")
    failed = [run for run in runs if record.state(run.folder, run.identity) is record.State.FAILED]
    made = [run for run in runs if run not in failed]
    if failed:
        again = f"selu run --only failed --task {failed[0].task.id} --system {failed[0].system}"
        says = f"{len(failed)} of {len(runs)} runs failed and have no score: '{again}' repeats the first"
        if not made:
            raise SeluError(f"{says}.")
        progress(says)
    found = [run for run in made if has_data(root, run.task.id)]
    if len(found) < len(made):
        tasks = list(dict.fromkeys(run.task.id for run in made if not has_data(root, run.task.id)))
        rest = f" and {len(tasks) - 3} more" if len(tasks) > 3 else ""
        lacks = f"the rows of {', '.join(tasks[:3])}{rest} are not here: 'selu prepare TASK' prepares them"
        if not found:
            raise SeluError(f"no run can be scored, since {lacks}.")
        progress(f"{len(made) - len(found)} of {len(runs)} runs keep their scores, since {lacks}")
    return found


def score_all(
    root: Path, runs: Sequence[Planned], progress: Progress, anew: bool
) -> tuple[list[Path], Mapping[str, str]]:
    """Score runs as ``score`` does; return what was written, and by its name why a run could not be scored."""
    written, failed = [], {}
    for planned in runs:
        try:
            written += _score(root, planned, progress, anew)
        except Exception as error:  # any error that a malformed file causes in a library
            reason = results.sentence(error)
            if not isinstance(error, (SeluError, OSError)):
                why = f"{type(error).__name__}: {reason}"
                reason = f"it can't be scored ({why}): 'selu run --only all' makes it again."
            failed[planned.name] = reason
            progress(f"{planned.name}: {reason}")
    return written, failed


def _score(root: Path, planned: Planned, progress: Progress, anew: bool) -> list[Path]:
    if anew:
        record.read_file(planned.folder, record.PREDICTIONS, planned.identity)  # refuses what can't be scored
    elif record.state(planned.folder, planned.identity) is not record.State.PRESENT:
        return []
    if not anew and (results.has_scores(root, planned) or not has_data(root, planned.task.id)):
        return []
    progress(f"scoring {planned.name}")
    return [results.score_run(root, planned, results.read_rows(root, planned))]
