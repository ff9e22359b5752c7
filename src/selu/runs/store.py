"""The tracked results: their declaration in ``dvc.lock``, and whether the files here match it.

DVC names an object by the md5 of its bytes; a folder is an object too, a JSON list of its files. Reading the
lock needs no DVC, so a check takes milliseconds.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from selu.files import write_atomic
from selu.runs.pipeline import Stage, read_lock
from selu.vocabulary import SeluError

_GLANCE = 6
RESULTS = "results"  # whose outputs are folders of runs, one for a benchmark
IGNORED = f"{RESULTS}/.dvcignore"


def md5(path: Path) -> str:
    """Return the md5 of a file's bytes."""
    with path.open("rb", buffering=0) as stream:
        return hashlib.file_digest(stream, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def fingerprints(path: Path) -> Mapping[str, str]:
    """Return the md5 of a file (key ""), or of each file below a folder (keys are relative paths)."""
    if path.is_dir():
        return {relative: md5(path / relative) for relative in sorted(_files(path))}
    return {"": md5(path)} if path.is_file() else {}


def _files(folder: Path, below: str = "") -> Iterator[str]:
    """List the files below a folder by their relative paths. The folder's own list says what is a file."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _files(Path(entry.path), f"{below}{entry.name}/")
            elif entry.is_file():
                yield f"{below}{entry.name}"


def tracked(root: Path, digest: str) -> Mapping[str, str]:
    """Read the same fingerprints of a tracked output, from its digest in the lock.

    Raises:
        SeluError: the object that lists a tracked folder is missing or damaged in the store.
    """
    if not digest.endswith(".dir"):
        return {"": digest}
    path = object_path(root, digest)
    try:
        if md5(path) != digest.removesuffix(".dir"):
            raise ValueError
        return {item["relpath"]: item["md5"] for item in json.loads(path.read_text("utf-8"))}
    except (OSError, ValueError, KeyError, TypeError):
        raise SeluError(
            f"{path} is missing or damaged: 'dvc push' puts a new result there, and 'git checkout -- store' "
            "restores a committed one."
        ) from None


def object_path(root: Path, digest: str) -> Path:
    """Return where the embedded store keeps an object."""
    return root / "store" / "files" / "md5" / digest[:2] / digest[2:]


def objects(root: Path, stages: Iterable[Stage] | None = None) -> Iterator[tuple[str, str, str]]:
    """List the tracked files (of some stages): path of the output, relative path in it (or ""), digest."""
    for stage in read_lock(root) if stages is None else stages:
        for path, digest in stage.writes.items():
            for relative, member in tracked(root, digest).items():
                yield path, relative, member


def check_store(root: Path) -> int:
    """Check that the store holds every tracked object undamaged; return how many.

    Raises:
        SeluError: naming the object, the result it belongs to, and both digests.
    """
    count = 0
    restore = "'git checkout -- store' restores it."
    for path, relative, digest in objects(root):
        stored = object_path(root, digest)
        name = f"{path}/{relative}".rstrip("/")
        try:
            actual = md5(stored)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            new = "'dvc push' puts a new result there; of a committed one,"
            raise SeluError(f"{stored}, which holds {name}, is missing: {new} {restore}") from None
        if actual != digest:
            raise SeluError(
                f"{stored}, which holds {name}, is damaged (md5 {actual}, expected {digest}): {restore}"
            )
        count += 1
    return count


class Change(NamedTuple):
    """A difference from what is tracked: what DVC can check out to fix it, the file's folder, a sentence."""

    tracked: str
    place: str
    sentence: str


def find_changes(
    root: Path, base: Path, stages: Sequence[Stage] | None = None, wanted: Callable[[str], bool] | None = None
) -> Iterator[Change]:
    """Find each difference of the tracked outputs (of some stages) to the files below ``base``.

    Args:
        wanted: for the path of an output, whether it is compared; by default all are.
    """
    for stage in read_lock(root) if stages is None else stages:
        for path, digest in stage.writes.items():
            if wanted is None or wanted(path):
                yield from _differences(root, base, stage.name, path, digest)


def _differences(root: Path, base: Path, stage: str, path: str, digest: str) -> Iterator[Change]:
    expected, found = tracked(root, digest), fingerprints(base / path)
    folders = {_place(path, relative) for relative in expected}
    runs = {_run(f"{path}/{relative}") for relative in expected} if path.startswith(f"{RESULTS}/") else None
    for relative in sorted(expected.keys() | found.keys()):
        name, place = f"{path}/{relative}".rstrip("/"), _place(path, relative)
        if relative not in found:
            what = "tracked, but missing."
        elif relative in expected:
            what = f"its bytes differ from the tracked ones (stage {stage})."
        elif runs is None or _run(name) in runs:
            what = "present, but not tracked."
        else:  # a run of the user's own is beside the tracked ones
            continue
        if expected.get(relative) != found.get(relative):
            yield Change(place if place in folders else path, place, f"{name}: {what}")


def _place(path: str, relative: str) -> str:
    return f"{path}/{relative.rpartition('/')[0]}".rstrip("/")


def _run(path: str) -> str:
    """Return results/BENCHMARK/TASK/SYSTEM/RUN of a file of a run."""
    return "/".join(path.split("/")[:5])


def changed(root: Path, base: Path, stages: Sequence[Stage] | None = None) -> list[str]:
    """Return ``find_changes`` as sentences."""
    return [change.sentence for change in find_changes(root, base, stages)]


def check_results(
    root: Path, whole: bool = True, within: Path | None = None, stages: Sequence[Stage] | None = None
) -> None:
    """Check that the pulled results are the tracked ones.

    Args:
        whole: a result that is not there at all is a difference; else it is one still to be pulled.
        within: only those in this folder of the project.
        stages: only the results of these.

    Raises:
        SeluError: naming the results that are missing or were changed, and the command that brings them back.
    """

    def wanted(path: str) -> bool:
        return (within is None or Path(path).is_relative_to(within)) and (whole or (root / path).exists())

    found = list(find_changes(root, root, stages, wanted))
    if found:
        places = _some((change.place for change in found), ", ")
        where = f", of {places}" if places else ""
        rest = f" ({len(found)} files differ{where})" if len(found) > 1 else ""
        raise SeluError(
            f"{found[0].sentence}{rest} '{way_back(change.tracked for change in found)}' brings the tracked "
            "results back ('dvc pull' in a fresh clone); copy your own elsewhere first, to keep them."
        )


def replaced(root: Path, written: Sequence[Path]) -> list[str]:
    """Name the tracked folders that hold one of these files or folders and are not as tracked any more."""

    def wanted(path: str) -> bool:
        return any(file.is_relative_to(root / path) for file in written)

    def touched(place: Path) -> bool:
        return any(place.is_relative_to(file) or file.is_relative_to(place) for file in written)

    try:
        found = find_changes(root, root, None if written else (), wanted)
        return list(dict.fromkeys(change.tracked for change in found if touched(root / change.place)))
    except SeluError:  # nothing is tracked here
        return []


def untracked(root: Path, places: Iterable[Path]) -> tuple[list[str], list[str]]:
    """List those of these files and folders that were changed, and those that the user added."""
    try:
        outputs = [(path, digest) for stage in read_lock(root) for path, digest in stage.writes.items()]
    except SeluError:  # nothing is tracked here
        return [], []
    changed_here, own = list[str](), list[str]()
    known = dict[str, dict[str, str]]()
    for place in places:
        name = place.relative_to(root).as_posix()
        path, digest = next((output for output in outputs if f"{name}/".startswith(f"{output[0]}/")), ("", ""))
        if path and path not in known:
            known[path] = {f"{path}/{file}".rstrip("/"): md5 for file, md5 in tracked(root, digest).items()}
        start = f"{name}/"
        expected = {file: md5 for file, md5 in known.get(path, {}).items() if f"{file}/".startswith(start)}
        found = {f"{name}/{file}".rstrip("/"): md5 for file, md5 in fingerprints(place).items()}
        if not expected:
            own.append(name)
        elif found != expected:
            changed_here.append(name)
    return changed_here, own


def set_aside(root: Path, planned: Iterable[Path] = ()) -> None:
    """Make DVC ignore runs that are here, or planned, but not tracked: it would delete them as leftovers.

    They are named in ``results/.dvcignore``, which is of this clone alone; without it DVC sees them.
    """
    try:
        stages = read_lock(root)
        known = {_run(f"{path}/{relative}") for path, relative, _ in objects(root, stages)}
    except SeluError:  # nothing is tracked here
        return
    outputs = tuple(f"{path}/" for stage in stages for path in stage.writes if path.startswith(f"{RESULTS}/"))
    here = [path for path in (root / RESULTS).glob("*/*/*/*") if path.is_dir()]
    every = {path.relative_to(root).as_posix() for path in (*here, *planned)}
    own = sorted(run for run in every - known if run.startswith(outputs))
    path = root / IGNORED
    if own:
        write_atomic(path, "".join(f"{run.removeprefix(RESULTS)}\n" for run in own))
    else:
        path.unlink(missing_ok=True)


def caution(root: Path, system: Path, start: str) -> str:
    """Say in a clause that making runs anew replaces tracked ones, and the way back; else return "".

    Args:
        system: the folder of a system's runs on a task.
        start: a run's name, or its first parts.
    """
    try:
        known = {_run(f"{path}/{relative}") for path, relative, _ in objects(root)}
    except SeluError:  # nothing is tracked here
        return ""
    head = f"{system.relative_to(root).as_posix()}/{start}-"
    again = sorted(run for run in known if f"{run}-".startswith(head))
    if not again:
        return ""
    back = f"'{way_back(again)}' brings {'them' if len(again) > 1 else 'it'} back"
    what = "tracked results" if len(again) > 1 else "a tracked result"
    return f", and replaces {what}: 'selu verify' refuses until {back}"


def way_back(outputs: Iterable[str]) -> str:
    """Name the command that brings these outputs back as they are tracked."""
    return f"dvc checkout --force {_some(outputs, ' ')}".rstrip()


def _some(names: Iterable[str], between: str) -> str:
    """List different names if they are few enough to read at a glance; empty for more."""
    listed = list(dict.fromkeys(names))
    return between.join(listed) if len(listed) <= _GLANCE else ""
