"""Pins of predictions that a benchmark's authors publish, score by score, and how to get their bytes.

One YAML file per task in ``data/pins/<benchmark>/predictions/``: repository, commit and folder, and per system
the version of the run. A cell whose bytes were available once is pinned by sha256 and size; the others are held
by the commit alone, and whatever is computed of them says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from selu.sources.fetch import Network, Say, fetch, on_disk
from selu.sources.pins import (
    Access,
    Availability,
    Commit,
    Form,
    FormKind,
    Origin,
    Pin,
    PinnedFile,
    RelativePath,
    Repository,
    Sha256,
    Size,
    pin_files,
    read_record,
)
from selu.sources.verify import RefusedError, UnavailableError, check
from selu.vocabulary import KnownFields

PREDICTIONS, RESULTS = "test_predictions.csv", "test_results.json"
ORIGIN = "package"  # the folder that holds a fetched cell's files


@dataclass(frozen=True, slots=True)
class Bytes(KnownFields):
    """The required bytes of a file."""

    sha256: Sha256
    bytes: Size


@dataclass(frozen=True, slots=True)
class Run(KnownFields):
    """The authors' run behind a score: its version, and the hashes of its files if they are known."""

    version: RelativePath
    predictions: Bytes | None = None
    results: Bytes | None = None


@dataclass(frozen=True, slots=True)
class TaskCells(KnownFields):
    """The cells of one task whose predictions are published. ``note`` says what is not."""

    task: str
    repository: Repository
    commit: Commit
    folder: RelativePath
    cells: Mapping[RelativePath, Run]
    note: str | None = None

    def file(self, system: str, name: str) -> PinnedFile:
        """Return the pinned file of that name behind a cell."""
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


def read_cells(folder: Path) -> Mapping[str, TaskCells]:
    """Read the pins of every task, by task.

    Raises:
        SeluError: the folder holds none, or a file is not YAML or has a wrong field; names file and field.
    """
    return {path.stem: read_record(path, TaskCells) for path in pin_files(folder)}


def obtain(
    cells: TaskCells, system: str, raw: Path, local: Sequence[Path], network: Network, say: Say
) -> tuple[bytes, bytes | None]:
    """Read a cell's files from the first local folder that has them, or fetch them into ``raw``.

    Args:
        raw: folder of all fetched cells, data/raw/<benchmark>/predictions.
        local: folders laid out as <task>/<system>/test_predictions.csv; their bytes must be the pinned ones.

    Returns:
        The content of both files; None for results where a local folder has only the predictions.

    Raises:
        RefusedError: bytes were found that are not the pinned ones.
        UnavailableError: no source has them; says why.
    """
    for folder in local:
        place = folder / cells.task / system
        if (place / PREDICTIONS).is_file():
            found = {name: place / name for name in (PREDICTIONS, RESULTS) if (place / name).is_file()}
            for name, path in found.items():
                remedy = "copy the authors' file there again, or leave that folder out"
                check(path, cells.file(system, name), remedy)
            return _contents(found)
    name, folder = f"{cells.task}/{system}", raw / cells.task / system
    if urlsplit(network.raw).netloc in network.unreachable and not (folder / ORIGIN).is_dir():
        raise UnavailableError(f"{network.raw} could not be reached a moment ago")
    pin = _as_pin(cells, system, name)
    if cells.cells[system].predictions is None:
        _require_as_fetched(pin, folder)

    def rescoring(line: str) -> None:
        say(line.replace(f"'selu fetch {name}'", f"'selu rescore {name}'"))

    return _contents(fetch(pin, folder, network=network, progress=rescoring).files)


def _contents(files: Mapping[str, Path]) -> tuple[bytes, bytes | None]:
    return files[PREDICTIONS].read_bytes(), files[RESULTS].read_bytes() if RESULTS in files else None


def _require_as_fetched(pin: Pin, folder: Path) -> None:
    """Require that files without a pinned hash are those that were fetched; fetching would take others."""
    try:
        on_disk(pin, folder)
    except UnavailableError:
        return
    except RefusedError:
        raise RefusedError(
            f"{folder} holds other files than were fetched, and no hash of {pin.task} is pinned to tell "
            "which are right: remove that folder to fetch them again."
        ) from None


def _as_pin(cells: TaskCells, system: str, name: str) -> Pin:
    """Convert the cell to a pin with one origin, so that it is fetched like everything else."""
    files = tuple(cells.file(system, file) for file in (PREDICTIONS, RESULTS))
    by_hand = f"download {files[0].path} and {RESULTS} beside it from {cells.repository} at {cells.commit}."
    origins = (Origin(ORIGIN, "predictions", files),)
    return Pin(name, Availability.EQUAL, cells.repository, "not stated", Access.OPEN, by_hand, origins=origins)
