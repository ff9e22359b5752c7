"""The declarations in ``data/synthetic/selu``: read and checked, so that an error is named by its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from selu.vocabulary import SeluError, Task

_STRICT = {"extra": "forbid"}
BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
NUMBER = re.compile(r"#(?:(hash|short)|n (\d+) (\d+))")
PART = re.compile(r"([a-z_]+)(?:([*#])([1-9]\d*))?")
BLOCK = {
    "markdown": "```\n%s\n```",
    "jira": "{noformat}\n%s\n{noformat}",
    "html": "<pre><code>%s\n</code></pre>",
}
_SLOT = re.compile(r"([a-z_]+)(\+|:[a-z])?")


@dataclass(frozen=True, slots=True)
class Shape:
    """How ``rows`` rows are built: one part a paragraph, each naming pools (see the README of the folder)."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT

    rows: int
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Copies:
    """Planted duplicates: rows of label ``of`` again, as ``labelled``; with a fragment of ``add`` near ones."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT

    rows: int
    of: str
    labelled: str
    add: str | None = None


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a file of the folder declares."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT

    task: str
    seed: int
    layout: str
    group: str
    rows: int
    labels: dict[str, int]
    slots: dict[str, tuple[str, ...]]
    pools: dict[str, tuple[str, ...]]
    shapes: dict[str, tuple[Shape, ...]]
    copies: tuple[Copies, ...]


def read(path: Path, task: Task) -> Recipe:
    """Read the recipe of a task, checked as far as it can be before it is used.

    Raises:
        SeluError: the file is missing or wrong; names the file and the place in it.
    """
    import yaml
    from pydantic import TypeAdapter, ValidationError

    try:
        record = yaml.load(path.read_text("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except FileNotFoundError:
        raise SeluError(f"{path} is missing: there are no synthetic rows for {path.stem}.") from None
    except (OSError, ValueError, yaml.YAMLError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}" if mark else ""
        raise SeluError(f"{path}{place} is not YAML: fix it, or restore it from git.") from None
    if isinstance(record, dict):
        record = {key: _lines(value) if key in ("slots", "pools") else value for key, value in record.items()}
    try:
        recipe = TypeAdapter(Recipe).validate_python(record)
    except ValidationError as error:
        first = error.errors()[0]
        raise wrong(path, ".".join(map(str, first["loc"])) or "the file", first["msg"]) from None
    _check(recipe, task, path)
    _check_fragments(recipe, path)
    return recipe


def _lines(pools: Any) -> Any:
    """Pools written as a block of text hold one fragment a line; those written as a list are left."""
    if not isinstance(pools, dict):
        return pools
    return {
        name: value.strip("\n").split("\n") if isinstance(value, str) else value
        for name, value in pools.items()
    }


def wrong(path: Path, place: str, what: str) -> SeluError:
    """Return the refusal of a recipe, with the place in the file."""
    return SeluError(f"{path}: {place}: {what}; fix it, or restore the file from git.")


def _check(recipe: Recipe, task: Task, path: Path) -> None:
    names = [label.name for label in task.labels]
    if recipe.task != task.id:
        raise wrong(path, "task", f"{recipe.task!r} is not {task.id!r}")
    if recipe.layout not in BLOCK:
        raise wrong(path, "layout", f"{recipe.layout!r} is not one of {', '.join(BLOCK)}")
    used = [("labels", name) for name in recipe.labels] + [("shapes", name) for name in recipe.shapes]
    for n, copies in enumerate(recipe.copies):
        used += [(f"copies.{n}.of", copies.of), (f"copies.{n}.labelled", copies.labelled)]
    for place, name in used:
        if name not in names:
            raise wrong(path, place, f"unknown label {name!r}, the task has {', '.join(names)}")
    for name in names:
        if name not in recipe.labels or name not in recipe.shapes:
            raise wrong(path, "labels and shapes", f"label {name!r} has none")
        made = sum(shape.rows for shape in recipe.shapes[name])
        made += sum(copies.rows for copies in recipe.copies if copies.labelled == name)
        if made != recipe.labels[name]:
            raise wrong(path, f"labels.{name}", f"{recipe.labels[name]} rows declared, {made} would be made")
    if sum(recipe.labels.values()) != recipe.rows:
        raise wrong(
            path, "rows", f"{recipe.rows} declared, but the labels add up to {sum(recipe.labels.values())}"
        )


def _check_fragments(recipe: Recipe, path: Path) -> None:
    wanted = {recipe.group: "group"}
    for kind, pools in (("slots", recipe.slots), ("pools", recipe.pools)):
        for name, fragments in pools.items():
            if not fragments:
                raise wrong(path, f"{kind}.{name}", "holds no fragment")
            for n, fragment in enumerate(fragments):
                place = f"{kind}.{name}.{n}"
                if not fragment.strip():
                    raise wrong(path, place, "empty fragment")
                for slot in _slots_of(fragment, place, path):
                    wanted.setdefault(slot, place)
                    if kind == "slots" and list(recipe.slots).index(name) <= _position(recipe.slots, slot):
                        # Slots may only name earlier ones, so that none can contain itself.
                        raise wrong(path, place, f"slot {slot!r} is not declared above it")
    for slot, place in wanted.items():
        if slot not in recipe.slots:
            raise wrong(path, place, f"slot {slot!r} is not declared under slots")
    for place, name in _pools_of(recipe, path):
        if name not in recipe.pools:
            raise wrong(path, place, f"pool {name!r} is not declared under pools")


def _position(slots: Mapping[str, object], name: str) -> int:
    return list(slots).index(name) if name in slots else -1


def _slots_of(fragment: str, place: str, path: Path) -> Iterator[str]:
    for match in BRACES.finditer(fragment):
        inside = match.group(1)
        number = NUMBER.fullmatch(inside or "")
        if number and number.group(2) and int(number.group(2)) > int(number.group(3)):
            raise wrong(path, place, f"{match.group()!r} counts down")
        if match.group() in ("{{", "}}") or number:
            continue
        slot = _SLOT.fullmatch(inside or "")
        if not slot:
            raise wrong(path, place, f"{match.group()!r} names no slot; a brace itself is written twice")
        yield slot.group(1)


def _pools_of(recipe: Recipe, path: Path) -> Iterator[tuple[str, str]]:
    for label, shapes in recipe.shapes.items():
        for n, shape in enumerate(shapes):
            place = f"shapes.{label}.{n}"
            words = [word for part in shape.parts for word in part.split()]
            if not words or shape.rows < 1:
                raise wrong(path, place, "a shape needs parts and at least one row")
            for word in words:
                match = PART.fullmatch(word)
                if not match:
                    raise wrong(path, place, f"{word!r} is not a pool, pool*lines or pool#lines")
                yield place, match.group(1)
    for n, copies in enumerate(recipe.copies):
        if copies.rows < 1:
            raise wrong(path, f"copies.{n}", "needs at least one row")
        if copies.add is not None:
            yield f"copies.{n}.add", copies.add
