"""Runs on the disk: a folder with predictions, the record that vouches for them, and the scores.

    results/<benchmark>/<task>/<system>/<run>/run.json      what was run and how; vouches for the files it names
    results/<benchmark>/<task>/<system>/<run>/scores.json   vouches for itself; names the predictions it is of

Each record carries its ``seal``, so that an edit is noticed. It is no signature: it guards against accidents.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from selu.runs import atomic
from selu.runs.identity import identity as hash_of
from selu.vocabulary import RunState, SeluError

FORMAT = 1  # of run.json
RUN, SCORES, PREDICTIONS = "run.json", "scores.json", "predictions.parquet"
REPLIES = "replies.parquet"  # of prompted systems: what was paid for
_PLACE = ("task", "system", "run")  # the last three names of a run's folder
T = TypeVar("T")
State = RunState


class MissingRunError(SeluError):
    """There is no such run."""


class StaleRunError(SeluError):
    """The run is whole, but of another identity or format."""


def seal(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record, as reading it back will give it, with its ``seal``.

    The seal is the sha256 of the record's canonical JSON (sorted keys, no spaces, UTF-8) without it.

    Raises:
        ValueError: a number is nan or infinite, or two keys are one in JSON.
        TypeError: a value has no JSON form.
    """
    text = json.dumps(dict(record), allow_nan=False)
    content = json.loads(text, object_pairs_hook=_unique)  # keys are texts now, before they are sorted
    content.pop("seal", None)
    return {**content, "seal": hash_of(content)}


def to_bytes(record: Mapping[str, Any]) -> bytes:
    """The sealed record as a file's bytes: indented JSON in the record's own order, floats at full precision.

    Raises:
        ValueError, TypeError: as ``seal``; or a text has no UTF-8 form.
    """
    text = json.dumps(seal(record), ensure_ascii=False, indent=1, allow_nan=False)
    return (text + "\n").encode("utf-8")


def read_sealed(path: Path, what: str) -> dict[str, Any]:
    """Read a sealed record. ``what`` names it in refusals, like "the record of a run".

    Raises:
        SeluError: it is missing, torn, was edited, or has no seal; names the file, both hashes and the remedy.
    """
    remedy = f"remove it and make it anew, or bring a tracked one back with 'dvc checkout --force {path}'"
    return _unsealed(path, what, remedy)


def write_unit(path: Path, record: Mapping[str, Any]) -> None:
    """Write one sealed record as a file of its own; the old or the new one stands, whatever happens.

    Raises:
        ValueError, TypeError: as ``seal``.
        OSError: the disk refuses; the old record stands.
    """
    content = to_bytes(record)
    atomic.make_folder(path.parent)
    with atomic.locked(path, alone=True):
        atomic.replace_file(path, content)


def write_run(folder: Path, files: Mapping[str, bytes], record: Mapping[str, Any]) -> None:
    """Replace a run's whole folder by these files and run.json, all or nothing; scores of old predictions go.

    Args:
        folder: results/<benchmark>/<task>/<system>/<run>.
        files: name -> content; their sha256 become the record's ``files``.
        record: run.json without ``format``, ``files`` and ``seal``.

    Raises:
        ValueError, TypeError: as ``seal``; or the record is not one of a run in this folder.
        OSError: the disk refuses; the old or the new run stands.
    """
    content = _contents(folder, files, record)
    atomic.make_folder(folder.parent)
    with atomic.locked(folder, alone=True):
        atomic.replace_folder(folder, content, whole)


def write_failed(folder: Path, record: Mapping[str, Any]) -> None:
    """Write that a run failed, in the same way; its record says the ``error``.

    A present run of the same identity stays. Of any other only the replies stay, so that nobody pays twice.

    Raises:
        ValueError, TypeError, OSError: as ``write_run``.
    """
    if not record.get("error"):
        raise ValueError("the record of a failed run says its error")
    failed = {**record, "state": str(State.FAILED)}
    _contents(folder, {}, failed)  # refused before anything is touched
    atomic.make_folder(folder.parent)
    with atomic.locked(folder, alone=True):
        atomic.settle(folder, whole)
        if _state(record["identity"], lambda: _read(folder, folder)) is State.PRESENT:
            return
        try:
            replies = _alone(folder, folder, REPLIES)
        except SeluError:
            replies = None
        kept = {} if replies is None else {REPLIES: replies}
        atomic.replace_folder(folder, _contents(folder, kept, failed), whole)


def write_scores(folder: Path, record: Mapping[str, Any]) -> None:
    """Write a run's scores beside its predictions.

    Raises:
        SeluError: the run is missing, failed or damaged, or the scores are of other predictions than its own.
        ValueError, TypeError: as ``seal``.
        OSError: the disk refuses; the old scores stand.
    """
    content = to_bytes(record)
    if not folder.parent.is_dir():
        raise _missing(folder)
    with atomic.locked(folder, alone=True):
        atomic.settle(folder, whole)
        _check_scores(folder, folder / SCORES, record, _read(folder, folder))
        atomic.replace_file(folder / SCORES, content)


