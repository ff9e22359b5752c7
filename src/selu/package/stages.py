"""Run stages of ``dvc.lock`` in a scratch copy of the clone, independent ones in parallel."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from graphlib import TopologicalSorter
from pathlib import Path

from selu.files import write_atomic
from selu.names import shown
from selu.runs import locks
from selu.runs.pipeline import Stage, find_needs, read_lock
from selu.runs.store import check_results, fingerprints, objects
from selu.vocabulary import SeluError

SCRATCH = ".reproduce"
_LOCK = "dvc.lock"
INPUTS = (
    *("CITATION.cff", "params.yaml", "data/paper", "data/params", "data/pins", "data/synthetic"),
    *("docs/measurements", "locks", "notebooks"),
)
# Stages run side by side, one a processor; a second thread in each would only wait for the other stage.
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
Progress = Callable[[str], None]


@contextlib.contextmanager
def alone(root: Path) -> Iterator[None]:
    """Lock the clone's scratch folder, so that no second run removes it meanwhile."""
    lock = locks.take(root / f"{SCRATCH}.lock")
    if lock is None:
        raise SeluError("another 'selu reproduce' runs in this clone: wait until it ends.")
    with lock:
        yield


def pull(root: Path, progress: Progress) -> None:
    """Download missing results from the embedded store, unless a result here was changed."""
    missing = sum(not (root / path).exists() for stage in read_lock(root) for path in stage.writes)
    if not missing:
        return
    check_results(root, whole=False)  # so that all may be pulled: dvc takes minutes to pull 200 by their names
    progress(f"dvc pull: {missing} results are not here yet")
    _dvc(root, "pull")  # with --quiet it names no error


