"""The pipeline: stages as ``dvc.yaml`` declares them and ``dvc.lock`` recorded them, read without DVC."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast, final

from selu.files import Json, JsonObject
from selu.vocabulary import SeluError

PARAMS = "params.yaml"
_NAMED = re.compile(r"\$\{([\w.]+)\}")  # a variable in the path of an output


Out = str | Mapping[str, object]  # its path, with or without settings of its own


class Item(TypedDict):
    """What a stage of the lock reads or writes."""

    path: str
    md5: str


class Locked(TypedDict):
    """A stage of the lock."""

    cmd: str
    deps: NotRequired[Sequence[Item]]
    outs: NotRequired[Sequence[Item]]


@final
class Template(TypedDict):
    """The declaration of one stage, or of each of a group, in dvc.yaml."""

    outs: Sequence[Out]


@final
class Group(TypedDict):
    """Stages that dvc.yaml declares over a list or a mapping, or the name of a variable that is one."""

    foreach: str | Sequence[str] | Mapping[str, Json]
    do: Template


class Lock(TypedDict):
    """The whole of dvc.lock."""

    stages: Mapping[str, Locked]


class Pipeline(TypedDict):
    """The whole of dvc.yaml."""

    stages: Mapping[str, Template | Group]
    vars: NotRequired[Sequence[str | JsonObject]]


@dataclass(frozen=True)
class Stage:
    """One stage of the lock: its command, and path -> md5 of what it reads and writes."""

    name: str
    command: str
    reads: Mapping[str, str]
    writes: Mapping[str, str]


def read_lock(root: Path) -> list[Stage]:
    """Read the stages of ``dvc.lock``, in an order in which each comes after those that it reads from.

    Raises:
        SeluError: the lock is missing or damaged, or has not the stages of dvc.yaml.
    """
    import yaml

    path = root / "dvc.lock"
    try:
        lock: Lock = _parsed(path.read_text("utf-8"))
        found = [
            Stage(name, stage["cmd"], _hashes(stage.get("deps", [])), _hashes(stage.get("outs", [])))
            for name, stage in lock["stages"].items()
        ]
        expected = read_outputs(root)
    except FileNotFoundError as error:
        raise SeluError(f"{error.filename} is missing: 'git checkout -- dvc.lock dvc.yaml'.") from None
    except (yaml.YAMLError, ValueError, KeyError, TypeError, AttributeError):
        raise SeluError(f"{path} or dvc.yaml is damaged: 'git checkout -- dvc.lock dvc.yaml'.") from None
    locked = {stage.name: set(stage.writes) for stage in found}
    if locked != expected:
        differing = sorted(n for n in expected.keys() | locked.keys() if expected.get(n) != locked.get(n))
        raise SeluError(
            f"{path} and dvc.yaml differ on the stage {differing[0]!r} ({len(differing)} in all): restore the "
            "lock with 'git checkout -- dvc.lock', or run 'dvc repro' after a change of the stages."
        )
    return _sort(found)


def _hashes(items: Sequence[Item]) -> Mapping[str, str]:
    return {str(item["path"]): str(item["md5"]) for item in items}


def read_outputs(root: Path) -> Mapping[str, set[str]]:
    """Read the outputs that dvc.yaml declares, by stage; a group may go over a list of ``vars`` or params.yaml.

    Raises:
        OSError: dvc.yaml or a file of its ``vars`` is missing.
        SeluError: a file is no valid YAML.
        ValueError, KeyError, TypeError, AttributeError: it has not the form of a pipeline.
    """
    pipeline: Pipeline = _read(root, "dvc.yaml")
    variables = _variables(root, pipeline.get("vars", []))
    if (root / PARAMS).is_file():  # DVC takes it unasked
        variables = {**_read(root, PARAMS), **variables}
    found: dict[str, set[str]] = {}
    for name, stage in pipeline["stages"].items():
        found.update(_outputs(name, stage, variables))
    return found


def _variables(root: Path, given: Sequence[str | JsonObject]) -> JsonObject:
    """Return the variables of a pipeline: given in place, or by a file as ``FILE`` or ``FILE:ENTRY,ENTRY``."""
    found: dict[str, Json] = {}
    for entry in given:
        if isinstance(entry, str):
            file, _, entries = entry.partition(":")
            content: JsonObject = _read(root, file)
            found |= {name: content[name] for name in entries.split(",")} if entries else content
        else:
            found |= entry
    return found


def _outputs(name: str, stage: Template | Group, variables: JsonObject) -> Iterator[tuple[str, set[str]]]:
    """Name and outputs of a declared stage, or of each stage that its ``foreach`` declares."""
    if "foreach" not in stage:
        yield name, set(map(_path, stage["outs"]))
        return
    over = stage["foreach"]
    if isinstance(over, str):
        over = cast("Sequence[str] | Mapping[str, Json]", _look_up(over[2:-1], variables))
    for key, item in over.items() if isinstance(over, Mapping) else zip(over, over, strict=True):
        here: JsonObject = {**variables, "key": key, "item": item}
        yield f"{name}@{key}", {_fill(_path(out), here) for out in stage["do"]["outs"]}


def _fill(path: str, variables: JsonObject) -> str:
    """Fill variables into the path of an output."""
    return _NAMED.sub(lambda name: str(_look_up(name[1], variables)), path)


def _look_up(name: str, variables: JsonObject) -> Json:
    """Find a variable by its name, ``tasks``, or a part of one, ``item.makes``."""
    found: Json = variables
    for key in name.split("."):
        found = cast("JsonObject", found)[key]
    return found


def _path(out: Out) -> str:
    """Return the path of a declared output, with or without settings of its own."""
    return str(next(iter(out))) if isinstance(out, Mapping) else str(out)


def _read(root: Path, name: str) -> Any:
    import yaml

    try:
        return _parsed((root / name).read_text("utf-8"))
    except (yaml.YAMLError, ValueError):
        raise SeluError(
            f"{root / name} is no valid YAML: correct it, or restore it with 'git checkout -- {name}'."
        ) from None


@lru_cache(maxsize=3)  # reading the lock takes a fifth of a second, and checks of results need it several times
def _parsed(text: str) -> Any:
    """Parse YAML with all scalars as written: a digest of digits is not a number."""
    import yaml

    return yaml.load(text, getattr(yaml, "CBaseLoader", yaml.BaseLoader))


def _sort(stages: Sequence[Stage]) -> list[Stage]:
    sorter = TopologicalSorter(find_needs(stages))
    try:
        sorter.prepare()
    except CycleError:
        raise SeluError("dvc.lock has stages that wait for each other: restore it from git.") from None
    ordered: list[Stage] = []
    while sorter.is_active():
        ready = sorter.get_ready()
        ordered += [stage for stage in stages if stage.name in ready]
        sorter.done(*ready)
    return ordered


def find_needs(stages: Sequence[Stage]) -> Mapping[str, set[str]]:
    """Find of each stage the others that write what it reads, something in it, or a folder around it."""
    writers: defaultdict[str, set[str]] = defaultdict(set)
    around: defaultdict[str, set[str]] = defaultdict(set)  # of a folder, the stages that write something in it
    for stage in stages:
        for path in stage.writes:
            writers[path].add(stage.name)
            for folder in _folders(path):
                around[folder].add(stage.name)
    found = {}
    for stage in stages:
        names: set[str] = set()
        for path in stage.reads:
            names = names.union(around[path], *(writers[place] for place in (path, *_folders(path))))
        found[stage.name] = names - {stage.name}
    return found


def _folders(path: str) -> list[str]:
    """Return the folders that contain a path."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]
