"""Claims as the site shows them: by question, failing conclusions first, their numbers made readable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from selu.report.site_words import short
from selu.report.verdicts import WORST, weight_rank
from selu.vocabulary import WEIGHTS, ClaimFound, Verdict

_WIDEST = 6  # longer lists under names read better as lists than as rows


@dataclass(frozen=True, slots=True)
class Node:
    """A claim's numbers, or a part of them, as a page shows them.

    Attributes:
        type: which of these it has: ``text``, ``list`` (of ``items``), ``table`` (``rows`` with the names of
            columns and rows, where they have some), or ``pairs`` of name and node.
        flat: whether a long list of single values is better read in columns.
    """

    type: str
    text: str = ""
    items: Sequence[str] = ()
    heads: Sequence[str] | None = None
    columns: Sequence[str] | None = None
    rows: Sequence[Sequence[str]] = ()
    pairs: Sequence[tuple[str, Node]] = ()
    flat: bool = False


class ClaimShown(ClaimFound):
    """A claim with its numbers as a page shows them."""

    node: Node | None


def by_question(claims: Sequence[ClaimFound]) -> list[tuple[str, list[ClaimShown]]]:
    """Group claims by question, those with most failing conclusions first; "" is of those that name none."""
    found: dict[str, list[ClaimShown]] = {}
    for claim in sorted(claims, key=_place):
        named = {"rerun": None, "weight": "", "kind": "", "quote": "", "if_it_fails": "", **claim}
        node = shape(claim["numbers"]) if claim["numbers"] else None
        shown = cast(ClaimShown, {**named, "node": node})
        found.setdefault(claim.get("question", ""), []).append(shown)
    return sorted(found.items(), key=lambda pair: (not pair[0], -sum(map(_fails, pair[1]))))


def _fails(claim: ClaimFound) -> bool:
    return str(claim["verdict"]) == Verdict.FAILS and str(claim.get("weight", WEIGHTS[0])) == WEIGHTS[0]


def _place(claim: ClaimFound) -> tuple[int, int, str]:
    """Return a sort key: weight, verdict, id, so that a failing conclusion comes before a failing detail."""
    return weight_rank(claim), WORST.index(Verdict(claim["verdict"])), claim["id"]


def shape(value: object) -> Node:
    """Shape a nested value as a node."""
    if isinstance(value, Mapping):
        return _shape_mapping(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return _shape_sequence(value)
    return Node("text", short(value))


def _shape_mapping(value: Mapping[object, object]) -> Node:
    rows, heads = list(value.values()), [str(key) for key in value]
    if not rows:
        return Node("list", items=[])
    if named := _alike(rows):
        return _table(heads, named[0], named[1])
    if len(rows) > 1 and (matrix := _matrix(rows)) and 2 <= len(matrix[0]) <= _WIDEST:
        return _table(heads, None, matrix)
    return _pairs([(head, shape(item)) for head, item in zip(heads, rows, strict=True)])


def _shape_sequence(value: Sequence[object]) -> Node:
    if all(_is_single(item) for item in value):
        return Node("list", items=[short(item) for item in value])
    if named := _alike(value):
        return _table(None, named[0], named[1])
    if (matrix := _matrix(value)) and len(matrix[0]) <= 2 * _WIDEST:
        return _table(None, None, matrix)
    return _pairs([(str(place), shape(item)) for place, item in enumerate(value, start=1)])


def _table(heads: list[str] | None, columns: list[str] | None, rows: Sequence[Sequence[object]]) -> Node:
    return Node("table", heads=heads, columns=columns, rows=[[short(item) for item in row] for row in rows])


def _pairs(pairs: list[tuple[str, Node]]) -> Node:
    return Node("pairs", pairs=pairs, flat=len(pairs) > 6 and all(node.type == "text" for _, node in pairs))


def _alike(rows: Sequence[object]) -> tuple[list[str], list[list[object]]] | None:
    """Find the keys that at least two flat mappings all share, and their values; None where they differ."""
    found = [row for row in rows if isinstance(row, Mapping) and row]
    if len(rows) < 2 or len(found) < len(rows):
        return None
    columns = list(found[0])
    if not all(list(row) == columns and all(map(_is_single, row.values())) for row in found):
        return None
    return columns, [list(row.values()) for row in found]


def _matrix(rows: Sequence[object]) -> list[Sequence[object]]:
    """Return the rows where all are of single values and equally long, and none otherwise."""
    found = [row for row in rows if isinstance(row, Sequence) and not isinstance(row, str)]
    if len(found) < len(rows) or len({len(row) for row in found}) != 1:
        return []
    return found if all(_is_single(item) for row in found for item in row) else []


def _is_single(value: object) -> bool:
    return isinstance(value, str) or not isinstance(value, (Mapping, Sequence))
