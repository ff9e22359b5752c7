"""``selu run --encoder``: the user's own encoder on every suitable task, and pages that rank it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from selu import registry
from selu.app.running import run as running
from selu.evidence.evidence import Evidence
from selu.execution import plans, results
from selu.execution.grids.given import find_encoder
from selu.execution.planned import Wanted
from selu.files import write_atomic
from selu.papers.evidence import Progress, RunScored
from selu.project import REPORTS
from selu.runs import record


def run(
    root: Path, name: str, wanted: Wanted, only: str, jobs: int | None, progress: Progress
) -> Iterator[Path]:
    """Run an encoder as ``running.run`` does; yields what was written, the pages last.

    Args:
        name: its folder, or OWNER/NAME of the hub.

    Raises:
        SeluError: it is not available, its vectors can't be scored, or as in ``running.run``.
    """
    encoder = find_encoder(name, progress)
    wanted = plans.here(root, replace(wanted, encoder=encoder))
    yield from running.run(root, wanted, only, jobs, progress)
    here = [run for run in plans.plan(root, wanted) if results.is_current(root, run)]
    for benchmark in dict.fromkeys(run.task.benchmark for run in here):
        if (placed := registry.benchmark(benchmark).placed) is None:
            continue
        mine = [
            RunScored(run.task, record.read_run(run.folder, run.identity), record.read_scores(run.folder))
            for run in here
            if run.task.benchmark == benchmark
        ]
        folder = root / REPORTS / registry.local().id / benchmark / encoder.id
        for file, content in placed(Evidence(root, benchmark), encoder.id, mine).items():
            write_atomic(folder / file, content)
            yield folder / file
