"""``selu fetch NAME``: published files that ``data/pins/<benchmark>/NAME.csv`` lists, by their hashes.

They come from a folder of copies or a mirror, else from the repository at its commit, and lie in
``data/raw/<benchmark>/published``, where the commands that read them look. A file that is there and verified is
left alone, so that the same command goes on where it was stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote, urlsplit

from selu.papers.pinned import Pinned, read_pins
from selu.project import PINS
from selu.sources import raw_folder
from selu.sources.copies import copies, fetched
from selu.sources.network import Link, Network
from selu.sources.transfer import Download
from selu.sources.verify import RefusedError, UnavailableError, check, differs, digest
from selu.vocabulary import SeluError

Row = dict[str, Any]
VERIFIED, HERE = "verified", "already here"
_EVERY = 100  # files between two lines of progress
_AGAIN = "copy it again, or leave that folder out"


@dataclass(frozen=True, slots=True)
class _File:
    """A listed file in the form that transfers take."""

    name: str
    sha256: str
    bytes: int
    link: Link


def lists(root: Path, benchmark: str) -> Mapping[str, Path]:
    """Find the lists of published files of a benchmark by name."""
    head = ",".join(field.name for field in fields(Pinned))
    paths = sorted((root / PINS / benchmark).glob("*.csv"))
    return {path.stem: path for path in paths if _first_line(path) == head}


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as lines:
        return lines.readline().rstrip("\r\n")


def fetch_list(
    root: Path, benchmark: str, name: str, mirror: Path | None, network: Network, say: Callable[[str], None]
) -> Row:
    """Download every file of a list, verified; return the row that ``selu fetch`` shows.

    Returns:
        as ``app.datasets.fetch.fetch_tasks``: the state is ``verified``, ``already here``, or begins with
        ``refused`` (other bytes were met) or ``absent``, with why and what to do.

    Raises:
        SeluError: the list is damaged, or SELU_PREDICTIONS names no folder.
    """
    start, path = time.monotonic(), lists(root, benchmark)[name]
    wanted = {pin.file: pin for pin in read_pins(path)}
    for file in wanted:
        if PurePosixPath(file).is_absolute() or ".." in PurePosixPath(file).parts:
            raise SeluError(
                f"{path}: {file} points outside its folder: restore it with 'git checkout -- {path}'."
            )
    place, given = fetched(root, benchmark), copies(root, benchmark, None, mirror)
    job = _Job(name, place, [folder for folder in given if folder != place], network, say)
    with raw_folder.locked(place, say):
        state = job.run(list(wanted.values()))
    return {
        "task": name,
        "standing": None,
        "origin": job.origin,
        "files": len(job.found),
        "bytes": sum(wanted[file].bytes for file in job.found),
        "seconds": round(time.monotonic() - start, 1),
        "state": state,
    }


class _Job:
    """One fetch of a list. ``found`` are the files that are present and verified."""

    def __init__(
        self, name: str, place: Path, folders: Sequence[Path], network: Network, say: Callable[[str], None]
    ) -> None:
        self.name, self.place, self.folders, self.network, self.say = name, place, folders, network, say
        self.found: list[str] = []
        self.origin: str | None = None

    def run(self, pins: Sequence[Pinned]) -> str:
        """Download the files one after the other; return the state."""
        refused: list[str] = []
        absent: list[str] = []
        for number, pin in enumerate(pins, start=1):
            try:
                self._bring(pin)
                self.found.append(pin.file)
            except RefusedError as error:
                refused.append(str(error))
            except UnavailableError as error:
                absent.append(str(error))
                if urlsplit(self.network.raw).netloc in self.network.unreachable and not self.folders:
                    break  # no other file can come from anywhere
            except OSError as error:
                absent.append(f"{error.filename or pin.file}: {error.strerror or error}")
                break
            if number % _EVERY == 0:
                self.say(f"{self.name}: {number} of {len(pins)} files")
        if self.found:
            self.say(f"{self.name}: {len(self.found)} of {len(pins)} files are here, every byte verified")
        if len(self.found) == len(pins):
            return VERIFIED if self.origin else HERE
        kind, why = ("refused", refused[0]) if refused else ("absent", absent[0])
        missing = f"{len(pins) - len(self.found)} of {len(pins)} files are not here"
        source = f"{pins[0].repository} at {pins[0].commit}"
        return (
            f"{kind}: {missing} ({why.rstrip('.')}); name a folder with copies in --mirror or SELU_MIRROR "
            f"(as {self.place.parent.name}/predictions) or in SELU_PREDICTIONS, or fetch again with a network: "
            f"they are in {source}."
        )

    def _bring(self, pin: Pinned) -> None:
        """Find a file in its place, or bring it there from the first folder or the network that has it."""
        place = self.place / pin.file
        address = f"{self.network.raw}/{pin.repository}/{pin.commit}/{quote(pin.path)}"
        file = _File(pin.file, pin.sha256, pin.bytes, Link(address))
        if place.is_file() and not differs(digest(place), file):
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        part = raw_folder.part_of(place)
        copy = next((folder / pin.file for folder in self.folders if (folder / pin.file).is_file()), None)
        if copy is not None:
            check(copy, file, _AGAIN)
            digest(copy, copy=part)
            check(part, file, _AGAIN)
        else:
            Download(self.network, file, lambda: file.link, part, f"{self.name}: {pin.file}", self.say).run()
        part.replace(place)
        self.origin = self.origin or ("copies" if copy else pin.repository)
