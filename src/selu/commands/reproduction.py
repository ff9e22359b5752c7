"""``selu reproduce``: run every tracked stage anew in a scratch copy and hold its bytes to the tracked ones.

``dvc repro`` would restore what the cache has and overwrite what it recomputes. Here nothing that is tracked is
written: inputs are copied to ``.reproduce``, the commands of ``dvc.lock`` run there, independent ones side by
side, and each output is compared with the tracked object, file by file.

The ``data@TASK`` stages, and what compares runs on their rows, need the third-party rows and the libraries of
the data extra. They run on request and then alone, for what the others read of them is tracked: bytes that are
equal here and there give all that rests on them. Files missing from ``data/raw``, which is tracked nowhere,
are fetched into it as ``selu fetch`` does. Runs of systems, which take hours, the heads, which need the
libraries of fine-tuning, and scores of the authors' predictions are taken as tracked: ``selu run``, ``selu
report heads`` and ``selu rescore`` make them.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from selu.runs.gathering import shown
from selu.runs.store import (
    Stage,
    changed,
    check_results,
    check_store,
    fingerprints,
    read_lock,
    reads_from,
)
from selu.vocabulary import SeluError, Verdict

SCRATCH = ".reproduce"
INPUTS = (
    *("params.yaml", "data/paper", "data/pins", "data/synthetic"),
    *("docs/measurements", "locks", "notebooks"),
)
NEED_DATA = ("data@", "data-", "comparisons", "prices")
NEVER = ("baseline@", "declared", "finetune@", "trained-", "heads", "rescore")
_SLOWEST_FIRST = ("data@story_points", "sensitivity", "statistics")
# Stages run side by side, one a processor; a second thread in each would only wait for the other stage.
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
Progress = Callable[[str], None]


def reproduce(root: Path, progress: Progress, data: bool = False, mirror: Path | None = None) -> list[str]:
    """Recompute what is tracked.

    Args:
        data: the stages that need the data sets, instead of the others: read, clean and split them anew, from
            ``data/raw``, the mirror or their sources, and compare runs on their rows.
        mirror: local mirror of the data sets.

    Returns:
        one sentence per difference; empty when all bytes are equal.

    Raises:
        SeluError: an object of the store or a pulled result is damaged or missing, or a stage failed.
    """
    if mirror is not None and not mirror.is_dir():
        raise SeluError(f"the mirror {mirror} is not a folder: give the one that holds the files, or none.")
    with alone(root):
        return _reproduce(root, progress, data, mirror)


@contextlib.contextmanager
def alone(root: Path) -> Iterator[None]:
    """Hold the clone's scratch folder; a second run would take it away from under the first."""
    with (root / f"{SCRATCH}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SeluError("another 'selu reproduce' runs in this clone: wait until it ends.") from None
        yield


def _reproduce(root: Path, progress: Progress, data: bool, mirror: Path | None) -> list[str]:
    started = time.monotonic()
    progress(f"store: {check_store(root)} tracked files, all undamaged")
    _pull(root, progress)
    check_results(root)
    locked = read_lock(root)
    makeable = [stage for stage in locked if not stage.name.startswith(NEVER)]
    stages = [stage for stage in makeable if stage.name.startswith(NEED_DATA) == data]
    taken = [stage for stage in locked if stage not in stages]
    scratch = _scratch(root, [path for stage in taken for path in stage.writes])
    if data and (root / "data" / "raw").is_dir():  # verified again by whoever reads it
        (scratch / "data" / "raw").symlink_to((root / "data" / "raw").resolve())
    _run_all(stages, scratch, progress, {} if mirror is None else {"SELU_MIRROR": str(mirror.resolve())})
    differences = changed(root, scratch, stages)
    files = sum(len(fingerprints(scratch / path)) for stage in stages for path in stage.writes)
    progress(
        f"recomputed {len(stages)} stages, {files} files, in {time.monotonic() - started:.0f} s: "
        + ("every byte equals the tracked one" if not differences else f"{len(differences)} differ")
    )
    if others := len(makeable) - len(stages):
        what, how = ("other", "selu reproduce") if data else ("data", "selu reproduce --data")
        progress(f"{others} {what} stages taken as tracked; '{how}' runs them")
    if rest := len(locked) - len(makeable):
        makers = "'selu run', 'selu report heads' and 'selu rescore'"
        progress(f"{rest} stages of runs and heads taken as tracked; {makers} make them")
    if not data:
        _summarise(scratch, root, progress)
    return differences


def _pull(root: Path, progress: Progress) -> None:
    """Bring missing results from the embedded store, unless a result that is here was changed."""
    missing = sum(not (root / path).exists() for stage in read_lock(root) for path in stage.writes)
    if not missing:
        return
    check_results(root, whole=False)  # so that all may be pulled: dvc takes minutes to pull 200 by their names
    progress(f"dvc pull: {missing} results are not here yet")
    done = subprocess.run(
        [sys.executable, "-m", "dvc", "pull"],  # with --quiet it names no error
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = _said(done.stderr)
        raise SeluError(
            f"'dvc pull' failed ({said}): 'git status store .dvc' shows what differs from the clone."
        )


def _said(errors: str) -> str:
    """The first error that dvc named; below it come the sum of all, or an address of its makers."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()] or ["no message"]
    first = next((number for number, line in enumerate(lines) if line.startswith("ERROR: ")), len(lines) - 1)
    said = lines[first].removeprefix("ERROR: ").removeprefix("unexpected error - ")
    return shown(f"{said} {lines[first + 1]}" if said.endswith(":") and lines[first + 1 :] else said)


def _summarise(scratch: Path, root: Path, progress: Progress) -> None:
    from selu.benchmarks.claims import counts
    from selu.project import BENCHMARKS, read_json

    for benchmark in reversed(BENCHMARKS):  # the first one's verdicts stand last, above the site
        path = scratch / "reports" / benchmark / "claims.json"
        if path.is_file() or benchmark == BENCHMARKS[0]:
            claims = read_json(path, "selu report claims")
            total = counts(claims)
            verdicts = ", ".join(f"{total[verdict.value]} {verdict.value}" for verdict in Verdict)
            whose = "" if benchmark == BENCHMARKS[0] else f" of {benchmark}"
            progress(f"{len(claims)} claims{whose}: {verdicts}")
    progress(f"site: {root / 'reports' / 'site' / 'index.html'}")


def _scratch(root: Path, tracked: Iterable[str]) -> Path:
    scratch = root / SCRATCH
    if scratch.exists():
        shutil.rmtree(scratch)
    for name in (*(name for name in INPUTS if (root / name).exists()), *tracked):
        source, target = root / name, scratch / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints"))
        else:
            shutil.copy2(source, target)
    return scratch


def _run_all(stages: list[Stage], scratch: Path, progress: Progress, settings: Mapping[str, str]) -> None:
    """Run stages as soon as what they read is there, two at a time on two processors."""
    waiting = sorted(stages, key=lambda stage: stage.name not in _SLOWEST_FIRST)
    running: dict[Future[float], Stage] = {}
    processes: set[subprocess.Popen[str]] = set()
    finished = 0
    workers = max(1, min(4, os.cpu_count() or 1))
    with ThreadPoolExecutor(workers) as pool:
        try:
            while waiting or running:
                blocked = [*waiting, *running.values()]
                for stage in list(waiting):
                    free = not any(reads_from(stage, other) for other in blocked if other is not stage)
                    if free and len(running) < workers:
                        running[pool.submit(_run, stage, scratch, processes, settings)] = stage
                        waiting.remove(stage)
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    stage, seconds = running.pop(future), future.result()
                    finished += 1
                    progress(f"[{finished}/{len(stages)}] {stage.name}: {seconds:.1f} s")
        except BaseException:  # a failed stage or Ctrl-C: the others must not run on for minutes
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(processes):
                with contextlib.suppress(ProcessLookupError):  # it ended by itself meanwhile
                    os.killpg(process.pid, signal.SIGTERM)
            raise


def _run(
    stage: Stage, scratch: Path, processes: set[subprocess.Popen[str]], settings: Mapping[str, str]
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
    _, errors = process.communicate()
    processes.discard(process)
    if process.returncode:
        last = (errors.strip().splitlines() or ["no message"])[-1]
        raise SeluError(f"stage {stage.name} failed ({stage.command}): {last}")
    return time.monotonic() - started
