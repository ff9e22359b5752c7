"""The environments in which runs are computed: worker processes of their own Python, held to their own lock."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping, Sequence
from importlib import metadata
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from selu.execution.planned import FINETUNE, FINETUNE_LOCKS, Planned
from selu.runs import identity as identities
from selu.runs.workers import Workers
from selu.vocabulary import MachineError

SCRATCH = Path(".selu")
_TRAINS, _FITS = "selu.execution.finetune.worker", "selu.execution.grids.worker"
# What installs a lock; docker/Dockerfile installs what no clone does.
_MAKES = {FINETUNE: "'make finetune-environment'", "cuda": "docker/Dockerfile"}
_PYTHON = "SELU_FINETUNE_PYTHON"  # environment variable: the Python of fine-tuning, where it is another one
_RECORDED = ("deepspeed",)  # where it is installed, of trainings, which may do without


class Environments:
    """The worker processes of each environment, started when the first run needs them."""

    def __init__(self, root: Path, size: int) -> None:
        self._root, self._size = root, size
        self._pools: dict[tuple[str, str], Workers] = {}  # by environment and module
        self._versions: dict[tuple[str, bytes], dict[str, Any]] = {}  # by environment and pinned packages
        self._one = threading.RLock()  # trainings ask from threads of their own

    def __enter__(self) -> Environments:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End every worker, whatever it does."""
        for pool in self._pools.values():
            pool.stop()

    def of(self, planned: Planned) -> Workers:
        """The workers of a run's environment, whose versions are those that its lock pins.

        Raises:
            SeluError: the environment is missing, or has other versions.
        """
        name = _pool(planned)
        with self._one:
            if name not in self._pools:
                import selu

                self._pools[name] = Workers(
                    interpreter(self._root, planned.environment),
                    name[1],
                    Path(selu.__file__).parent.parent,
                    self._size,
                    self._root / SCRATCH / "workers.log",
                )
            self.versions(planned)
        return self._pools[name]

    def versions(self, planned: Planned) -> dict[str, Any]:
        """Versions of what a run depends on, as installed in its environment."""
        key = (planned.environment, identities.canonical(planned.fields["packages"]))
        if key not in self._versions:
            if _pool(planned) not in self._pools:  # every unit was there, made with these
                return dict(planned.fields["packages"])
            pinned = dict(planned.fields["packages"])
            asked = (*pinned, *_RECORDED) if planned.finetuned else tuple(pinned)
            names = {name: list(identities.PACKAGES.get(name, (name,))) for name in asked}
            found = self._pools[_pool(planned)].ask({"versions": names})
            _check(planned.environment, pinned, found["versions"])
            there = {name: version for name, version in found["versions"].items() if version is not None}
            self._versions[key] = {**there, "python": found["python"]}
        return self._versions[key]


def _pool(planned: Planned) -> tuple[str, str]:
    return planned.environment, _TRAINS if planned.finetuned else _FITS


def _check(lock: str, pinned: Mapping[str, str], found: Mapping[str, str | None]) -> None:
    """Refuse other versions than the pinned ones, all of them named."""
    others = [name for name, version in pinned.items() if not _same(found[name], version)]
    if not others:
        return
    places = chain([f"locks/{lock}.txt"], repeat("it"))
    told = ", ".join(
        f"{name} {found[name] or 'in no version'} where {place} pins {pinned[name]}"
        for name, place in zip(others, places, strict=False)
    )
    makes = _MAKES.get(lock, "'make environments'")
    raise MachineError(f"the environment {lock!r} has {told}: {makes} installs it.")


def built_from(root: Path, packages: Sequence[str]) -> str:
    """The lock that the environment of fine-tuning was built from: the one that pins what is installed in it.

    Where none does, as where nothing is installed, it is that of the tracked runs: a run is then refused with
    the versions that differ.

    Raises:
        SeluError: a lock is missing.
    """
    found = _installed(Path(os.environ.get(_PYTHON) or sys.executable), packages)
    for lock in FINETUNE_LOCKS:
        pinned = identities.pinned(root / "locks" / f"{lock}.txt", packages)
        if all(_same(found[name], version) for name, version in pinned.items()):
            return lock
    return FINETUNE


def _installed(python: Path, packages: Sequence[str]) -> dict[str, str | None]:
    """Versions of packages beside an interpreter, which is not started."""
    if python == Path(sys.executable):
        places = sys.path
    else:  # not resolved: a virtual environment's is a link
        places = [str(path) for path in python.parent.parent.glob("lib/python3*/site-packages")]
    found = {name: metadata.distributions(name=name, path=places) for name in packages}
    return {name: next((one.version for one in of), None) for name, of in found.items()}


def _same(found: str | None, pinned: str) -> bool:
    """Whether a version is the pinned one; a build of it for another device (2.13.0+cpu) is."""
    return found is not None and pinned in (found, found.partition("+")[0])


def interpreter(root: Path, environment: str) -> Path:
    """The Python of an environment: this one for the current locks, one of its own for the authors'.

    Fine-tuning may have one of its own too, which ``_PYTHON`` names.

    Raises:
        SeluError: it was not built.
    """
    if environment in FINETUNE_LOCKS and os.environ.get(_PYTHON):
        path = Path(os.environ[_PYTHON])
        if not path.is_file():
            raise MachineError(f"{_PYTHON} names {path}, which is no file: name a Python.")
        return path
    if environment != "authors":
        return Path(sys.executable)
    path = Path(os.environ.get("SELU_AUTHORS_PYTHON") or root / ".venv-authors" / "bin" / "python")
    if not path.is_file():
        raise MachineError(f"the authors' environment is missing ({path}): 'make environments' builds it.")
    return path
