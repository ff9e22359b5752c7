"""Check of the files of a collection: problems by file and entry, and sizes.

A task's rows are read one at a time. Of each row eight bytes are kept, by which an id that occurs twice is
found; whatever else is counted does not grow with the rows.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from selu.papers.crosscodebench.collection import archive
from selu.papers.crosscodebench.collection.instances import Text, joined
from selu.vocabulary import SeluError

LONG = 1_000_000  # characters: about what all of one program has, and no model reads
SHOWN = 20  # places of one kind of problem in one file
COMPARED = 200  # first rows of a task, which distinguish it from the reversed task
EXAMPLES = 4  # of each kind, as published
Rows = Callable[[], Iterable[tuple[int, object]]]
_CODE = re.compile(r"[{}()\[\];=<>/\\|&*+_$]|\w\.\w")  # signs that English seldom has


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem: its kind, its file, its place there (empty: the whole file), and a description."""

    kind: str
    file: str
    place: str
    says: str


@dataclass(slots=True)
class Checked:
    """A task that was read: its size, and its problems.

    Attributes:
        words: of inputs and outputs, summed over the rows.
        code: share of the signs of code among their characters, of the first rows.
        first: hashes of the first rows, by which two tasks are compared.
        counts: of each kind of problem; ``problems`` has the first places alone.
    """

    name: str
    meta: Mapping[str, Any] = field(default_factory=dict)
    rows: int = 0
    parts: Counter[str] = field(default_factory=Counter)
    words: dict[str, int] = field(default_factory=lambda: {"input": 0, "output": 0})
    code: dict[str, float] = field(default_factory=dict)
    first: frozenset[tuple[int, int]] = frozenset()
    problems: list[Problem] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def note(self, kind: str, file: Path, place: str, says: str) -> None:
        """Count a problem, and keep its place if there are few."""
        self.counts[kind] += 1
        if self.counts[kind] <= SHOWN:
            self.problems.append(Problem(kind, str(file), place, says))


def check_task(task: archive.TaskFiles) -> Checked:
    """Read all of a task; every fault becomes a problem, so that other tasks are read, too."""
    found = Checked(task.name)
    try:
        found.meta = archive.read_meta(task)
    except SeluError as error:
        found.note("damaged meta information", task.meta or task.data, "", str(error))
    else:
        for place, says in meta_problems(found.meta):
            found.note("meta information", task.meta or task.data, place, says)
    try:
        check_rows(found, task.data, lambda: archive.read_rows(task))
    except SeluError as error:
        found.note("damaged data", task.data, "", str(error))
    _check_total(task, found)
    if found.rows and (turned := direction(found)):
        found.note("wrong direction", task.data, "", turned)
    return found


def check_rows(found: Checked, file: Path, read: Rows) -> None:
    """Read the entries of a task, count them, and record the faults of each.

    Args:
        read: begins to read them again: their numbers, and entries in the published form.

    Raises:
        SeluError: as reading does.
    """
    ids = array("Q")
    signs, length = Counter[str](), Counter[str]()
    first, equal = set[tuple[int, int]](), 0
    outputs = set[str]()  # at most two: whether there is more than one is asked
    for index, value in read():
        place = f"{archive.INSTANCES}[{index}]"
        instance = archive.as_instance(value)
        if isinstance(instance, str):
            found.note("no instance", file, place, instance)
            continue
        texts = {"input": joined(instance.input), "output": joined(instance.output)}
        found.rows += 1
        found.parts[instance.split] += 1
        for name, text in texts.items():
            found.words[name] += text.count(" ") + 1
            if not text.strip() or _has_empty(getattr(instance, name)):
                found.note("empty text", file, place, f"has an empty {name}")
            elif len(text) > LONG:
                found.note("long text", file, place, f"has an {name} of {len(text):,} characters")
            if index < COMPARED:
                signs[name] += len(_CODE.findall(text))
                length[name] += len(text)
        if texts["input"] == texts["output"]:
            equal += 1
            found.note("input equal to output", file, place, "has an output that is its input")
        if len(outputs) < 2:
            outputs.add(texts["output"])
        if index < COMPARED:
            first.add((hash(texts["input"]), hash(texts["output"])))
        ids.append(hash((instance.split, instance.idx)) & (1 << 64) - 1)
    found.code = {name: signs[name] / max(1, length[name]) for name in texts} if found.rows else {}
    found.first = frozenset(first)
    if not found.rows:
        found.note("no rows", file, archive.INSTANCES, "has no instance")
    elif equal == found.rows:
        found.note("all outputs are inputs", file, "", "gives every input as its output")
    elif found.rows > 1 and len(outputs) == 1:
        found.note("all outputs equal", file, "", f"has one output for all {found.rows:,} instances")
    for place, says in _twice(read, ids):
        found.note("id twice", file, place, says)


