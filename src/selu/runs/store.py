"""The tracked results: what ``dvc.lock`` says they are, and whether the files at hand are those.

DVC names an object by the md5 of its bytes; a folder is an object too, a JSON list of its files. Reading the
lock needs no DVC, so a check takes milliseconds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, NamedTuple

from selu.files import write_atomic
from selu.vocabulary import SeluError

_GLANCE = 6
RESULTS = "results"  # whose outputs are folders of runs, one for a benchmark


@dataclass(frozen=True)
class Stage:
    """One stage of the lock: its command, and path -> md5 of what it reads and writes."""

    name: str
    command: str
    reads: Mapping[str, str]
    writes: Mapping[str, str]


def read_lock(root: Path) -> list[Stage]:
    """Stages of ``dvc.lock`` in an order in which each comes after those that it reads from.

    Raises:
        SeluError: the lock is missing or damaged.
    """
    import yaml

    path = root / "dvc.lock"
    try:
        stages = _parsed(path.read_text("utf-8"))["stages"]
        found = [
            Stage(
                name,
                stage["cmd"],
                {str(item["path"]): str(item["md5"]) for item in stage.get("deps", [])},
                {str(item["path"]): str(item["md5"]) for item in stage.get("outs", [])},
            )
            for name, stage in stages.items()
        ]
        expected = declared(root)
    except FileNotFoundError as error:
        raise SeluError(f"{error.filename} is missing: 'git checkout -- dvc.lock dvc.yaml'.") from None
    except (yaml.YAMLError, ValueError, KeyError, TypeError, AttributeError):
        raise SeluError(f"{path} or dvc.yaml is damaged: 'git checkout -- dvc.lock dvc.yaml'.") from None
    locked = {stage.name: set(stage.writes) for stage in found}
    if locked != expected:
        differing = sorted(n for n in expected | locked if expected.get(n) != locked.get(n))
        raise SeluError(
            f"{path} and dvc.yaml differ on the stage {differing[0]!r} ({len(differing)} in all): restore the "
            "lock with 'git checkout -- dvc.lock', or run 'dvc repro' after a change of the stages."
        )
    return _in_order(found)


def declared(root: Path) -> dict[str, set[str]]:
    """Outputs by stage, as dvc.yaml declares them; a group of stages may go over a list of its ``vars``.

    Raises:
        OSError: dvc.yaml or a file of its ``vars`` is missing.
        ValueError, KeyError, TypeError, AttributeError, yaml.YAMLError: one of them is damaged.
    """
    pipeline = _parsed((root / "dvc.yaml").read_text("utf-8"))
    named = _named(root, pipeline.get("vars", []))
    found: dict[str, set[str]] = {}
    for name, stage in pipeline["stages"].items():
        found.update(_outputs(name, stage, named))
    return found


def _named(root: Path, variables: Sequence[str | dict[str, Any]]) -> dict[str, Any]:
    """The variables of a pipeline: given in place, or of a file, as ``FILE`` or ``FILE:ENTRY,ENTRY``."""
    found: dict[str, Any] = {}
    for one in variables:
        if isinstance(one, str):
            file, _, entries = one.partition(":")
            content = _parsed((root / file).read_text("utf-8"))
            one = {name: content[name] for name in entries.split(",")} if entries else content
        found.update(one)
    return found


def _outputs(name: str, stage: dict[str, Any], named: dict[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """Name and outputs of a declared stage, or of each stage that its ``foreach`` declares."""
    if "foreach" not in stage:
        yield name, set(map(_path, stage["outs"]))
        return
    over = stage["foreach"]
    if isinstance(over, str):
        over = named[over.removeprefix("${").removesuffix("}")]
    for key, item in over.items() if isinstance(over, dict) else ((one, one) for one in over):
        outs = [_path(out) for out in stage["do"]["outs"]]
        yield f"{name}@{key}", {out.replace("${key}", key).replace("${item}", str(item)) for out in outs}


def _path(out: str | dict[str, Any]) -> str:
    """Path of a declared output, with or without settings of its own."""
    return str(next(iter(out))) if isinstance(out, dict) else str(out)


@lru_cache(maxsize=3)  # the lock takes a fifth of a second, and whoever checks results needs it several times
def _parsed(text: str) -> Any:
    """A YAML file with all scalars as they are written: a digest of digits alone is no number."""
    import yaml

    return yaml.load(text, getattr(yaml, "CBaseLoader", yaml.BaseLoader))


def _in_order(stages: list[Stage]) -> list[Stage]:
    by_name = {stage.name: stage for stage in stages}
    sorter = TopologicalSorter(needs(stages))
    try:
        sorter.prepare()
    except CycleError:
        raise SeluError("dvc.lock has stages that wait for each other: restore it from git.") from None
    ordered: list[Stage] = []
    while sorter.is_active():
        ready = set(sorter.get_ready())
        ordered += [stage for name, stage in by_name.items() if name in ready]
        sorter.done(*ready)
    return ordered


def needs(stages: Sequence[Stage]) -> dict[str, set[str]]:
    """Of each stage the others that write what it reads, something in it, or a folder around it."""
    writers: dict[str, set[str]] = {}
    around: dict[str, set[str]] = {}
    for stage in stages:
        for path in stage.writes:
            writers.setdefault(path, set()).add(stage.name)
            for folder in _folders(path):
                around.setdefault(folder, set()).add(stage.name)
    found = {}
    for stage in stages:
        names: set[str] = set()
        for path in stage.reads:
            names |= around.get(path, set())
            names = names.union(*(writers.get(one, set()) for one in (path, *_folders(path))))
        found[stage.name] = names - {stage.name}
    return found


def _folders(path: str) -> list[str]:
    """The folders that a path lies in."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def md5(path: Path) -> str:
    """md5 of a file's bytes, in blocks."""
    digest = hashlib.md5(usedforsecurity=False)
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def fingerprints(path: Path) -> dict[str, str]:
    """md5 of a file (key ""), or of each file below a folder (keys are relative paths)."""
    if path.is_dir():
        files = sorted(item for item in path.rglob("*") if item.is_file())
        return {item.relative_to(path).as_posix(): md5(item) for item in files}
    return {"": md5(path)} if path.is_file() else {}


