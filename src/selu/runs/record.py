"""Runs on disk: a folder with predictions, the record of their hashes, and the scores.

results/<benchmark>/<task>/<system>/<run>/run.json      what was run and how; vouches for the files it names
results/<benchmark>/<task>/<system>/<run>/scores.json   vouches for itself; names the predictions it is of
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

from selu.runs import atomic, seals
from selu.vocabulary import RunState, SeluError

if TYPE_CHECKING:
    from selu.contents import Predictions, RunContent, ScoresContent

FORMAT = 1  # of run.json
RUN, SCORES, PREDICTIONS = "run.json", "scores.json", "predictions.parquet"
REPLIES = "replies.parquet"  # of prompted systems: what was paid for
CPU = "cpu"
_PLACE = ("task", "system", "run")  # the last three names of a run's folder
State = RunState


class MissingRunError(SeluError):
    """The run does not exist."""


class StaleRunError(SeluError):
    """The run is complete, but of another identity or format."""


def write_run(folder: Path, files: Mapping[str, bytes], record: RunContent) -> None:
    """Replace a run's whole folder by these files and run.json, all or nothing; scores of old predictions go.

    Args:
        folder: results/<benchmark>/<task>/<system>/<run>.
        files: name -> content; their sha256 become the record's ``files``.
        record: run.json without ``format``, ``files`` and ``seal``.

    Raises:
        ValueError, TypeError: as ``seals.seal``; or the record is not one of a run in this folder.
        OSError: the disk refuses; the old or the new run is kept.
    """
    content = _contents(folder, files, record)
    atomic.make_folder(folder.parent)
    with atomic.locked(folder, alone=True):
        atomic.replace_folder(folder, content, whole)


def write_failed(folder: Path, record: RunContent) -> None:
    """Write that a run failed, in the same way; its record says the ``error``.

    A present run of the same identity stays. Of any other only the replies stay, so that nobody pays twice.

    Raises:
        ValueError, TypeError, OSError: as ``write_run``.
    """
    if not record.get("error"):
        raise ValueError("the record of a failed run must state its error")
    failed: RunContent = {**record, "state": str(State.FAILED)}
    atomic.make_folder(folder.parent)
    with atomic.locked(folder, alone=True):
        atomic.settle(folder, whole)
        if _state(record["identity"], lambda: _read(folder, folder)) is State.PRESENT:
            return
        kept = {}
        with suppress(SeluError):
            if replies := _read_alone(folder, folder, REPLIES):
                kept[REPLIES] = replies
        atomic.replace_folder(folder, _contents(folder, kept, failed), whole)


def write_scores(folder: Path, record: ScoresContent) -> None:
    """Write a run's scores beside its predictions.

    Raises:
        SeluError: the run is missing, failed or damaged, or the scores are of other predictions than its own.
        ValueError, TypeError: as ``seals.seal``.
        OSError: the disk refuses; the old scores are kept.
    """
    content = seals.to_bytes(record)
    if not folder.parent.is_dir():
        raise _missing(folder)
    with atomic.locked(folder, alone=True):
        atomic.settle(folder, whole)
        _check_scores(folder, record, _read(folder, folder))
        atomic.replace_file(folder / SCORES, content)


def settle(folder: Path) -> None:
    """Finish what a killed writer of this run began, and remove its leftovers. Every writer calls it itself.

    Worth a call before ``state``: a run found present is not written again, so nobody else would tidy up.

    Raises:
        OSError: the disk refuses; the old content is kept.
    """
    if folder.parent.is_dir():
        with atomic.locked(folder, alone=True):
            atomic.settle(folder, whole)


def read_run(folder: Path, identity: str | None = None) -> RunContent:
    """Read a run's record, and check every file that it vouches for. A failed run is no error.

    Raises:
        MissingRunError: it does not exist.
        StaleRunError: another identity than asked for, or another format.
        SeluError: torn, edited, or of another cell than its folder; names the file, both hashes, the remedy.
    """
    with _whole(folder) as place:
        return _read(folder, place, identity)


def device_of(content: RunContent) -> str:
    """Return on what a run was computed, by its record: ``CPU``, or the name of a GPU."""
    return str((content.get("used") or {}).get("device", CPU))


def read_file(folder: Path, name: str, identity: str | None = None) -> bytes:
    """Read the bytes of a file that a run's record vouches for, like its predictions.

    Raises:
        SeluError: as ``read_run``, or the run has no such file (it failed).
    """
    with _whole(folder) as place:
        record = _read(folder, place, identity)
        if name not in record["files"]:
            raise SeluError(f"{folder} has no {name} (its run is {record['state']}): {_remedy(folder)}.")
        return (place / name).read_bytes()


def read_predictions(folder: Path, identity: str | None = None) -> Predictions:
    """Read the columns ``id`` and ``prediction`` of a run's predictions.

    By one thread: a process that ends while pyarrow's own threads do is aborted now and then.

    Raises:
        SeluError: as ``read_file``.
    """
    import pyarrow.parquet as pq

    with pq.ParquetFile(io.BytesIO(read_file(folder, PREDICTIONS, identity))) as file:
        columns: Predictions = file.read(use_threads=False).to_pydict()
    return columns


def read_alone(folder: Path, name: str) -> bytes | None:
    """Read one file that a run's record lists, whatever happened to the others; None if it lists none.

    For what was paid for, and must not be paid for again where something else of the run is damaged or stale.

    Raises:
        MissingRunError: there is no run.
        SeluError: the record, or this file, is missing, torn, edited, or of another cell than its folder.
    """
    with _whole(folder) as place:
        return _read_alone(folder, place, name)


def read_scores(folder: Path) -> ScoresContent:
    """Read a run's scores as ``read_scored`` does."""
    return read_scored(folder)[1]