def settle(folder: Path) -> None:
    """End what a killed writer of this run began, and remove what it left. Every writer does so by itself.

    Worth a call before ``state``: a run found present is not written again, so nobody else would tidy up.

    Raises:
        OSError: the disk refuses; what stood still stands.
    """
    if folder.parent.is_dir():
        with atomic.locked(folder, alone=True):
            atomic.settle(folder, whole)


def read_run(folder: Path, identity: str | None = None) -> dict[str, Any]:
    """A run's record, after every file it vouches for was read and found the same. A failed run is no error.

    Raises:
        MissingRunError: there is none.
        StaleRunError: another identity than asked for, or another format.
        SeluError: torn, edited, or of another cell than its folder; names the file, both hashes, the remedy.
    """
    return _standing(folder, lambda place: _read(folder, place, identity))


def read_file(folder: Path, name: str, identity: str | None = None) -> bytes:
    """The bytes of a file that a run's record vouches for, like its predictions.

    Raises:
        SeluError: as ``read_run``, or the run has no such file (it failed).
    """

    def read(place: Path) -> bytes:
        record = _read(folder, place, identity)
        if name not in record["files"]:
            raise SeluError(f"{folder} has no {name} (its run is {record['state']}): {_remedy(folder)}.")
        return (place / name).read_bytes()

    return _standing(folder, read)


def read_predictions(folder: Path, identity: str | None = None) -> dict[str, list[Any]]:
    """Read the columns ``id`` and ``prediction`` of a run's predictions.

    By one thread: a process that ends while pyarrow's own threads do is aborted now and then.

    Raises:
        SeluError: as ``read_file``.
    """
    import pyarrow.parquet as pq

    with pq.ParquetFile(io.BytesIO(read_file(folder, PREDICTIONS, identity))) as file:
        columns: dict[str, list[Any]] = file.read(use_threads=False).to_pydict()
    return columns


def read_alone(folder: Path, name: str) -> bytes | None:
    """The bytes of one file that a run's record vouches for, whatever became of its other files, or None.

    For what was paid for, and must not be paid for again where something else of the run is damaged or stale.

    Raises:
        MissingRunError: there is no run.
        SeluError: the record, or this file, is missing, torn, edited, or of another cell than its folder.
    """
    return _standing(folder, lambda place: _alone(folder, place, name))


def read_scores(folder: Path) -> dict[str, Any]:
    """A run's scores, after they were found to be of the run's own predictions, and those to be whole.

    Raises:
        SeluError: as ``read_run``, or the scores are missing, torn, edited or of other predictions.
    """

    def read(place: Path) -> dict[str, Any]:
        run, path = _read(folder, place), place / SCORES
        scores = _unsealed(path, "a run's scores", _remedy(folder))
        _check_scores(folder, path, scores, run)
        return scores

    return _standing(folder, read)


def state(folder: Path, identity: str) -> State:
    """What a run's folder holds for this identity; never raises."""
    try:
        return _state(identity, lambda: read_run(folder))
    except OSError:
        return State.DAMAGED


def _state(identity: str, read: Callable[[], dict[str, Any]]) -> State:
    try:
        record = read()
    except MissingRunError:
        return State.MISSING
    except StaleRunError:
        return State.STALE
    except SeluError:
        return State.DAMAGED
    return State(record["state"]) if record["identity"] == identity else State.STALE


def _standing(folder: Path, read: Callable[[Path], T]) -> T:
    """What ``read`` makes of the place where a run stands now."""
    if not folder.parent.is_dir():
        raise _missing(folder)
    with atomic.locked(folder, alone=False):
        place = atomic.standing(folder, whole)
        if place is None:
            raise _missing(folder)
        return read(place)


def _contents(folder: Path, files: Mapping[str, bytes], record: Mapping[str, Any]) -> dict[str, bytes]:
    """All files of a run that is to be written, run.json last."""
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}
    complete = {"format": FORMAT, **record, "files": hashes}
    fault = _fault(folder, complete)
    if fault:
        raise ValueError(f"not the record of a run in {folder}: {fault}")
    return {**files, RUN: to_bytes(complete)}


def _fault(folder: Path, record: Mapping[str, Any]) -> str | None:
    """What makes a record none of a run in this folder, in words, or None."""
    fields, files = record.get("fields"), record.get("files")
    if record.get("state") not in (State.PRESENT, State.FAILED):
        return f"its state is {record.get('state')!r}"
    if not isinstance(record.get("identity"), str) or not isinstance(fields, dict):
        return "it has no identity or no fields"
    if not isinstance(files, dict) or not all(_plain(name) for name in files):
        return "its files are not named by plain names"
    said = tuple(fields.get(name) for name in _PLACE)
    if said != folder.absolute().parts[-3:]:
        return f"it is of {'/'.join(map(str, said))}"
    return None


