"""After a sweep: DVC takes in the stages whose swept runs all stand.

A stage that lacks a run that was swept is left, and said.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from selu import registry
from selu.execution import results
from selu.execution.planned import Planned
from selu.runs import locks, pipeline, store
from selu.sweep.node import SWEEP
from selu.vocabulary import SeluError

Progress = Callable[[str], None]


def commit_stages(root: Path, runs: Sequence[Planned], progress: Progress) -> list[str]:
    """Commit the stages that these runs belong to; returns their names.

    Raises:
        SeluError: dvc.yaml is damaged, or DVC refuses.
    """
    if not (root / "dvc.yaml").is_file() or not (root / ".dvc").is_dir():
        progress("nothing is committed: this folder is not under DVC")
        return []
    if os.environ.get("DVC_STAGE"):
        return []  # a stage is at work, and is committed by who runs it
    runs = [
        run for run in runs if not registry.local_tasks(run.task.id)
    ]  # which git keeps, where their owner wants it
    written = {path: name for name, paths in _declared(root).items() for path in paths}
    lacking: dict[str, list[str]] = {}
    unlisted: dict[str, None] = {}
    for run in runs:
        folder = run.folder.relative_to(root)
        stage = next((written[path] for path in map(Path.as_posix, folder.parents) if path in written), None)
        if stage is None:
            unlisted[folder.parent.as_posix()] = None
        else:
            lacking.setdefault(stage, []).extend([] if results.is_current(root, run) else [run.name])
    for name, names in lacking.items():
        if names:
            progress(f"not committed: {name}, {len(names)} of whose runs are lacking, as {names[0]}")
    whole = [name for name, names in lacking.items() if not names]
    if whole:
        _dvc_commit(root, whole, progress)
        progress(f"committed: {', '.join(whole)}; 'dvc repro' makes their reports, 'dvc push' stores them")
    if unlisted:
        progress(f"not committed: no stage of dvc.yaml has {', '.join(unlisted)} in its outputs")
    return whole


def _declared(root: Path) -> dict[str, set[str]]:
    import yaml

    try:
        return pipeline.read_outputs(root)
    except (OSError, yaml.YAMLError, ValueError, KeyError, TypeError, AttributeError):
        raise SeluError(
            f"{root / 'dvc.yaml'} or a file that it names is damaged, so nothing was committed: restore it "
            "from git and run 'selu sweep' again."
        ) from None


def _dvc_commit(root: Path, stages: Sequence[str], progress: Progress) -> None:
    if find_spec("dvc") is None:
        raise SeluError(f"DVC is not installed here: run 'dvc commit --force {' '.join(stages)}' where it is.")
    command = [sys.executable, "-m", "dvc", "commit", "--quiet", "--force", *stages]
    with _alone(root, progress):
        try:
            store.take_in(root)
            done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        finally:
            store.set_aside(root)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["no word"])[0].removeprefix("ERROR: ")
        names = ", ".join(stages)
        raise SeluError(f"DVC could not commit {names} ({said}): the runs stand; run 'selu sweep' again.")


def _alone(root: Path, progress: Progress) -> locks.Lock:
    """Wait for other sweeps that commit: DVC itself gives up after seconds."""
    said = False
    while (lock := locks.take(root / SWEEP / "commit")) is None:
        if not said:
            progress("another sweep commits: waiting for it")
        said = True
        time.sleep(1)
    return lock
