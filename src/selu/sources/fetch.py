"""Brings a task's pinned files to the disk: from the task's own folder, a local mirror, or the network.

Order: what is there already, what a person put there by hand, then each origin of the pin. An origin that
can't be reached, or gives other bytes, is named and the next one is tried; only a local mirror with wrong
bytes ends the search, because going elsewhere in silence would hide that the mirror is damaged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote

from selu.sources import byhand, lfs, raw_folder
from selu.sources.network import Hosts, Link, Network
from selu.sources.pins import MIRROR, Origin, Pin, PinnedFile
from selu.sources.raw_folder import Fetched, on_disk, part_of, require_room
from selu.sources.transfer import Download
from selu.sources.verify import Digest, RefusedError, UnavailableError, differs, digest, refusal
from selu.vocabulary import SeluError

__all__ = ["Fetched", "Hosts", "Network", "RefusedError", "UnavailableError", "fetch", "on_disk"]
Say = Callable[[str], None]


class MirrorError(RefusedError):
    """The local mirror has wrong bytes; nothing else is tried."""


@dataclass(frozen=True, slots=True)
class _Job:
    """One fetch: the pin, its folder, and where files may be had."""

    pin: Pin
    folder: Path
    mirror: Path | None
    network: Network
    say: Say


def quiet(_: str) -> None:
    """Tell nobody."""


def fetch(
    pin: Pin,
    folder: Path,
    mirror: Path | None = None,
    network: Network | None = None,
    origin: str | None = None,
    progress: Say = quiet,
) -> Fetched:
    """Bring a whole verified set into a task's folder, or find it there.

    Args:
        folder: the task's folder, data/raw/<benchmark>/<task>.
        mirror: a local folder with the files of the origin ``mirror``.
        network: hosts, patience, and which hosts were found unreachable; share one among tasks.
        origin: the only origin to take.
        progress: called with one line at a time.

    Raises:
        RefusedError: bytes were found that are not the pinned ones, and no other origin had the right ones.
        UnavailableError: no origin has them; says why for each, and what to do by hand.
        SeluError: an unknown origin, a mirror that is no folder, no room on the disk, a wrong host.
    """
    if mirror is not None and not mirror.is_dir():
        raise SeluError(f"the mirror {mirror} is not a folder: give the one that holds the files, or none.")
    chosen = (pin.origin(origin),) if origin else pin.origins
    job = _Job(pin, folder, mirror, network or Network(), progress)
    with raw_folder.locked(folder, progress):
        raw_folder.settle(folder)
        held = _held(job, origin)
        if held is not None:
            return held
        with byhand.Shelf(folder, chosen) as shelf:
            return _search(job, chosen, shelf)


def _search(job: _Job, chosen: tuple[Origin, ...], shelf: byhand.Shelf) -> Fetched:
    """Take the first origin that has its whole set; one that a person put there goes before the others."""
    reasons: list[SeluError] = [*shelf.refused]
    for refused in shelf.refused:
        job.say(str(refused))
    ready = [origin for origin in chosen if shelf.is_whole(origin)]
    for origin in ready or chosen:
        try:
            return _take(job, origin, shelf)
        except MirrorError:
            raise
        except (RefusedError, UnavailableError) as error:
            reasons.append(type(error)(f"{origin.name}: {error}"))
            job.say(f"{job.pin.task}: {reasons[-1]}")
    raise _nowhere(job, reasons)


def _held(job: _Job, origin: str | None) -> Fetched | None:
    """Return the verified set that is there, unless another origin's is asked for."""
    try:
        held = raw_folder.read(job.pin, job.folder)
    except UnavailableError:
        return None
    except RefusedError as error:
        job.say(f"{error} Mending it now.")
        return None
    if origin not in (None, held.origin):
        return None
    kind = "every byte verified" if held.verified else "as fetched; remove its folder to fetch it anew"
    job.say(f"{job.pin.task}: already here ({held.origin}), {kind}")
    return held


def _take(job: _Job, origin: Origin, shelf: byhand.Shelf) -> Fetched:
    """Get all files of an origin as parts, then make them the task's set."""
    if origin.pickles:
        file = origin.pickles[0]
        raise UnavailableError(
            f"{file.name} is a pickle, which can run code when it is opened and is never fetched; "
            f"the safe source is {file.form.safe}"
        )
    if origin.name == MIRROR and job.mirror is None and not shelf.is_whole(origin):
        raise UnavailableError("no mirror folder was given (--mirror DIR or SELU_MIRROR)")
    place = job.folder / origin.name
    place.mkdir(exist_ok=True)
    missing = [file for file in origin.files if not shelf.has(origin, file)]
    require_room(place, sum(file.bytes or 0 for file in missing))
    found = {file.name: _one(job, origin, file, shelf) for file in origin.files}
    raw_folder.commit(job.folder, origin.name, found)
    return raw_folder.fetched(job.folder, origin, found, already=False)


def _one(job: _Job, origin: Origin, file: PinnedFile, shelf: byhand.Shelf) -> Digest:
    """Get one file as a verified part, or find it verified under its own name."""
    place = job.folder / origin.name / file.name
    if shelf.has(origin, file):
        return shelf.place(origin, file, place)
    if origin.name == MIRROR and job.mirror:
        return _from_mirror(job.mirror / file.path, file, part_of(place))
    label = f"{job.pin.task}: {file.name}"
    locate = partial(_link, job.network, file)
    return Download(job.network, file, locate, part_of(place), label, job.say).run()


def _from_mirror(path: Path, file: PinnedFile, part: Path) -> Digest:
    """Copy a file of the mirror to its part."""
    if not path.is_file():
        raise UnavailableError(f"{path} is not there")
    fits = file.bytes in (None, path.stat().st_size)
    found = digest(path, copy=part if fits else None)
    if differs(found, file):
        part.unlink(missing_ok=True)
        remedy = "copy the file to the mirror anew, or fetch without the mirror"
        raise MirrorError(str(refusal(str(path), file, found, remedy)))
    return found


def _link(network: Network, file: PinnedFile) -> Link:
    if file.lfs:
        return lfs.locate(network, file)
    return Link(f"{network.hosts.raw}/{file.repository}/{file.commit}/{quote(file.path)}")


def _nowhere(job: _Job, reasons: list[SeluError]) -> SeluError:
    """Make one error for all origins: why each failed, and what a person can do."""
    pin = job.pin
    why = "; ".join(str(reason).rstrip(".") for reason in reasons) or "its pin knows no origin"
    kind = RefusedError if any(isinstance(reason, RefusedError) for reason in reasons) else UnavailableError
    return kind(
        f"{pin.task} can't be fetched ({why}). Access: {pin.access.value}. By hand: {pin.by_hand} "
        f"Files put into {job.folder} are taken once they verify."
    )
