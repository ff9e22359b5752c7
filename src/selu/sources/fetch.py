"""Brings a task's pinned files to the disk: from the task's own folder, a local mirror, or the network.

Order: what is there already, what a person put there by hand (as it is, or in a folder with an origin's name),
then each origin of the pin. An origin that can't be reached, or gives other bytes, is named and the next one is
tried; only a local mirror with wrong bytes, or wrong clones, end the search, because going elsewhere in silence
would hide that they are damaged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import quote

from selu.sources import histories, lfs, raw_folder
from selu.sources.network import Link, Network
from selu.sources.pins import FormKind, Origin, Pin, PinnedFile
from selu.sources.raw_folder import RECORD, Fetched, on_disk, part_of, require_room
from selu.sources.transfer import Download
from selu.sources.verify import (
    Digest,
    RefusedError,
    UnavailableError,
    differs,
    digest,
    is_pointer,
    refusal,
)
from selu.vocabulary import SeluError

__all__ = ["Fetched", "Network", "RefusedError", "UnavailableError", "fetch", "on_disk"]
Say = Callable[[str], None]
_BY_HAND = "put the right file there, or remove it"


@dataclass(frozen=True, slots=True)
class _Job:
    """One fetch: the pin, its folder, and possible sources of files.

    ``here``: (origin, name) -> path and digest of a file that a person put there.
    """

    pin: Pin
    folder: Path
    mirror: Path | None
    network: Network
    say: Say
    here: dict[tuple[str, str], tuple[Path, Digest]] = field(default_factory=dict)

    def missing(self, origin: Origin) -> list[PinnedFile]:
        """List the files of an origin that nobody put there."""
        return [file for file in origin.files if (origin.name, file.name) not in self.here]


def fetch(
    pin: Pin,
    folder: Path,
    mirror: Path | None = None,
    network: Network | None = None,
    origin: str | None = None,
    progress: Say = lambda _: None,
) -> Fetched:
    """Download a whole verified set into a task's folder, or find it there.

    Args:
        folder: the task's folder, data/raw/<benchmark>/<task>.
        mirror: a local folder with the files of origins that are ``mirrored``.
        network: hosts, patience, and which hosts were found unreachable; share one among tasks.
        origin: the only origin to take.
        progress: called with one line at a time.

    Raises:
        RefusedError: bytes were found that are not the pinned ones, and no other origin had the right ones.
        UnavailableError: no origin has them; says why for each, and what to do by hand.
        SeluError: an unknown origin, a mirror that is not a folder, no room on the disk, a wrong host.
    """
    if mirror is not None and not mirror.is_dir():
        raise SeluError(f"the mirror {mirror} is not a folder: give the one that holds the files, or none.")
    chosen = (pin.origin(origin),) if origin else pin.origins
    job = _Job(pin, folder, mirror, network or Network(), progress)
    with raw_folder.locked(folder, progress):
        raw_folder.settle(folder)
        return _held(job, origin) or _search(job, chosen)


def _search(job: _Job, chosen: tuple[Origin, ...]) -> Fetched:
    """Fetch the first origin with a complete set; one that a person put there comes first."""
    reasons: list[SeluError] = [*_look_by_hand(job, chosen)]
    for refused in reasons:
        job.say(str(refused))
    ready = [origin for origin in chosen if not job.missing(origin)]
    for origin in ready or chosen:
        try:
            return _take(job, origin)
        except (RefusedError, UnavailableError) as error:
            if (origin.mirrored or origin.histories) and isinstance(error, RefusedError):
                raise
            reasons.append(type(error)(f"{origin.name}: {error}"))
            job.say(f"{job.pin.task}: {reasons[-1]}")
    pin = job.pin
    why = "; ".join(str(reason).rstrip(".") for reason in reasons) or "its pin knows no origin"
    kind = RefusedError if any(isinstance(reason, RefusedError) for reason in reasons) else UnavailableError
    raise kind(
        f"{pin.task} can't be fetched ({why}). Access: {pin.access.value}. By hand: {pin.by_hand} "
        f"Files put into {job.folder} are taken once they verify."
    )


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
    kind = "every byte verified" if held.verified else "as fetched; remove its folder to fetch it again"
    job.say(f"{job.pin.task}: already here ({held.origin}), {kind}")
    return held


def _look_by_hand(job: _Job, chosen: tuple[Origin, ...]) -> list[RefusedError]:
    """Record the pinned files that a person put there; return the faults of others with their names."""
    refused, fetched = [], (job.folder / RECORD).is_file()
    wanted = [(origin, file) for origin in chosen if not origin.pickles for file in origin.files]
    for origin, file in wanted:
        own = job.folder / origin.name / file.name
        for path in (own, job.folder / file.name):
            if (origin.name, file.name) in job.here or not path.is_file():
                continue
            found = digest(path)
            if found.bytes and not differs(found, file) and not is_pointer(path):
                job.here[origin.name, file.name] = (path, found)
            # A damaged file of the fetched set was not put there by a person: it is fixed.
            elif not (fetched and path == own):
                refused.append(refusal(str(path), file, found, _BY_HAND))
    return refused


def _take(job: _Job, origin: Origin) -> Fetched:
    """Get all files of an origin as parts, then make them the task's set."""
    if origin.pickles:
        file = origin.pickles[0]
        raise UnavailableError(
            f"{file.name} is a pickle, which can run code when it is opened and is never fetched; "
            f"the safe source is {file.form.safe}"
        )
    missing = job.missing(origin)
    if origin.mirrored and job.mirror is None and missing:
        raise UnavailableError("no mirror folder was given (--mirror DIR or SELU_MIRROR)")
    place = job.folder / origin.name
    place.mkdir(exist_ok=True)
    require_room(place, sum(file.bytes or 0 for file in missing))
    found = {file.name: _file(job, origin, file) for file in origin.files}
    raw_folder.commit(job.folder, origin.name, found)
    return raw_folder.fetched(job.folder, origin, found, already=False)


