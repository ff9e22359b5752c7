"""Patches in git's form: the files that they change, their changed lines, and whether they are well-formed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from pathlib import PurePosixPath

NOTHING = "/dev/null"  # the name of a file that is not there, before or after
NO_END = "\\ No newline at end of file"
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@", re.ASCII)
_HEAD = re.compile(r"diff --git (?:\"?)a/(.*?)(?:\"?) (?:\"?)b/(.*?)(?:\"?)\Z")


class Fault(StrEnum):
    """Why a patch can't be applied to any file."""

    EMPTY = "no patch"
    NO_CHANGE = "no changed file"
    COUNTS = "a hunk has other lines than its head counts"
    OUTSIDE = "path outside the tree"
    BINARY = "binary file"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines from ``start`` (from 1 up) of the old file, and what they become; each with its end of line."""

    start: int
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """What a patch does to a file.

    Attributes:
        path: of the new file, or the old one where it is deleted.
        created: whether there was no such file before.
        lines: that are removed or added, with their sign, without their ends.
    """

    path: str
    created: bool
    hunks: tuple[Hunk, ...]
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Patch:
    """The changed files in their order, and what is wrong with the patch, if anything is."""

    changes: tuple[Change, ...]
    fault: Fault | None

    @property
    def files(self) -> tuple[str, ...]:
        """The changed files in their order."""
        return tuple(change.path for change in self.changes)

    @property
    def lines(self) -> str:
        """All removed and added lines with their signs, in their order."""
        return "".join(f"{line}\n" for change in self.changes for line in change.lines)

    @property
    def after(self) -> str:
        """What the changed places hold after the patch, with the lines around them that it shows."""
        return "".join(line for change in self.changes for hunk in change.hunks for line in hunk.new)


def is_inside(path: str) -> bool:
    """Tell whether a path stays in the tree, on every system."""
    parts = PurePosixPath(path).parts
    return bool(parts) and not (
        path.startswith("/") or ".." in parts or "\\" in path or "\0" in path or ":" in parts[0]
    )


def read(text: str) -> Patch:
    """Read a patch as far as it can be read; nothing raises, ``fault`` names the first thing that is wrong."""
    if not text.strip():
        return Patch((), Fault.EMPTY)
    changes, faults = [], []
    for body in _bodies(text.split("\n")):
        change, fault = _read_change(body)
        changes.append(change)
        faults += [fault] if fault else []
    if not changes and not faults:
        faults.append(Fault.NO_CHANGE)
    return Patch(tuple(changes), faults[0] if faults else None)


def _bodies(lines: list[str]) -> Iterator[list[str]]:
    """Part a patch by file; a ``---`` line begins one where no ``diff --git`` line does."""
    starts = [number for number, line in enumerate(lines) if line.startswith("diff --git ")]
    if not starts:
        starts = [
            number
            for number, line in enumerate(lines[:-1])
            if line.startswith("--- ") and lines[number + 1].startswith("+++ ")
        ]
    for start, stop in pairwise([*starts, len(lines)]):
        yield lines[start:stop]


def _read_change(body: list[str]) -> tuple[Change, Fault | None]:
    head = _HEAD.match(body[0].rstrip("\r"))
    old, new = (head[1], head[2]) if head else ("", "")
    first = next((number for number, line in enumerate(body) if line.startswith("@@ ")), len(body))
    for line in body[:first]:
        if line.startswith("--- "):
            old = _path(line)
        elif line.startswith("+++ "):
            new = _path(line)
        elif line.startswith(("GIT binary patch", "Binary files ")):
            return Change(new or old, False, (), ()), Fault.BINARY
    hunks, signed, fault = _read_hunks(body[first:])
    if not all(is_inside(path) for path in {old, new} - {NOTHING}):
        fault = Fault.OUTSIDE
    created = old == NOTHING or any(line.startswith("new file mode ") for line in body[:first])
    return Change(old if new == NOTHING else new, created, hunks, signed), fault


def _path(line: str) -> str:
    name = line[4:].split("\t")[0].rstrip().strip('"')
    return name[2:] if name[:2] in ("a/", "b/") else name


def _read_hunks(lines: list[str]) -> tuple[tuple[Hunk, ...], tuple[str, ...], Fault | None]:
    hunks: list[Hunk] = []
    signed: list[str] = []
    fault, at = None, 0
    while at < len(lines):
        head = _HUNK.match(lines[at])
        at += 1
        if head is None:  # what stands between hunks, or after the last one
            continue
        start, wanted = int(head[1]), [1 if head[place] is None else int(head[place]) for place in (2, 4)]
        sides: tuple[list[str], list[str]] = ([], [])
        while at < len(lines) and (len(sides[0]) < wanted[0] or len(sides[1]) < wanted[1]):
            sign, line = lines[at][:1], lines[at][1:]
            if lines[at] == "" and at + 1 < len(lines):  # an editor took the blank of an empty line away
                sign = " "
            if sign not in (" ", "-", "+"):
                break
            for side, signs in zip(sides, (" -", " +"), strict=True):
                side.extend([f"{line}\n"] if sign in signs else [])
            signed += [sign + line] if sign in "-+" else []
            at += 1
            if at < len(lines) and lines[at].startswith("\\ "):
                for side, signs in zip(sides, (" -", " +"), strict=True):
                    if sign in signs:
                        side[-1] = side[-1].removesuffix("\n")
                at += 1
        if [len(side) for side in sides] != wanted:
            fault = Fault.COUNTS
        hunks.append(Hunk(start, tuple(sides[0]), tuple(sides[1])))
    return tuple(hunks), tuple(signed), fault