def tracked(root: Path, digest: str) -> dict[str, str]:
    """The same fingerprints of a tracked output, from its digest in the lock.

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
        raise SeluError(f"{path} is missing or damaged: restore it with 'git checkout -- store'.") from None


def object_path(root: Path, digest: str) -> Path:
    """Where the embedded store keeps an object."""
    return root / "store" / "files" / "md5" / digest[:2] / digest[2:]


def objects(root: Path, stages: Iterable[Stage] | None = None) -> Iterator[tuple[str, str, str]]:
    """Every tracked file (of some stages): path in the project, relative path in a folder (or ""), digest."""
    for stage in read_lock(root) if stages is None else stages:
        for path, digest in stage.writes.items():
            for relative, member in tracked(root, digest).items():
                yield path, relative, member


def check_store(root: Path) -> int:
    """Check that the store holds every tracked object undamaged; returns how many.

    Raises:
        SeluError: naming the object, the result it belongs to, and both digests.
    """
    count = 0
    for path, relative, digest in objects(root):
        stored = object_path(root, digest)
        name = f"{path}/{relative}".rstrip("/")
        if not stored.is_file():
            raise SeluError(f"{stored}, which holds {name}, is missing: 'git checkout -- store' restores it.")
        actual = md5(stored)
        if actual != digest:
            raise SeluError(
                f"{stored}, which holds {name}, is damaged (md5 {actual}, expected {digest}): "
                "'git checkout -- store' restores it."
            )
        count += 1
    return count


class Change(NamedTuple):
    """A difference to what is tracked: what DVC can check out to mend it, the file's folder, and a sentence."""

    tracked: str
    place: str
    said: str


def changes(
    root: Path,
    base: Path,
    stages: Sequence[Stage] | None = None,
    whole: bool = True,
    within: Path | None = None,
) -> Iterator[Change]:
    """Each difference of the tracked outputs (of some stages) to the files below ``base``.

    Args:
        whole: outputs that are not there at all differ; else they are passed over.
        within: only outputs in this folder of the project.
    """
    for stage in read_lock(root) if stages is None else stages:
        for path, digest in stage.writes.items():
            if within is not None and not Path(path).is_relative_to(within):
                continue
            if whole or (base / path).exists():
                yield from _differences(root, base, stage.name, path, digest)