def _file(job: _Job, origin: Origin, file: PinnedFile) -> Digest:
    """Get one file as a verified part, or find it verified under its own name."""
    place = job.folder / origin.name / file.name
    part = part_of(place)
    if here := job.here.get((origin.name, file.name)):
        path, found = here
        part.unlink(missing_ok=True)
        return found if path == place else _copied(path, file, part, _BY_HAND)
    if file.form.kind is FormKind.COMMITS:
        return _messages(job, origin, file, part)
    if origin.mirrored and job.mirror:
        remedy = "copy the file to the mirror again, or fetch without the mirror"
        return _copied(job.mirror / file.path, file, part, remedy)
    label = f"{job.pin.task}: {file.name}"
    return Download(job.network, file, partial(_link, job.network, file), part, label, job.say).run()


def _messages(job: _Job, origin: Origin, file: PinnedFile, part: Path) -> Digest:
    """Build the file of messages from clones; the file that lists the commits is already there."""
    (listed,) = (other for other in origin.files if other.path == file.path and other is not file)
    place = job.folder / origin.name / listed.name
    whole = part_of(place) if part_of(place).exists() else place
    commits = histories.read_commits(whole, listed.form, file.form.columns)
    found = histories.read_messages(origin.histories, commits)
    job.say(f"{job.pin.task}: {found.summary}")
    part.write_bytes(found.content)
    return digest(part)


def _copied(path: Path, file: PinnedFile, part: Path, remedy: str) -> Digest:
    """Copy a file of this machine to its part."""
    if not path.is_file():
        raise UnavailableError(f"{path} is not there")
    found = digest(path, copy=part)
    if differs(found, file):
        part.unlink()
        raise refusal(str(path), file, found, remedy)
    return found


def _link(network: Network, file: PinnedFile) -> Link:
    if file.lfs:
        return lfs.locate(network, file)
    return Link(f"{network.raw}/{file.repository}/{file.commit}/{quote(file.path)}")
