"""SEARCH/REPLACE blocks: written from an edit, read from a reply, applied (FAUN-Eval sections 3.4.3 and 4.3).

A block is a line with the file's path, a line ``<<<<<<< SEARCH``, old lines, a line ``=======``, new lines and
a line ``>>>>>>> REPLACE``. Where the lines themselves hold such a line, all marks of the block are longer. A
text that does not end with an end of line is followed by git's mark for that. Lines end with ``\\n``; a ``\\r``
before it belongs to the line.

All blocks of a reply are looked for in the files as they were before it, and none may overlap another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import NamedTuple

from selu.papers.faun_eval.metrics.patches import NO_END, Patch, is_inside
from selu.vocabulary import SeluError

_OPEN = re.compile(r"(<{7,}) SEARCH\r?\Z")
_FENCE = re.compile(r"```[\w+-]*\r?\Z")
LONGEST_REPLY = 16 << 20  # characters


class Problem(StrEnum):
    """Why a block is not applied."""

    NO_PATH = "no path before the block"
    NO_DIVIDER = "no divider"
    NO_END = "no end"
    OUTSIDE = "path outside the tree"
    NO_FILE = "no such file"
    NOT_FOUND = "search text does not occur"
    SEVERAL = "search text occurs more than once"
    EXISTS = "empty search text for a file that is not empty"
    OVERLAP = "overlaps another block"
    TOO_LONG = "reply too long"


@dataclass(frozen=True, slots=True)
class Block:
    """Old lines of a file, and those that take their place."""

    path: str
    search: str
    replace: str


class Refused(NamedTuple):
    """A problem, and the line of the reply (from 1 up) or the number of the block (from 1 up) that has it."""

    problem: Problem
    place: int


# -- writing -----------------------------------------------------------------------------------------


def make(path: str, before: str, after: str) -> list[Block]:
    """Build the blocks of an edit: each old text occurs exactly once in the file, and is short.

    Nothing is made of an edit that changes nothing.
    """
    old, new = _lines(before), _lines(after)
    if before == after:
        return []
    if not old:
        return [Block(path, "", after)]
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    spans = [code[1:] for code in codes if code[0] != "equal"]  # old lines a to b become new lines c to d
    at = 0
    while at < len(spans):
        a, b, c, d = spans[at]
        if a < b and len(places(before, "".join(old[a:b]))) == 1:
            at += 1
        elif at and a == spans[at - 1][1]:  # it grew up to the span before it
            spans[at - 1 : at + 1] = [(spans[at - 1][0], b, spans[at - 1][2], d)]
            at -= 1
        elif at + 1 < len(spans) and b == spans[at + 1][0]:
            spans[at : at + 2] = [(a, spans[at + 1][1], c, spans[at + 1][3])]
        else:
            up, down = int(a > 0), int(b < len(old))
            spans[at] = a - up, b + down, c - up, d + down
    return [Block(path, "".join(old[a:b]), "".join(new[c:d])) for a, b, c, d in spans]


def write(blocks: Iterable[Block]) -> str:
    """Write blocks as a reply.

    Raises:
        SeluError: a path is empty or has several lines, or a last line is the mark of a missing end of line.
    """
    return "".join(_write(block) for block in blocks)


def of_patch(patch: Patch) -> list[Block]:
    """Build a block for each hunk of a patch, with its context."""
    return [
        Block(change.path, "".join(hunk.old), "".join(hunk.new))
        for change in patch.changes
        for hunk in change.hunks
    ]


def _write(block: Block) -> str:
    if not block.path.strip() or "\n" in block.path or _FENCE.match(block.path):
        raise SeluError(f"{block.path!r} is not a path that fits in a line: rename the file.")
    sides = [_marked(text) for text in (block.search, block.replace)]
    inner = [line.rstrip("\r") for side in sides for line in side.split("\n")]
    marks = [len(line) - len(line.lstrip(line[0])) for line in inner if line[:1] in ("<", "=", ">")]
    width = max([6, *marks]) + 1
    return f"{block.path}\n{'<' * width} SEARCH\n{sides[0]}{'=' * width}\n{sides[1]}{'>' * width} REPLACE\n"


def _marked(text: str) -> str:
    if text.endswith(f"{NO_END}\n") or text == NO_END or text.endswith(f"\n{NO_END}"):
        raise SeluError(f"a text whose last line is {NO_END!r} can't be told from one without an end of line.")
    return text if text.endswith("\n") or not text else f"{text}\n{NO_END}\n"


# -- reading -----------------------------------------------------------------------------------------


def holds_blocks(text: str) -> bool:
    """Return whether a line of a text opens a block."""
    return any(_OPEN.match(line) for line in text.split("\n"))


def read(reply: str) -> tuple[list[Block], list[Refused]]:
    """Read the blocks of a reply, and its malformed lines; other text is ignored."""
    if len(reply) > LONGEST_REPLY:
        return [], [Refused(Problem.TOO_LONG, 1)]
    lines = reply.split("\n")
    blocks: list[Block] = []
    refused: list[Refused] = []
    at = 0
    while at < len(lines):
        opened = _OPEN.match(lines[at])
        if opened is None:
            at += 1
            continue
        width, start, path = len(opened[1]), at, _path_above(lines, at)
        divider, end = _find_marks(lines, at, width)
        if divider is None or end is None or not path:
            missing = (
                Problem.NO_DIVIDER if divider is None else Problem.NO_END if end is None else Problem.NO_PATH
            )
            refused.append(Refused(missing, start + 1))
            at = start + 1 if end is None else end + 1
            continue
        texts = (_text(lines[start + 1 : divider]), _text(lines[divider + 1 : end]))
        blocks.append(Block(path, *texts))
        at = end + 1
    return blocks, refused


def _find_marks(lines: Sequence[str], at: int, width: int) -> tuple[int | None, int | None]:
    """Find divider and end of the block that begins at a line, before another one of this width begins."""
    divider = None
    for number in range(at + 1, len(lines)):
        line = lines[number].rstrip("\r")
        if divider is None and line == "=" * width:
            divider = number
        elif line == f"{'>' * width} REPLACE":
            return divider, number
        elif (opened := _OPEN.match(line)) and len(opened[1]) >= width:
            break
    return divider, None


def _path_above(lines: Sequence[str], at: int) -> str:
    above = at - 1
    if above >= 0 and _FENCE.match(lines[above]):
        above -= 1
    return lines[above].strip().strip("`").strip().removeprefix("./") if above >= 0 else ""


def _text(lines: Sequence[str]) -> str:
    if lines and lines[-1].rstrip("\r") == NO_END:
        return "\n".join(lines[:-1])
    return "".join(f"{line}\n" for line in lines)


# -- applying ----------------------------------------------------------------------------------------


def apply(blocks: Sequence[Block], files: Mapping[str, str]) -> tuple[Mapping[str, str], list[Refused]]:
    """Apply blocks to files, each to the file as it was given; what can't be applied is refused by its number.

    Args:
        files: path -> text. A block without old lines makes a file, or fills an empty one.
    """
    taken: dict[str, list[tuple[int, int, str]]] = {}
    refused: list[Refused] = []
    for number, block in enumerate(blocks, 1):
        spot = _locate(block, files)
        spans = taken.setdefault(block.path, [])
        if not isinstance(spot, Problem) and any(_meet(spot, other[:2]) for other in spans):
            spot = Problem.OVERLAP
        if isinstance(spot, Problem):
            refused.append(Refused(spot, number))
        else:
            spans.append((*spot, block.replace))
    found = dict(files)
    for path, spans in taken.items():
        parts, end, text = [], 0, files.get(path, "")
        for start, stop, replace in sorted(spans):
            parts += [text[end:start], replace]
            end = stop
        if spans:
            found[path] = "".join([*parts, text[end:]])
    return found, refused


def _locate(block: Block, files: Mapping[str, str]) -> tuple[int, int] | Problem:
    if not is_inside(block.path):
        return Problem.OUTSIDE
    text = files.get(block.path)
    if not block.search:
        return Problem.EXISTS if text else (0, 0)
    if text is None:
        return Problem.NO_FILE
    spots = places(text, block.search)
    if len(spots) != 1:
        return Problem.SEVERAL if spots else Problem.NOT_FOUND
    return spots[0], spots[0] + len(block.search)


def _meet(first: tuple[int, int], second: tuple[int, int]) -> bool:
    return first == second or (first[0] < second[1] and second[0] < first[1])


def places(text: str, search: str) -> list[int]:
    """Find where whole lines occur in a text: the first two places, as more need nobody.

    Lines without an end of line occur at the end of the text alone.
    """
    if not search.endswith("\n"):
        at = len(text) - len(search)
        ends = bool(search) and text.endswith(search) and (at == 0 or text[at - 1] == "\n")
        return [at] if ends else []
    padded, wanted = f"\n{text}", f"\n{search}"
    first = padded.find(wanted)
    second = padded.find(wanted, first + 1) if first >= 0 else -1
    return [spot for spot in (first, second) if spot >= 0]


def share_once(blocks: Sequence[Block], files: Mapping[str, str]) -> float:
    """Return the share of blocks whose old lines occur exactly once in their file; 0 without blocks."""
    once = [len(places(files.get(block.path, ""), block.search)) == 1 for block in blocks]
    return sum(once) / len(once) if once else 0.0


def applicable(reply: str, files: Mapping[str, str]) -> float:
    """Score 1 where a reply has blocks and every one of them is well-formed and applies, else 0."""
    blocks, malformed = read(reply)
    return float(bool(blocks) and not malformed and not apply(blocks, files)[1])


def _lines(text: str) -> list[str]:
    return [line for line in re.split(r"(?<=\n)", text) if line]
