"""Patches in git's form: the files that they change, their changed lines, and whether they are well-formed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

NOTHING = "/dev/null"  # the name of a file that is not there, before or after
NO_END = "\\ No newline at end of file"
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@", re.ASCII)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_LETTERS = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
_MOVED = ("rename from ", "rename to ", "copy from ", "copy to ")
_ENOUGH = ("old mode ", "new mode ", "new file mode ", "deleted file mode ", *_MOVED)  # change without a hunk
_FIELDS = (*_ENOUGH, "similarity index ", "dissimilarity index ", "index ", "--- ", "+++ ")
_BINARY = ("GIT binary patch", "Binary files ")


class Fault(StrEnum):
    """Why a patch can't be applied to any file."""

    EMPTY = "no patch"
    NO_CHANGE = "no changed file"
    NO_HUNK = "no hunk"
    COUNTS = "a hunk has other lines than its head counts"
    OUTSIDE = "path outside the tree"
    NO_PREFIX = "a name without the first part (as a/) that git takes off"
    BINARY = "binary file"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines from ``start`` (from 1 up) of the old file, and their replacement; each with its line break."""

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
    """The changed files in their order, and the patch's fault, if it has one."""

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
        """The changed places after the patch, with the context lines that it shows."""
        return "".join(line for change in self.changes for hunk in change.hunks for line in hunk.new)


def is_inside(path: str) -> bool:
    """Return whether a path stays in the tree, on every operating system."""
    parts = PurePosixPath(path).parts
    return bool(parts) and not (
        path.startswith("/") or ".." in parts or "\\" in path or "\0" in path or ":" in parts[0]
    )


def read(text: str) -> Patch:
    """Read a patch as ``git apply`` does, but on after a fault; ``fault`` names the first one."""
    if not text.strip():
        return Patch((), Fault.EMPTY)
    changes, faults, at = [], [], 0
    lines = text.split("\n")
    while at < len(lines):
        if not _begins(lines, at):
            at += 1
            continue
        change, fault, at = _read_change(lines, at)
        changes.append(change)
        faults += [fault] if fault else []
    if not changes:
        faults.append(Fault.NO_CHANGE)
    return Patch(tuple(changes), faults[0] if faults else None)


def _begins(lines: Sequence[str], at: int) -> bool:
    """Return whether a file begins here: git's head with more below it, or both names above an ``@@`` line."""
    below = [*lines[at + 1 : at + 3], "", ""]
    if lines[at].startswith("diff --git "):
        return below[0].startswith((*_FIELDS, *_BINARY))
    return lines[at].startswith("--- ") and below[0].startswith("+++ ") and below[1].startswith("@@")


def _read_change(lines: Sequence[str], at: int) -> tuple[Change, Fault | None, int]:
    old = new = ""
    in_git = lines[at].startswith("diff --git ")
    fields: list[str] = []
    if in_git:
        old, new = _name_pair(lines[at][11:].rstrip("\r"))
        at += 1
    while at < len(lines) and lines[at].startswith(_FIELDS) and not (fields and fields[-1][:4] == "+++ "):
        fields.append(lines[at])
        at += 1
    for line in fields:
        if line.startswith("--- "):
            old = _path(line[4:])
        elif line.startswith("+++ "):
            new = _path(line[4:])
        elif kept := next((kind for kind in _MOVED if line.startswith(kind)), ""):
            path = _unquoted(line.removeprefix(kept).rstrip("\r"))
            old, new = (path, new) if kept.endswith("from ") else (old, path)
    created = old == NOTHING or any(line.startswith("new file mode ") for line in fields)
    path = old if new == NOTHING else new
    if at < len(lines) and lines[at].startswith(_BINARY):
        return Change(path, created, (), ()), Fault.BINARY, at + 1
    hunks, signed, fault, at = _read_hunks(lines, at)
    if not hunks and not any(line.startswith(_ENOUGH) for line in fields):
        fault = Fault.NO_HUNK
    named = [line[4:] for line in fields if line.startswith(("--- ", "+++ "))]
    if in_git and any("/" not in _unquoted(name) for name in named):
        fault = fault or Fault.NO_PREFIX
    if not all(is_inside(path) for path in {old, new} - {NOTHING}):
        fault = Fault.OUTSIDE
    return Change(path, created, hunks, signed), fault, at


def _name_pair(names: str) -> tuple[str, str]:
    """Split the two names of ``diff --git`` where only their first parts differ, else in the middle."""
    if names.startswith('"') and (first := _QUOTED.match(names)):
        return _path(first[0]), _path(names[first.end() :].strip())
    if names.endswith('"') and ' "' in names:
        left, _, right = names.partition(' "')
        return _path(left), _path(f'"{right}')
    places = [place for place, sign in enumerate(names) if sign == " "]
    pairs = [(_path(names[:place]), _path(names[place + 1 :])) for place in places]
    same = next((pair for pair in pairs if pair[0] == pair[1]), None)
    return same or (pairs[len(pairs) // 2] if pairs else ("", ""))


def _path(written: str) -> str:
    """Read a name, and take its first part away (``a/``, ``b/``, ``i/``, ``w/``), as ``git apply`` does."""
    name = _unquoted(written.rstrip("\r"))
    return name if name == NOTHING or "/" not in name else name.partition("/")[2].lstrip("/")


def _unquoted(name: str) -> str:
    """Decode a name in git's quotes; what follows a tab is a date."""
    if quoted := _QUOTED.match(name):
        raw = _ESCAPE.sub(lambda escape: _byte(escape[1]), quoted[1].encode("utf-8", "surrogatepass"))
        return raw.decode("utf-8", "replace")
    return name.split("\t")[0].rstrip("\r")


def _byte(code: bytes) -> bytes:
    return bytes([int(code, 8) & 255]) if code.isdigit() else _LETTERS.get(code, code)


def _read_hunks(lines: Sequence[str], at: int) -> tuple[tuple[Hunk, ...], tuple[str, ...], Fault | None, int]:
    """Read hunks up to the next file; a hunk's counts apply, whatever its lines look like."""
    hunks: list[Hunk] = []
    signed: list[str] = []
    fault, between = None, False
    while at < len(lines) and not _begins(lines, at):
        head = _HUNK.match(lines[at])
        if head is None:  # text between hunks, or after the last one
            fault = fault or (Fault.NO_HUNK if lines[at].startswith("@@") else None)
            between, at = True, at + 1
            continue
        at += 1
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
        if [len(side) for side in sides] != wanted or between:
            fault = fault or Fault.COUNTS
        hunks.append(Hunk(start, tuple(sides[0]), tuple(sides[1])))
    return tuple(hunks), tuple(signed), fault, at
