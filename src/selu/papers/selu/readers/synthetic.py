"""Composes the project's own synthetic rows for the tasks whose data can't be had openly.

The sentences stand in ``data/synthetic/selu/<task>.yaml``: pools of fragments with slots, shapes that say which
fragments make a row of which label, and planted copies. This module only deals them out. All chance comes from
``random.Random(seed).random()``, the one method whose numbers Python promises to keep between versions.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from selu.papers.selu.readers.synthetic_recipe import BLOCK, BRACES, NUMBER, PART, Recipe, read, wrong
from selu.vocabulary import Task

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
_ATTEMPTS = 50  # tries to compose a text that isn't there yet


@dataclass(frozen=True, slots=True)
class _Row:
    text: str
    label: str
    group: str


def rows(task: Task, folder: Path) -> pd.DataFrame:
    """Return the synthetic rows of a task: id, text, label (index), group, source; same bytes on every run.

    Args:
        folder: holds ``<task id>.yaml``.

    Raises:
        SeluError: the file is missing or wrong; names the file and the place in it.
    """
    import pandas as pd

    path = folder / f"{task.id}.yaml"
    composed = _compose(read(path, task), task, path)
    index = {label.name: i for i, label in enumerate(task.labels)}
    return pd.DataFrame(
        {
            "id": [f"s{n:06d}" for n in range(len(composed))],
            "text": [row.text for row in composed],
            "label": pd.Series([index[row.label] for row in composed], dtype="int64"),
            "group": [row.group for row in composed],
            "source": [f"synthetic:{n}" for n in range(1, len(composed) + 1)],
        }
    )


def _joined(text: str, piece: str) -> str:
    return text + piece if not text or piece[0] in ",.!?…" else f"{text} {piece}"


class _Deck:
    """Deals every value once, in drawn order, before it deals one again."""

    def __init__(self, values: Sequence[str], stream: random.Random) -> None:
        self._values, self._stream = values, stream
        self._left: list[str] = []
        self.dealt = 0

    def deal(self) -> str:
        if not self._left:
            self._left = _shuffled(self._values, self._stream)
        self.dealt += 1
        return self._left.pop()

    @property
    def unused(self) -> str | None:
        """One of the values that were never drawn."""
        return None if self.dealt >= len(self._values) else (self._left or self._values)[0]


def _below(stream: random.Random, limit: int) -> int:
    return int(stream.random() * limit)


def _shuffled(values: Sequence[T], stream: random.Random) -> list[T]:
    """Shuffle by Fisher and Yates; the library's own may draw otherwise in another version of Python."""
    order = list(values)
    for last in range(len(order) - 1, 0, -1):
        other = _below(stream, last + 1)
        order[last], order[other] = order[other], order[last]
    return order


class _Writer:
    """Fills shapes with fragments and fragments with slots."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.stream = random.Random(recipe.seed)
        self.slots = {name: _Deck(values, self.stream) for name, values in recipe.slots.items()}
        self.pools = {name: _Deck(values, self.stream) for name, values in recipe.pools.items()}
        self._filled: dict[str, str] = {}

    def write(self, parts: Sequence[str]) -> tuple[str, str]:
        """Return text and group of one row."""
        self._filled = {}
        group = self._fill(f"{{{self.recipe.group}}}")
        return "\n\n".join(self._paragraph(part) for part in parts), group

    def add(self, text: str, pool: str, group: str) -> str:
        """Return the text with one more fragment at its end."""
        self._filled = {self.recipe.group: group}
        added = self._paragraph(pool)
        if "\n\n" in text:
            return f"{text}\n\n{added}"
        return _joined(text, added)

    def _paragraph(self, part: str) -> str:
        text = ""
        for piece in map(self._piece, part.split()):
            text = _joined(text, piece)
        if self.recipe.layout != "html" or text.startswith("<") or part.endswith("title"):
            return text
        return f"<p>{text}</p>"

    def _piece(self, word: str) -> str:
        match = PART.fullmatch(word)
        assert match is not None  # read() saw to it
        name, how, count = match.groups()
        text = "\n".join(self._fill(self.pools[name].deal()) for _ in range(int(count or 1)))
        return BLOCK[self.recipe.layout] % text if how == "#" else text

    def _fill(self, fragment: str) -> str:
        return BRACES.sub(self._value, fragment)

    def _value(self, match: re.Match[str]) -> str:
        inside = match.group(1)
        if inside is None:
            return match.group()[0]
        number = NUMBER.fullmatch(inside)
        if number:
            return self._number(*number.groups())
        name, _, _ = inside.rstrip("+").partition(":")
        if inside in self._filled:
            return self._filled[inside]
        value = self._fill(self.slots[name].deal())
        if inside.endswith("+"):
            return value
        if value in self._filled.values():  # {name} and {name:b} stand for two things
            value = self._fill(self.slots[name].deal())
        self._filled[inside] = value
        return value

    def _number(self, digits: str | None, low: str, high: str) -> str:
        if digits is None:
            return str(int(low) + _below(self.stream, int(high) - int(low) + 1))
        return "".join(
            "0123456789abcdef"[_below(self.stream, 16)] for _ in range(40 if digits == "hash" else 7)
        )


def _compose(recipe: Recipe, task: Task, path: Path) -> list[_Row]:
    """Return all rows in their final order; every fragment is used at least once."""
    writer = _Writer(recipe)
    made: list[_Row] = []
    seen: set[str] = set()
    for label in task.labels:
        for n, shape in enumerate(recipe.shapes[label.name]):
            for _ in range(shape.rows):
                for _ in range(_ATTEMPTS):
                    text, group = writer.write(shape.parts)
                    if text not in seen:
                        break
                else:
                    raise wrong(path, f"shapes.{label.name}.{n}", "too few fragments for this many rows")
                seen.add(text)
                made.append(_Row(text, label.name, group))
    made += _copies(recipe, made, writer, path)
    for kind, decks in (("slots", writer.slots), ("pools", writer.pools)):
        for name, deck in decks.items():
            if deck.unused is not None:
                raise wrong(path, f"{kind}.{name}", f"fragment {deck.unused!r} is never used")
    return _shuffled(made, writer.stream)


def _copies(recipe: Recipe, made: Sequence[_Row], writer: _Writer, path: Path) -> list[_Row]:
    """Return planted duplicates; near ones start from longer rows, where one more sentence changes little."""
    copied: list[_Row] = []
    taken: set[str] = set()
    for n, copies in enumerate(recipe.copies):
        sources = [row for row in made if row.label == copies.of and row.text not in taken]
        if copies.add is not None:
            sources = sorted(sources, key=lambda row: -len(row.text.split()))[: len(sources) // 3]
        if len(sources) < copies.rows:
            raise wrong(path, f"copies.{n}", f"only {len(sources)} rows can be copied")
        for row in _shuffled(sources, writer.stream)[: copies.rows]:
            text = row.text if copies.add is None else writer.add(row.text, copies.add, row.group)
            copied.append(_Row(text, copies.labelled, row.group))
            taken.add(row.text)
    return copied