def _dvc(root: Path, verb: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "dvc", verb, *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        message = _first_error(done.stderr)
        remedy = (
            "no tracked file was changed, repeat the command once that is put right."
            if verb == "commit"
            else "'git status store .dvc' shows what differs from the clone."
        )
        raise SeluError(f"'dvc {verb}' failed ({message}): {remedy}")
    return done.stdout


def _first_error(errors: str) -> str:
    """Return the first error that dvc reports; the lines below it are summaries or support addresses."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()] or ["no message"]
    first = next((number for number, line in enumerate(lines) if line.startswith("ERROR: ")), len(lines) - 1)
    message = lines[first].removeprefix("ERROR: ").removeprefix("unexpected error - ")
    return shown(f"{message} {lines[first + 1]}" if message.endswith(":") and lines[first + 1 :] else message)


def copy_inputs(root: Path, taken: Iterable[Stage]) -> Path:
    """Recreate the scratch folder, with the inputs of all stages and the tracked files of these."""
    scratch = root / SCRATCH
    if scratch.exists():
        shutil.rmtree(scratch)
    for name in (name for name in INPUTS if (root / name).exists()):
        source, target = root / name, scratch / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints"))
        else:
            shutil.copy2(source, target)
    for path, relative, _digest in objects(root, taken):
        target = scratch / path / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / path / relative, target)
    return scratch


def take_over(root: Path, scratch: Path, stages: Sequence[Stage]) -> None:
    """Replace tracked outputs that differ by those of the scratch folder, and commit the stages to the lock.

    DVC writes its lock in place, stage by stage: it does so in the scratch folder, and the whole lock is moved.

    Raises:
        SeluError: ``dvc commit`` failed, or another command changed the lock meanwhile; nothing is replaced.
    """
    locked = (root / _LOCK).read_bytes()
    _commit(root, scratch, stages)
    if (root / _LOCK).read_bytes() != locked:
        raise SeluError(
            f"another command changed {_LOCK} meanwhile, and nothing was taken over: repeat this one."
        )
    for path in (path for stage in stages for path in stage.writes):
        made, tracked = scratch / path, root / path
        if fingerprints(made) == fingerprints(tracked):
            continue
        before = tracked.with_name(f".{tracked.name}.before")
        _remove(before)  # what a killed command left
        if tracked.exists():
            tracked.rename(before)
        made.rename(tracked)
        _remove(before)
    (scratch / _LOCK).replace(root / _LOCK)


def _commit(root: Path, scratch: Path, stages: Sequence[Stage]) -> None:
    """Commit stages to a copy of the lock in the scratch folder, and their outputs to the clone's cache."""
    (scratch / ".dvc").mkdir(exist_ok=True)
    for name in (_LOCK, "dvc.yaml", ".dvcignore", ".dvc/config"):
        if (root / name).is_file():
            shutil.copy2(root / name, scratch / name)
    cache = _dvc(root, "cache", "dir").strip()
    settings = f'[core]\nno_scm = true\n[cache]\ndir = "{cache}"\n'
    write_atomic(scratch / ".dvc" / "config.local", settings)
    for path in {path for stage in stages for path in stage.reads if not (scratch / path).exists()}:
        (scratch / path).parent.mkdir(parents=True, exist_ok=True)
        (scratch / path).symlink_to(root / path)
    _dvc(scratch, "commit", "--force", *(stage.name for stage in stages))


def _remove(path: Path) -> None:
    """Remove a file or a folder, if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def run_all(
    stages: Sequence[Stage],
    scratch: Path,
    progress: Progress,
    settings: Mapping[str, str],
) -> None:
    """Run each stage as soon as what it reads is there, at most one a processor.

    Of several that could begin, the one with the longest chain of stages that wait for it comes first.

    Args:
        settings: of the environment, beside the caller's.

    Raises:
        SeluError: a stage failed, with the last line that it said; the others are ended.
    """
    needs = find_needs(stages)
    sorter, waiting_for = TopologicalSorter(needs), _waiting(needs)
    sorter.prepare()
    waiting: list[Stage] = []
    running: dict[Future[float], Stage] = {}
    processes: set[subprocess.Popen[str]] = set()
    stopped, finished = threading.Event(), 0
    workers = max(1, min(4, os.cpu_count() or 1))
    with ThreadPoolExecutor(workers) as pool:
        try:
            while sorter.is_active():
                ready = {*sorter.get_ready(), *(stage.name for stage in waiting)}
                waiting = [stage for stage in stages if stage.name in ready]
                waiting.sort(key=lambda stage: -waiting_for[stage.name])
                while waiting and len(running) < workers:
                    stage = waiting.pop(0)
                    running[pool.submit(_run, stage, scratch, processes, stopped, settings)] = stage
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    stage, seconds = running.pop(future), future.result()
                    sorter.done(stage.name)
                    finished += 1
                    progress(f"[{finished}/{len(stages)}] {stage.name}: {seconds:.1f} s")
        except BaseException:  # a failed stage or Ctrl-C: the others must not run on for minutes
            pool.shutdown(wait=False, cancel_futures=True)
            stopped.set()
            for process in list(processes):
                _end(process)
            raise


def _waiting(needs: Mapping[str, set[str]]) -> Mapping[str, int]:
    """Return the length of the longest chain of stages that wait for each."""
    found = dict.fromkeys(needs, 0)
    for name in reversed([*TopologicalSorter(needs).static_order()]):
        for needed in needs[name]:
            found[needed] = max(found[needed], found[name] + 1)
    return found


def _end(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):  # it ended by itself meanwhile
        os.killpg(process.pid, signal.SIGTERM)


def _run(
    stage: Stage,
    scratch: Path,
    processes: set[subprocess.Popen[str]],
    stopped: threading.Event,
    settings: Mapping[str, str],
) -> float:
    started = time.monotonic()
    environment = {
        **os.environ,
        **_ONE_THREAD,
        **settings,
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", ""))),
    }
    process = subprocess.Popen(
        stage.command,
        shell=True,
        cwd=scratch,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    processes.add(process)
    if stopped.is_set():  # whoever ends all may not have seen this one
        _end(process)
    _, errors = process.communicate()
    processes.discard(process)
    if process.returncode:
        last = (errors.strip().splitlines() or ["no message"])[-1]
        raise SeluError(f"stage {stage.name} failed ({stage.command}): {last}")
    return time.monotonic() - started
