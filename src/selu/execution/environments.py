"""The environments of runs: worker processes of their own Python, checked against their own lock."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib import metadata
from itertools import chain, repeat
from pathlib import Path
from typing import Any, TypeVar

from selu.execution.planned import FINETUNE, FINETUNE_LOCKS, REFUSALS, Planned
from selu.runs import identity as identities
from selu.runs import nvidia
from selu.runs.workers import Workers
from selu.vocabulary import MachineError

SCRATCH = Path(".selu")
T = TypeVar("T")
# What installs a lock; docker/Dockerfile installs what no clone does.
_MAKES = {
    FINETUNE: "'make finetune-environment'",
    "cuda": "docker/Dockerfile",
    "prompt": "'make prompt-environment'",
    "local": "'make local-environment'",
}
# Names of files with rows: a lesson, what fastText learns from, a job.
_OWNER = re.compile(r"(?:^|\.)(?:lesson|train|words|job)-([^.]*)\.")
_PYTHON = "SELU_FINETUNE_PYTHON"  # environment variable: the Python of fine-tuning, where it is another one


class Environments:
    """The worker processes of each environment, started when the first run needs them.

    Args:
        size: how many there are in each.
        worker: the module that they run.
        beside: packages whose versions are recorded where they are installed, and need not be.
    """

    def __init__(self, root: Path, size: int, worker: str, beside: tuple[str, ...] = ()) -> None:
        self._root, self.size, self._worker, self._beside = root, size, worker, beside
        self._pools: dict[Path, Workers] = {}  # by interpreter, which environments may share
        self._workers: dict[str, Workers] = {}  # by environment
        self._versions: dict[tuple[str, bytes], dict[str, Any]] = {}  # by environment and pinned packages
        self._lock = threading.RLock()  # runs ask from threads of their own
        self._adding, self._stopped = threading.Lock(), False

    def __enter__(self) -> Environments:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Kill every worker, whatever it is doing; none starts again."""
        with self._adding:  # not the other lock, which is held until a busy worker names its versions
            self._stopped = True
        for pool in self._pools.values():
            pool.stop()

    def start_workers(self, planned: Planned) -> Workers:
        """Start the workers of a run's environment, whose versions are those that its lock pins.

        Raises:
            SeluError: the environment is missing, has other versions, or was stopped.
        """
        name = planned.environment
        with self._lock:
            if name not in self._workers:
                import selu

                python, source = interpreter(self._root, name), Path(selu.__file__).parent.parent
                if python not in self._pools:
                    log = self._root / SCRATCH / "workers.log"
                    with self._adding:
                        if self._stopped:
                            raise MachineError("the worker processes were stopped.")
                        self._pools[python] = Workers(python, self._worker, source, self.size, log)
                self._workers[name] = self._pools[python]
            self.versions(planned)
        return self._workers[name]

    def versions(self, planned: Planned) -> Mapping[str, str]:
        """Read the versions of what a run depends on, as installed in its environment."""
        lock, pinned = planned.environment, dict(planned.fields["packages"])
        key = (lock, identities.canonical(pinned))
        if key not in self._versions:
            if lock not in self._workers:  # every unit was there, made with these
                return pinned
            asked = (*pinned, *self._beside)
            names = {name: list(identities.PACKAGES.get(name, (name,))) for name in asked}
            found = self._workers[lock].ask({"versions": names})
            check_versions(lock, pinned, found["versions"])
            there = {name: version for name, version in found["versions"].items() if version is not None}
            self._versions[key] = {**there, "python": found["python"]}
        return self._versions[key]

    def side_by_side(
        self, runs: Sequence[Planned], work: Callable[[Planned], T], at_once: int
    ) -> Iterator[tuple[Planned, T | Exception]]:
        """Work on ``at_once`` runs in parallel; yield each result, or the error in its place.

        What ends the caller ends all of it: no thread may wait for work of minutes after a Ctrl-C.
        """
        with ThreadPoolExecutor(at_once) as pool:
            futures = {pool.submit(work, run): run for run in runs}
            try:
                for future in as_completed(list(futures)):
                    run = futures.pop(future)
                    try:
                        result: T | Exception = future.result()
                    except REFUSALS as error:
                        result = error
                    yield run, result
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                self.stop()
                raise