def _plain(name: str) -> bool:
    return name not in ("", RUN, SCORES) and not name.startswith(".") and not set(name) & set("/\\\0")


def _read(folder: Path, place: Path, identity: str | None = None) -> dict[str, Any]:
    """As ``read_run``, of the run of ``folder`` that stands in ``place``; for who holds the lock."""
    if not os.path.lexists(place):
        raise _missing(folder)
    path, remedy = place / RUN, _remedy(folder)
    record = _unsealed(path, "the record of a run", remedy)
    if record.get("format") != FORMAT:
        raise StaleRunError(
            f"{path} was written by another version of selu: its format is {record.get('format')}, "
            f"this version reads {FORMAT}: {remedy}."
        )
    fault = _fault(folder, record)
    if fault:
        raise SeluError(f"{path} is not the record of this folder's run, {fault}: {remedy}.")
    for name, expected in record["files"].items():
        found = _hash_of_file(place / name)
        if found != expected:
            raise SeluError(
                f"{place / name} is {'missing' if found is None else f'damaged (sha256 {found})'}, its run was "
                f"written with sha256 {expected}: {remedy}."
            )
    if identity is not None and record["identity"] != identity:
        raise StaleRunError(
            f"{path} is of another run than asked for (identity {record['identity']}, {identity} expected): "
            f"{remedy}."
        )
    return record


def _alone(folder: Path, place: Path, name: str) -> bytes | None:
    """As ``read_alone``, of the run that stands in ``place``; for who holds the lock."""
    if not os.path.lexists(place):
        raise _missing(folder)
    path, remedy = place / name, _remedy(folder)
    record = _unsealed(place / RUN, "the record of a run", remedy)
    if (fault := _fault(folder, record)) is not None:
        raise SeluError(f"{place / RUN} is not the record of this folder's run, {fault}: {remedy}.")
    if name not in record["files"]:
        return None
    content = path.read_bytes() if path.is_file() else b""
    if hashlib.sha256(content).hexdigest() != record["files"][name]:
        raise SeluError(f"{path} is missing or damaged: {remedy}.")
    return content


def whole(place: Path) -> bool:
    """Whether a folder of any name holds a run whose every file is the one that its record names."""
    try:
        record = _unsealed(place / RUN, "", "")
        return all(_hash_of_file(place / name) == expected for name, expected in record["files"].items())
    except (SeluError, KeyError, TypeError, AttributeError):
        return False  # but a disk that fails just now (OSError) doesn't say so


def _check_scores(folder: Path, path: Path, scores: Mapping[str, Any], run: Mapping[str, Any]) -> None:
    for what, said, holds in (
        ("a run with the identity", scores.get("identity"), run["identity"]),
        ("predictions with sha256", scores.get("predictions"), run["files"].get(PREDICTIONS)),
    ):
        if said is None or said != holds:
            raise SeluError(
                f"{path}: the scores are of {what} {said}, but {folder} holds {holds}: {_remedy(folder)}."
            )


def _unsealed(path: Path, what: str, remedy: str) -> dict[str, Any]:
    """As ``read_sealed``, with this remedy."""
    try:
        _refuse_device(path)
        record = json.loads(path.read_bytes().decode(), object_pairs_hook=_unique)
        said = record.pop("seal", None)
        found = hash_of(record)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise SeluError(f"{path}, {what}, is missing: {remedy}.") from None
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise SeluError(f"{path}, {what}, is torn or was edited, it is no JSON record: {remedy}.") from None
    if said != found:
        raise SeluError(
            f"{path}, {what}, was edited or is damaged: its content has the sha256 {found}, its seal says "
            f"{said or 'nothing'}: {remedy}."
        )
    return {**record, "seal": said}


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name comes twice")
    return found


def _hash_of_file(path: Path) -> str | None:
    """sha256 of a file's bytes, or None where there is no such file."""
    try:
        _refuse_device(path)
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except (
        FileNotFoundError,
        NotADirectoryError,
        IsADirectoryError,
        ValueError,
    ):  # ValueError: no such name can be
        return None


def _refuse_device(path: Path) -> None:
    """Raise FileNotFoundError for what would be read for ever, as a pipe in a folder copied from elsewhere."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise FileNotFoundError(path)


def _missing(folder: Path) -> MissingRunError:
    return MissingRunError(f"{folder} holds no run: {_remedy(folder)}.")


def _remedy(folder: Path) -> str:
    task, system = folder.absolute().parts[-3:-1]
    return (
        f"make it anew with 'selu run --task {task} --system {system}', or bring it back with "
        f"'dvc checkout --force {folder}'"
    )