def read_scored(folder: Path) -> tuple[RunContent, ScoresContent]:
    """Read a run's record and its scores, once they are found to be of the run's own, whole predictions.

    Raises:
        SeluError: as ``read_run``, or the scores are missing, torn, edited or of other predictions.
    """
    with _whole(folder) as place:
        run = _read(folder, place)
        scores = cast("ScoresContent", seals.read_sealed(place / SCORES, "a run's scores", _remedy(folder)))
        _check_scores(folder, scores, run)
        return run, scores


def state(folder: Path, identity: str) -> State:
    """Return the state of a run's folder for this identity; never raises."""
    try:
        return _state(identity, lambda: read_run(folder))
    except OSError:
        return State.DAMAGED


def whole(place: Path) -> bool:
    """Return whether a folder of any name holds a run all of whose files match its record."""
    try:
        files = seals.read_sealed(place / RUN, "")["files"]
        return all(seals.hash_file(place / name) == expected for name, expected in files.items())
    except (SeluError, KeyError, TypeError, AttributeError):
        return False  # but a disk that fails just now (OSError) doesn't say so


def _state(identity: str, read: Callable[[], RunContent]) -> State:
    try:
        record = read()
    except MissingRunError:
        return State.MISSING
    except StaleRunError:
        return State.STALE
    except SeluError:
        return State.DAMAGED
    return State(record["state"]) if record["identity"] == identity else State.STALE


@contextmanager
def _whole(folder: Path) -> Iterator[Path]:
    """Yield the current folder of a run, locked for readers."""
    if not folder.parent.is_dir():
        raise _missing(folder)
    with atomic.locked(folder, alone=False):
        yield atomic.find_whole(folder, whole) or folder


def _contents(folder: Path, files: Mapping[str, bytes], record: RunContent) -> Mapping[str, bytes]:
    """Return all files of a run that is to be written, run.json last."""
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}
    complete: RunContent = {"format": FORMAT, **record, "files": hashes}
    if fault := _fault(folder, complete):
        raise ValueError(f"not the record of a run in {folder}: {fault}")
    return {**files, RUN: seals.to_bytes(complete)}


def _fault(folder: Path, record: Mapping[str, object]) -> str | None:
    """Describe why a record is not one of a run in this folder; None if it is."""
    fields, files = record.get("fields"), record.get("files")
    if record.get("state") not in (State.PRESENT, State.FAILED):
        return f"its state is {record.get('state')!r}"
    if not isinstance(record.get("identity"), str) or not isinstance(fields, dict):
        return "it has no identity or no fields"
    if not isinstance(files, dict) or not all(_plain(name) for name in files):
        return "its files are not named by plain names"
    place = tuple(fields.get(name) for name in _PLACE)
    if place != folder.absolute().parts[-3:]:
        return f"it is of {'/'.join(map(str, place))}"
    return None


def _plain(name: str) -> bool:
    return name not in ("", RUN, SCORES) and not name.startswith(".") and not set(name) & set("/\\\0")


# Callers of these hold the lock. ``place`` is the current folder of the run of ``folder``.


def _read(folder: Path, place: Path, identity: str | None = None) -> RunContent:
    """Read a run as ``read_run`` does."""
    record = _read_record(folder, place, FORMAT)
    for name in record["files"]:
        _check_file(folder, place, name, record)
    if identity is not None and record["identity"] != identity:
        raise StaleRunError(
            f"{place / RUN} is of another run than asked for (identity {record['identity']}, {identity} "
            f"expected): {_remedy(folder)}."
        )
    return record


def _read_alone(folder: Path, place: Path, name: str) -> bytes | None:
    """Read a file as ``read_alone`` does."""
    record = _read_record(folder, place)
    if name not in record["files"]:
        return None
    _check_file(folder, place, name, record)
    return (place / name).read_bytes()


def _read_record(folder: Path, place: Path, format_: int | None = None) -> RunContent:
    """Read the record of a run, of this format or any, whether or not its files are still there."""
    if not os.path.lexists(place):
        raise _missing(folder)
    path, remedy = place / RUN, _remedy(folder)
    record = seals.read_sealed(path, "the record of a run", remedy)
    if format_ not in (None, record.get("format")):
        raise StaleRunError(
            f"{path} was written by another version of selu: its format is {record.get('format')}, "
            f"this version reads {format_}: {remedy}."
        )
    if fault := _fault(folder, record):
        raise SeluError(f"{path} is not the record of this folder's run, {fault}: {remedy}.")
    return cast("RunContent", record)


def _check_file(folder: Path, place: Path, name: str, record: RunContent) -> None:
    found, expected = seals.hash_file(place / name), record["files"][name]
    if found != expected:
        raise SeluError(
            f"{place / name} is {'missing' if found is None else f'damaged (sha256 {found})'}, its run was "
            f"written with sha256 {expected}: {_remedy(folder)}."
        )


def _check_scores(folder: Path, scores: ScoresContent, run: RunContent) -> None:
    identities = ("a run with the identity", scores.get("identity"), run["identity"])
    hashes = ("predictions with sha256", scores.get("predictions"), run["files"].get(PREDICTIONS))
    for what, stated, holds in (identities, hashes):
        if stated is None or stated != holds:
            raise SeluError(
                f"{folder / SCORES}: the scores are of {what} {stated}, but {folder} holds {holds}: "
                f"{_remedy(folder)}."
            )


def _missing(folder: Path) -> MissingRunError:
    return MissingRunError(f"{folder} holds no run: {_remedy(folder)}.")


def _remedy(folder: Path) -> str:
    task, system = folder.absolute().parts[-3:-1]
    return (
        f"make it again with 'selu run --task {task} --system {system}', or bring it back with "
        f"'dvc checkout --force {folder}'"
    )