def check_versions(lock: str, pinned: Mapping[str, str], found: Mapping[str, str | None]) -> None:
    """Refuse other versions than the pinned ones.

    Raises:
        MachineError: naming all of them.
    """
    others = [name for name, version in pinned.items() if not _same(found[name], version)]
    if not others:
        return
    places = chain([f"locks/{lock}.txt"], repeat("it"))
    differing = ", ".join(
        f"{name} {found[name] or 'in no version'} where {place} pins {pinned[name]}"
        for name, place in zip(others, places, strict=False)
    )
    makes = _MAKES.get(lock, "'make environments'")
    raise MachineError(f"the environment {lock!r} has {differing}: {makes} installs it.")


def built_from(root: Path, packages: Sequence[str]) -> str:
    """Find the lock from which the environment of fine-tuning was built, which pins its packages.

    Where none does, as where nothing is installed, it is that of the tracked runs: a run is then refused with
    the versions that differ.

    Raises:
        SeluError: a lock is missing.
    """
    found = installed(Path(os.environ.get(_PYTHON) or sys.executable), packages)
    for lock in FINETUNE_LOCKS:
        pinned = identities.pinned(root / "locks" / f"{lock}.txt", packages)
        if all(_same(found[name], version) for name, version in pinned.items()):
            return lock
    return FINETUNE


def check_device(runs: Sequence[Planned]) -> None:
    """Refuse a torch that is built for CPUs where a run would be trained beside a GPU.

    Raises:
        MachineError: it is, with the commands that help.
    """
    if any(run.environment in FINETUNE_LOCKS for run in runs):
        python = Path(os.environ.get(_PYTHON) or sys.executable)
        for sentence in nvidia.find_unused(installed(python, ("torch",))["torch"]):
            raise MachineError(sentence)


def installed(python: Path, packages: Sequence[str]) -> Mapping[str, str | None]:
    """Read the versions of packages beside an interpreter, which is not started."""
    if python == Path(sys.executable):
        places = sys.path
    else:  # not resolved: a virtual environment's is a link
        places = [str(path) for path in python.parent.parent.glob("lib/python3*/site-packages")]
    found = {name: metadata.distributions(name=name, path=places) for name in packages}
    return {
        name: next((distribution.version for distribution in distributions), None)
        for name, distributions in found.items()
    }


def _same(found: str | None, pinned: str) -> bool:
    """Return whether a version is the pinned one, or a build of it for another device (2.13.0+cpu)."""
    return found is not None and pinned in (found, found.partition("+")[0])


def interpreter(root: Path, environment: str) -> Path:
    """Find the Python of an environment: this one for the current locks, one of its own for the authors'.

    Fine-tuning may have one of its own too, which ``_PYTHON`` names.

    Raises:
        SeluError: it was not built.
    """
    if environment in FINETUNE_LOCKS and os.environ.get(_PYTHON):
        path = Path(os.environ[_PYTHON])
        if not path.is_file():
            raise MachineError(f"{_PYTHON} names {path}, which is not a file: name a Python.")
        return path
    if environment != "authors":
        return Path(sys.executable)
    path = Path(os.environ.get("SELU_AUTHORS_PYTHON") or root / ".venv-authors" / "bin" / "python")
    if not path.is_file():
        raise MachineError(f"the authors' environment is missing ({path}): 'make environments' builds it.")
    return path


def remove_leftovers(root: Path) -> None:
    """Remove the rows of others that killed processes left: files that bear the number of one that is gone."""
    for path in (*(root / SCRATCH / "units").glob("*/*-*"), *(root / SCRATCH / "training").glob("*-*")):
        owner = _OWNER.search(path.name)
        if owner and not (owner[1].isdigit() and Path("/proc", owner[1]).exists()):
            path.unlink(missing_ok=True)
