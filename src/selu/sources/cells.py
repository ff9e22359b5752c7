"""Pins of predictions that a benchmark's authors publish, cell by cell, and how their bytes are had.

One YAML file per task in ``data/pins/<benchmark>/predictions/``: repository, commit and folder, and per system
the version of the run. A cell whose bytes were at hand once is pinned by sha256 and size; the others are held
by the commit alone, and whatever is computed of them says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from selu.sources.fetch import Network, Say, fetch, on_disk
from selu.sources.pins import (
    COMMIT,
    SHA256,
    Access,
    Form,
    FormKind,
    Origin,
    Pin,
    PinnedFile,
    Standing,
    pin_files,
    read_record,
    wrong,
)
from selu.sources.verify import RefusedError, UnavailableError, check, is_file

PREDICTIONS, RESULTS = "test_predictions.csv", "test_results.json"
ORIGIN = "package"  # the folder that holds a fetched cell's files
_STRICT = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class Bytes:
    """What a file must be."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT

    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Run:
    """The authors' run behind a cell: its version, and the hashes of its files where they are known."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT

    version: str
    predictions: Bytes | None = None
    results: Bytes | None = None


@dataclass(frozen=True, slots=True)
class TaskCells:
    """The cells of one task whose predictions are published. ``note`` says what is not."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT

    task: str
    repository: str
    commit: str
    folder: str
    cells: Mapping[str, Run]
    note: str | None = None

    def file(self, system: str, name: str) -> PinnedFile:
        """The pinned file of that name behind a cell."""
        run = self.cells[system]
        known = run.predictions if name == PREDICTIONS else run.results
        return PinnedFile(
            name=name,
            path=f"{self.folder}/{run.version}/{system}/{name}",
            sha256=known.sha256 if known else None,
            bytes=known.bytes if known else None,
            form=Form(FormKind.CSV if name == PREDICTIONS else FormKind.LINES),
            repository=self.repository,
            commit=self.commit,
        )


@dataclass(frozen=True, slots=True)
class Had:
    """The bytes of a cell's files; ``results`` is None where only the predictions were at hand."""

    predictions: bytes
    results: bytes | None


def read_cells(folder: Path) -> dict[str, TaskCells]:
    """The pins of every task, by task.

    Raises:
        SeluError: the folder holds none, or a file is not YAML or has a wrong field; names file and field.
    """
    return {path.stem: _read(path) for path in pin_files(folder)}


def _read(path: Path) -> TaskCells:
    found = read_record(path, TaskCells)
    if problem := _problem(found, path.stem):
        raise wrong(path, *problem)
    return found


def _problem(cells: TaskCells, stem: str) -> tuple[str, str] | None:
    """The first field, and what is wrong with it, that types alone don't show."""
    if cells.task != stem:
        return "task", f"{cells.task!r} in a file that is named after {stem!r}"
    if not COMMIT.fullmatch(cells.commit):
        return "commit", f"{cells.commit!r} is not a commit (40 digits of 0-9a-f)"
    for name in (cells.folder, *cells.cells, *(run.version for run in cells.cells.values())):
        if not all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", part) for part in name.split("/")):
            return "cells", f"{name!r} is not a relative path that stays inside its folder"
    known = [of for run in cells.cells.values() for of in (run.predictions, run.results) if of]
    for of in known:
        if not SHA256.fullmatch(of.sha256) or of.bytes < 1:
            return "cells", f"{of.sha256!r} with {of.bytes} bytes is not the hash and size of a file"
    return None


def obtain(cells: TaskCells, system: str, raw: Path, local: Sequence[Path], network: Network, say: Say) -> Had:
    """The bytes of a cell: from the first local folder that has them, else fetched into ``raw``.

    Args:
        raw: folder of all fetched cells, data/raw/<benchmark>/predictions.
        local: folders laid out as <task>/<system>/test_predictions.csv; their bytes must be the pinned ones.

    Raises:
        RefusedError: bytes were found that are not the pinned ones.
        UnavailableError: they are nowhere to be had; says why.
    """
    for folder in local:
        place = folder / cells.task / system
        if is_file(place / PREDICTIONS):
            results = place / RESULTS
            return Had(
                _verified(place / PREDICTIONS, cells.file(system, PREDICTIONS)),
                _verified(results, cells.file(system, RESULTS)) if is_file(results) else None,
            )
    name, folder = f"{cells.task}/{system}", raw / cells.task / system
    if urlsplit(network.hosts.raw).netloc in network.unreachable and not (folder / ORIGIN).is_dir():
        raise UnavailableError(f"{network.hosts.raw} could not be reached a moment ago")
    pin = _as_pin(cells, system, name)
    if cells.cells[system].predictions is None:
        _require_as_fetched(pin, folder)
    found = fetch(
        pin,
        folder,
        network=network,
        progress=lambda line: say(line.replace(f"'selu fetch {name}'", f"'selu rescore {name}'")),
    )
    files = {file: path.read_bytes() for file, path in found.files.items()}
    return Had(files[PREDICTIONS], files[RESULTS])


def _require_as_fetched(pin: Pin, folder: Path) -> None:
    """See to it that files without a pinned hash are those that were fetched; fetching would take others."""
    try:
        on_disk(pin, folder)
    except UnavailableError:
        return
    except RefusedError:
        raise RefusedError(
            f"{folder} holds other files than were fetched, and no hash of {pin.task} is pinned to tell "
            "which are right: remove that folder to fetch them anew."
        ) from None


def _verified(path: Path, file: PinnedFile) -> bytes:
    check(path, file, "copy the authors' file there anew, or leave that folder out")
    return path.read_bytes()


def _as_pin(cells: TaskCells, system: str, name: str) -> Pin:
    """The cell as a pin with one origin, so that it is fetched like everything else."""
    files = tuple(cells.file(system, file) for file in (PREDICTIONS, RESULTS))
    place: dict[str, Any] = {"repository": cells.repository, "commit": cells.commit}
    by_hand = f"download {files[0].path} and {RESULTS} beside it from {cells.repository} at {cells.commit}."
    return Pin(
        task=name,
        standing=Standing.EQUAL,
        cite=cells.repository,
        licence="not stated",
        access=Access.OPEN,
        by_hand=by_hand,
        origins=(Origin(ORIGIN, "predictions", files, **place),),
    )