def _has_empty(text: Text) -> bool:
    return isinstance(text, list) and (not text or not all(part.strip() for part in text))


def _twice(read: Rows, ids: array[int]) -> Iterator[tuple[str, str]]:
    """Find ids that are there twice; the rows are read again only where hashes say so."""
    import numpy as np

    numbers = np.frombuffer(ids, dtype=np.uint64) if ids else np.array([], dtype=np.uint64)
    numbers = np.sort(numbers)
    again = set(numbers[1:][numbers[1:] == numbers[:-1]].tolist())
    del numbers
    if not again:
        return
    seen: dict[tuple[str, str | int], int] = {}
    for index, value in read():
        instance = archive.as_instance(value)
        if isinstance(instance, str):
            continue
        id = (instance.split, instance.idx)
        if hash(id) & (1 << 64) - 1 in again:
            if id in seen:
                where = f"{archive.INSTANCES}[{seen[id]}]"
                yield f"{archive.INSTANCES}[{index}]", f"has the id {id[1]!r} of part {id[0]!r}, as {where}"
            elif len(seen) < 1 << 16:
                seen[id] = index


def meta_problems(meta: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the faults of metadata: the field, and what is missing, empty or of another form."""
    for name in archive.FIELDS:
        values = meta.get(name)
        if name not in meta:
            yield name, "is missing"
        elif not isinstance(values, list):
            yield name, "is not a list"
        elif not values or values == [""]:
            yield name, "is empty"
        elif name == "Instance_number":
            if not isinstance(values[0], dict) or type(values[0].get("total")) is not int:
                yield name, "has no total"
        elif name.endswith("Examples"):
            yield from _example_problems(name, values)
        elif not all(isinstance(value, str) for value in values):
            yield name, "has an entry that is not text"


def _example_problems(name: str, examples: Sequence[object]) -> Iterator[tuple[str, str]]:
    if len(examples) != EXAMPLES:
        yield name, f"has {len(examples)} entries instead of {EXAMPLES}"
    for index, example in enumerate(examples):
        missing = [
            part
            for part in ("input", "output", "reason")
            if not isinstance(example, dict) or part not in example
        ]
        if missing:
            yield f"{name}[{index}]", f"has no {' and no '.join(missing)}"


def _check_total(task: archive.TaskFiles, found: Checked) -> None:
    try:
        total = found.meta["Instance_number"][0]["total"]
    except (KeyError, IndexError, TypeError):
        return
    if total != found.rows and "damaged data" not in found.counts:
        says = f"says {total:,} instances; {found.rows:,} were read" if type(total) is int else "has no total"
        found.note("meta information", task.meta or task.data, "Instance_number", says)


def _languages(meta: Mapping[str, object], name: str) -> list[str]:
    names = meta.get(name)
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def direction(found: Checked) -> str:
    """Return the direction of a task of code and English if swapped, by signs of code in its first rows."""
    kinds = []
    for name in ("Input_language", "Output_language"):
        languages = _languages(found.meta, name)
        kinds.append({language.partition(" -> ")[0] for language in languages} if languages else set())
    if kinds not in (
        [{"Natural Language"}, {"Programming Language"}],
        [{"Programming Language"}, {"Natural Language"}],
    ):
        return ""
    code, english = ("output", "input") if kinds[0] == {"Natural Language"} else ("input", "output")
    if found.code[code] >= found.code[english]:
        return ""
    return (
        f"says that its {code} is code, but of the characters of its {english} {found.code[english]:.1%} are "
        f"signs of code, and of its {code} {found.code[code]:.1%}"
    )


def check_directions(tasks: Iterable[Checked], files: Mapping[str, archive.TaskFiles]) -> None:
    """Find tasks with each other's languages turned round, and the same rows: one of them is wrong."""
    by_languages: dict[tuple[str, str], list[Checked]] = {}
    for task in tasks:
        sides = [" ".join(_languages(task.meta, name)) for name in ("Input_language", "Output_language")]
        for other in by_languages.get((sides[1], sides[0]), ()) if sides[0] != sides[1] else ():
            if same := len(task.first & other.first):
                says = f"has the other direction of {other.name}, but {same} of its first rows are the same"
                task.note("wrong direction", files[task.name].data, "", says)
        by_languages.setdefault((sides[0], sides[1]), []).append(task)


def check_folder(folder: Path, progress: Callable[[str], None] = lambda _: None) -> list[Checked]:
    """Check the tasks of a folder, one after the other.

    Raises:
        SeluError: the folder has no tasks.
    """
    files = {task.name: task for task in archive.find_tasks(folder)}
    found = []
    for task in files.values():
        progress(task.name)
        found.append(check_task(task))
    check_directions(found, files)
    return found
