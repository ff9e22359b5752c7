"""The published archive, in a folder that the user names: tasks with their metadata, and splits.

A task is two files, ``NAME.meta.json`` and ``NAME.data.json``, or in an earlier form one file ``NAME.json``
with the fields of both. A split is ``split/NAME.json``, with the names of its tasks for training (``tune``)
and for evaluation (``eval``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from selu.papers.crosscodebench.collection.instances import Instance
from selu.papers.crosscodebench.collection.stream import read_values
from selu.vocabulary import SeluError

INSTANCES = "Instances"
FIELDS = (  # of the meta information, all of them lists
    *("Contributors", "Source", "Type", "BibTex", "URL", "Reasoning", "Prompt", "Categories", "Definition"),
    *("Input_language", "Output_language", "Instruction_language", "Domains", "Instance_number"),
    *("Positive Examples", "Negative Examples"),
)
SIDES = ("tune", "eval")
_META, _DATA = ".meta.json", ".data.json"
_NAME = re.compile(r"task_[0-9]{3}_(.+)")


@dataclass(frozen=True, slots=True)
class TaskFiles:
    """The files of a task; ``meta`` is that of the data in the form of one file, None where it is missing."""

    name: str
    data: Path
    meta: Path | None

    @property
    def source(self) -> str:
        """The name without the number of the task, if it has one."""
        found = _NAME.fullmatch(self.name)
        return found[1] if found else self.name


def find_tasks(folder: Path) -> list[TaskFiles]:
    """Find the tasks of a folder, by name.

    Raises:
        SeluError: there is none, a name is there in both forms, or meta information has no data.
    """
    if not folder.is_dir():
        raise SeluError(f"{folder} is not a folder: name the one that the archive's task files are in.")
    files = {path.name: path for path in folder.iterdir() if path.suffix == ".json"}
    found = {}
    for name in sorted(files):
        if name.endswith(_DATA):
            bare = name.removesuffix(_DATA)
            found[bare] = TaskFiles(bare, files[name], files.get(f"{bare}{_META}"))
        elif not name.endswith(_META):
            bare = name.removesuffix(".json")
            if f"{bare}{_DATA}" in files:
                raise SeluError(f"{files[name]}: {bare}{_DATA} is the same task; remove one of the two.")
            found[bare] = TaskFiles(bare, files[name], files[name])
    alone = [name for name in files if name.endswith(_META) and name.removesuffix(_META) not in found]
    if alone:
        data = f"{min(alone).removesuffix(_META)}{_DATA}"
        raise SeluError(f"{files[min(alone)]} has no {data} beside it: add it.")
    if not found:
        forms = f"NAME{_META} with NAME{_DATA}, or NAME.json"
        raise SeluError(f"{folder} has no task ({forms}): name another folder.")
    return list(found.values())


def read_meta(task: TaskFiles) -> Mapping[str, object]:
    """Read the metadata of a task as they are; ``check.meta_problems`` lists their faults.

    Raises:
        SeluError: it is missing, or its file is damaged.
    """
    if task.meta is None:
        raise SeluError(f"{task.data} has no {task.name}{_META} beside it: add it.")
    if task.meta == task.data:
        return {found.field: found.value for found in read_values(task.data, INSTANCES) if found.entry is None}
    return _object(task.meta)


def read_rows(task: TaskFiles) -> Iterator[tuple[int, object]]:
    """Read the entries of a task's instances with their numbers, of any form, like ``read_values``."""
    for found in read_values(task.data, INSTANCES):
        if found.entry is not None:
            yield found.entry, found.value


def read_instances(task: TaskFiles) -> Iterator[Instance]:
    """Read the instances of a task, one at a time.

    Raises:
        SeluError: the file is damaged, or an entry is no instance; names file and number.
    """
    for index, value in read_rows(task):
        instance = as_instance(value)
        if isinstance(instance, str):
            raise SeluError(f"{task.data}: {INSTANCES}[{index}] {instance}: correct it.")
        yield instance


def as_instance(value: object) -> Instance | str:
    """Return an entry as an instance, or the reason why it is not one."""
    if not isinstance(value, dict):
        return "is not an object with input, output, split and idx"
    for name in ("input", "output", "split", "idx"):
        if name not in value:
            return f"has no field {name}"
    for name in ("input", "output"):
        text = value[name]
        if not isinstance(text, str) and not (
            isinstance(text, list) and all(isinstance(part, str) for part in text)
        ):
            return f"has an {name} that is neither a text nor a list of texts"
    if not isinstance(value["split"], str):
        return "has a split that is not text"
    if type(value["idx"]) not in (str, int):
        return "has an idx that is neither a text nor a whole number"
    return Instance(value["input"], value["output"], value["split"], value["idx"])


@dataclass(frozen=True, slots=True)
class Sides:
    """The names of the tasks of a split."""

    tune: tuple[str, ...]
    eval: tuple[str, ...]


def read_split(path: Path, known: Collection[str]) -> Sides:
    """Read a split's file.

    Args:
        known: tasks by name.

    Raises:
        SeluError: the file is damaged, a side is not a list of names, names an unknown task or one twice, or a
            task is on both sides.
    """
    found = _object(path)
    sides = []
    for side in SIDES:
        names = found.get(side)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise SeluError(f"{path}: {side} is not a list of names of tasks: correct it.")
        for index, name in enumerate(names):
            if name not in known:
                raise SeluError(f"{path}: {side}[{index}], {name!r}, is not a task of the folder: correct it.")
            if name in names[:index]:
                raise SeluError(f"{path}: {side}[{index}], {name!r}, occurs twice: keep one.")
        sides.append(tuple(names))
    if shared := sorted(set(sides[0]) & set(sides[1])):
        raise SeluError(f"{path}: {shared[0]!r} is on both sides: keep it on one.")
    return Sides(*sides)


def _object(path: Path) -> Mapping[str, object]:
    try:
        found = json.loads(path.read_text("utf-8-sig"))  # Windows writes a byte order mark
    except FileNotFoundError:
        raise SeluError(f"{path} is missing: add it.") from None
    except OSError as error:
        raise SeluError(f"{path} can't be read ({error.strerror or error}): get the file again.") from None
    except (ValueError, RecursionError) as error:
        raise SeluError(f"{path} is not JSON ({error}): get the file again.") from None
    if not isinstance(found, dict):
        raise SeluError(f"{path} is not an object of fields: get the file again.")
    return found
