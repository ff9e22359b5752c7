"""A JSON file of any size, read a value at a time: fields of its object, and entries of one of them.

A file of the collection has up to some ten million instances in one list; no more than one value and a piece of
the file are in memory. Errors name the file, and the entry by its number from 0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TextIO

from selu.vocabulary import SeluError

PIECE = 1 << 20  # characters that are read at once
LONGEST = 64 << 20  # characters that one value may have
_NEAR = 16  # an error so close to the end of what was read may be one of the reading
_BLANKS = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"[-+.0-9eE]*")


class _TwiceError(Exception):
    """An object with a duplicate field, of which the library would keep the last."""


def _object(pairs: list[tuple[str, object]]) -> Mapping[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


class Found(NamedTuple):
    """A value of a file: of a field, or with its number of an entry of the field that is read by entries."""

    field: str
    entry: int | None
    value: Any


def read_values(path: Path, entries_of: str) -> Iterator[Found]:
    """Read the fields of a file's object, one of them by its entries.

    Raises:
        SeluError: the file can't be read, is not UTF-8 or not JSON, is cut short, has another form than an
            object whose named field is a list, has a field twice, or a value of more than 64 million
            characters.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            yield from _Reader(path, stream).fields(entries_of)
    except UnicodeDecodeError as error:
        raise SeluError(f"{path} is not UTF-8 ({error.reason}): get the file again.") from None
    except OSError as error:
        raise SeluError(f"{path} can't be read ({error.strerror or error}): get the file again.") from None


class _Reader:
    def __init__(self, path: Path, stream: TextIO) -> None:
        self.path, self.stream = path, stream
        self.text, self.at, self.ended = "", 0, False
        self.place = "its beginning"

    def fields(self, entries_of: str) -> Iterator[Found]:
        self.expect("{", "an object")
        names = set[str]()
        while self.has_next(names, "}"):
            self.place = "the name of a field"
            name = self.value()
            if not isinstance(name, str):
                self.refuse("is not text")
            if name in names:
                raise SeluError(f"{self.path}: the field {name!r} occurs twice: keep one of the two.")
            names.add(name)
            self.place = f"the field {name!r}"
            self.expect(":", "a colon")
            if name == entries_of:
                yield from self.entries(name)
            else:
                yield Found(name, None, self.value())
        if self.peek():
            self.refuse("goes on after its end")
        if entries_of not in names:
            raise SeluError(f"{self.path} has no field {entries_of!r}: it is not a file of instances.")

    def entries(self, name: str) -> Iterator[Found]:
        self.expect("[", "a list")
        number = 0
        while self.has_next(number, "]"):
            self.place = f"{name}[{number}]"
            yield Found(name, number, self.value())
            number += 1

    def has_next(self, before: object, end: str) -> bool:
        """Step over the comma before the next value; return False at the end."""
        if self.peek() == end:
            self.at += 1
            return False
        if before:
            self.expect(",", "a comma or the end")
        return True

    def peek(self) -> str:
        """Return the next character that is no blank, without stepping over it; empty at the end."""
        while True:
            match = _BLANKS.match(self.text, self.at)
            self.at = match.end() if match else self.at
            if self.at < len(self.text):
                return self.text[self.at]
            if self.ended:
                return ""
            self.fill()

    def expect(self, sign: str, means: str) -> None:
        if (found := self.peek()) != sign:
            self.refuse(f"has {found!r} where {means} is due" if found else "is cut short")
        self.at += 1

    def value(self) -> object:
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated") or error.pos >= len(self.text) - _NEAR
                if self.ended or not cut:
                    self.refuse("is cut short" if cut else f"is not JSON ({error.msg})")
            except _TwiceError as error:
                self.refuse(f"has {str(error)!r} twice")
            except RecursionError:
                self.refuse("is nested too deeply")
            else:
                if self.ended or self.is_whole(value, end):
                    self.at = end
                    return value
            if len(self.text) - self.at > LONGEST:
                self.refuse(f"has more than {LONGEST:,} characters")
            self.fill()

    def is_whole(self, value: object, end: int) -> bool:
        """Return whether a value was read to its end: a number may continue in the next piece."""
        of_number = isinstance(value, int | float) and _NUMBER.match(self.text, self.at)
        return (of_number.end() if of_number else end) < len(self.text)

    def fill(self) -> None:
        """Read on, more of it the longer the value is that has no end yet."""
        kept = self.text[self.at :]
        piece = self.stream.read(max(PIECE, len(kept)))
        self.text, self.at, self.ended = kept + piece, 0, not piece

    def refuse(self, what: str) -> NoReturn:
        raise SeluError(f"{self.path}: {self.place} {what}: get the file again.") from None
