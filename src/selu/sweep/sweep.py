"""``selu sweep``: run the missing cells in parallel on the nodes of a Ray cluster.

Whoever sweeps holds a lock on each cell that it submits, and a node holds one while it runs the cell, so that
no cell is run twice, whoever else sweeps or whichever node comes back; what stands is known by its sealed
record. A cell whose node is lost is submitted again. Runs of nodes that do not see this folder are carried here
or gathered in a folder that all can reach; they are put in place once they are found to be whole.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

from selu import registry
from selu.cost import profiles
from selu.execution import plans, results, runner
from selu.execution.environments import check_device, remove_leftovers
from selu.execution.planned import Planned, Wanted
from selu.execution.plans import family_of
from selu.files import write_atomic
from selu.runs import store as tracked
from selu.sweep import gathering
from selu.sweep.cells import Cells
from selu.sweep.cluster import Cluster
from selu.sweep.needs import Estimator
from selu.sweep.node import SWEEP
from selu.vocabulary import SeluError

Progress = Callable[[str], None]


def sweep(
    root: Path,
    asked: Wanted,
    only: str,
    progress: Progress,
    address: str | None = None,
    gather: str | None = None,
    jobs: int | None = None,
) -> list[Path]:
    """Run what the filters and ``only`` ask for on a cluster; returns the paths of the runs' scores.

    Args:
        asked: filters; where no system or task is named, those of the profile in force.
        only: missing, failed, all or none, as in ``selu run``.
        address: of a Ray head, HOST:PORT or auto; by default a cluster of this machine alone.
        gather: URL of a folder, for nodes that do not see this one; by default Ray carries their runs.
        jobs: cells at once on this machine, where no address is given.

    Raises:
        SeluError: a wrong filter or address, a cluster that can't be used, or cells that failed.
    """
    if only not in runner.ONLY:
        raise SeluError(f"--only takes {', '.join(runner.ONLY)}, not {only!r}.")
    wanted = plans.here(root, profiles.wanted(root, asked))
    return make(root, plans.plan(root, wanted), only, progress, address, gather, jobs)


def make(
    root: Path,
    runs: Sequence[Planned],
    only: str,
    progress: Progress,
    address: str | None = None,
    gather: str | None = None,
    jobs: int | None = None,
) -> list[Path]:
    """Run those of the chosen that ``only`` selects; all else as in ``sweep``."""
    if jobs is not None and (jobs < 1 or address is not None):
        raise SeluError(
            "--jobs takes a number of 1 or more, and no --address beside it: a cluster has its own CPUs."
        )
    settings = profiles.settings_of(root)
    if paid := [run.system for run in runs if family_of(run).paid]:
        raise SeluError(
            f"{paid[0]} is prompted: 'selu run' asks it, whose journal keeps it from being paid twice; "
            "name other systems."
        )
    store = gathering.Store(gather) if gather else None
    if store:
        store.check()
    todo: list[Planned] = []
    left: list[Planned] = []
    failed: dict[str, str] = {}
    for run in runs:
        try:
            (todo if runner.to_be_made(run, only) else left).append(run)
        except OSError as error:  # the other cells are run all the same
            failed[run.name] = results.sentence(error)
            progress(f"{run.name}: {failed[run.name]}")
    if address is None:  # and what killed processes of this machine left of third-party rows
        check_device(todo)
        remove_leftovers(root)
    progress(f"{len(runs)} runs: {len(todo)} to be run, {len(left)} left as they are")
    cells = Cells(root, todo, only, Estimator(root, runs, settings), settings, store, progress)
    tracked.set_aside(root, [run.folder for run in todo])
    if todo:
        _swept(root, cells, address, jobs, progress)
    done = [run for run in runs if run in left or run.name in cells.tally.others]
    failed |= cells.tally.failed
    if only == "missing":
        failed |= runner.score_all(root, done, progress, anew=False)[1]
    before = runner.failed_before(left)
    progress(f"{cells.tally.summary()}, {len(left)} left as they were, {len(failed)} failed{before}")
    places = {run.folder.relative_to(root).parts[1] for run in todo if run.name not in failed}
    if stages := " ".join(f"runs@{name}" for name in registry.published() if name in places):
        progress(f"'rm -f {tracked.IGNORED} && dvc commit -f {stages}' has DVC track them")
    if failed:
        names = ", ".join(failed)
        raise SeluError(f"{len(failed)} of {len(runs)} runs failed, for the reasons above: {names}.")
    return cells.tally.ran


def _swept(root: Path, cells: Cells, address: str | None, jobs: int | None, progress: Progress) -> None:
    """Run all cells that were not gathered before."""
    cells.fetch()
    if not cells.left():
        return
    mark = root / SWEEP / f"here-{uuid.uuid4().hex}"  # by which a node knows the folder of this sweep
    write_atomic(mark, "")
    began = time.perf_counter()
    try:
        progress(f"joining the Ray head at {address}" if address else "starting Ray on this machine")
        with Cluster(address, jobs, root / SWEEP / "ray.log") as cluster:
            progress(f"  after {time.perf_counter() - began:.0f} s")
            cells.run(cluster, mark.name)
    finally:
        cells.end()
        mark.unlink(missing_ok=True)