def _differences(root: Path, base: Path, stage: str, path: str, digest: str) -> Iterator[Change]:
    expected, found = tracked(root, digest), fingerprints(base / path)
    folders = {_place(path, relative) for relative in expected}
    runs = {_run(relative) for relative in expected} if path.startswith(f"{RESULTS}/") else None
    for relative in sorted(expected.keys() | found.keys()):
        name = f"{path}/{relative}".rstrip("/")
        place = _place(path, relative)
        mended = place if place in folders else path
        if relative not in found:
            yield Change(mended, place, f"{name}: tracked, but missing.")
        elif relative not in expected:
            if runs is None or _run(relative) in runs:  # a run of somebody's own stands beside the tracked ones
                yield Change(mended, place, f"{name}: present, but not tracked.")
        elif expected[relative] != found[relative]:
            said = f"{name}: its bytes differ from the tracked ones (stage {stage})."
            yield Change(mended, place, said)


def _place(path: str, relative: str) -> str:
    return f"{path}/{relative.rpartition('/')[0]}".rstrip("/")


def _run(relative: str) -> str:
    """TASK/SYSTEM/RUN of a file below the results of a benchmark."""
    return "/".join(relative.split("/")[:3])


def changed(root: Path, base: Path, stages: Sequence[Stage] | None = None) -> list[str]:
    """The same as sentences."""
    return [change.said for change in changes(root, base, stages)]


def check_results(root: Path, whole: bool = True, within: Path | None = None) -> None:
    """Check that the pulled results are the tracked ones.

    Args:
        whole: a result that is not there at all is a difference; else it is one still to be pulled.
        within: only those in this folder of the project.

    Raises:
        SeluError: naming the results that are missing or were changed, and the command that brings them back.
    """
    found = list(changes(root, root, whole=whole, within=within))
    if found:
        places = _some(dict.fromkeys(change.place for change in found), ", ")
        of = f", of {places}" if places else ""
        more = f" ({len(found)} files differ{of})" if len(found) > 1 else ""
        raise SeluError(
            f"{found[0].said}{more} '{way_back(change.tracked for change in found)}' brings the tracked "
            "results back ('dvc pull' in a fresh clone); copy your own elsewhere first, to keep them."
        )


def replaced(root: Path, written: Sequence[Path]) -> list[str]:
    """The tracked folders that hold one of these files or folders and are not as tracked any more."""
    try:
        found = [
            change.tracked
            for stage in (read_lock(root) if written else ())
            for path, digest in stage.writes.items()
            if any(file.is_relative_to(root / path) for file in written)
            for change in _differences(root, root, stage.name, path, digest)
            if any(_touch(root / change.place, file) for file in written)
        ]
        return list(dict.fromkeys(found))
    except SeluError:  # nothing is tracked here
        return []


def _touch(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)


def set_aside(root: Path, planned: Iterable[Path] = ()) -> None:
    """Have DVC pass over the runs that are here, or planned, and not tracked: it would take them for leftovers.

    They are named in ``results/.dvcignore``, which is of this clone alone; ``take_in`` has DVC see them.
    """
    try:
        stages = read_lock(root)
        known = {_folder(f"{path}/{relative}") for path, relative, _ in objects(root, stages)}
    except SeluError:  # nothing is tracked here
        return
    outputs = tuple(f"{path}/" for stage in stages for path in stage.writes if path.startswith(f"{RESULTS}/"))
    here = [path for path in (root / RESULTS).glob("*/*/*/*") if path.is_dir()]
    every = {path.relative_to(root).as_posix() for path in (*here, *planned)}
    own = sorted(run for run in every - known if run.startswith(outputs))
    path = root / RESULTS / ".dvcignore"
    if own:
        write_atomic(path, "".join(f"{run.removeprefix(RESULTS)}\n" for run in own))
    else:
        path.unlink(missing_ok=True)


def take_in(root: Path) -> None:
    """Have DVC see every run."""
    (root / RESULTS / ".dvcignore").unlink(missing_ok=True)


def _folder(path: str) -> str:
    """results/BENCHMARK/TASK/SYSTEM/RUN of a file of a run."""
    return "/".join(path.split("/")[:5])


def way_back(outputs: Iterable[str]) -> str:
    """The command that brings these outputs back as they are tracked."""
    return f"dvc checkout --force {_some(dict.fromkeys(outputs), ' ')}".rstrip()


def _some(names: Iterable[str], between: str) -> str:
    """Names that one can take in at a glance; of more, none."""
    listed = list(names)
    return between.join(listed) if len(listed) <= _GLANCE else ""


def summary(root: Path) -> dict[str, Any]:
    """How many results are tracked, and how many of them are at hand and unchanged."""
    files = list(objects(root))
    return {"tracked files": len(files), "differences": len(changed(root, root))}
