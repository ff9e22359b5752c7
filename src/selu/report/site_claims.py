"""Claims as the site shows them: by question, failing conclusions first, their numbers made readable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selu.report.site_words import short
from selu.report.verdicts import WEIGHTS
from selu.vocabulary import Verdict

_WIDEST = 6  # longer lists under names read better as lists than as rows


_WORST = (Verdict.FAILS, Verdict.CAVEAT, Verdict.NOT_CHECKABLE, Verdict.HOLDS)


def by_question(claims: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Group claims by question, those with most failing conclusions first; "" is of those that name none."""
    found: dict[str, list[dict[str, Any]]] = {}
    for claim in sorted(claims, key=_place):
        numbers = shape(claim["numbers"]) if claim["numbers"] else None
        shown = {
            "rerun": None,
            "weight": "",
            "kind": "",
            "quote": "",
            "if_it_fails": "",
            **claim,
            "numbers": numbers,
        }
        found.setdefault(claim.get("question", ""), []).append(shown)
    return sorted(found.items(), key=lambda pair: (not pair[0], -sum(map(_fails, pair[1]))))


def _fails(claim: Mapping[str, Any]) -> bool:
    return str(claim["verdict"]) == Verdict.FAILS and str(claim.get("weight", WEIGHTS[0])) == WEIGHTS[0]


def _place(claim: Mapping[str, Any]) -> tuple[int, int, str]:
    """Weight before verdict before id, so that a failing conclusion stands above a failing detail."""
    weight = claim.get("weight", "")
    return (
        WEIGHTS.index(weight) if weight in WEIGHTS else len(WEIGHTS),
        _WORST.index(Verdict(claim["verdict"])),
        claim["id"],
    )


def shape(value: Any) -> dict[str, Any]:
    """Shape a nested value as a node: ``text``, ``list`` of texts, ``pairs`` of name and node, or ``table``."""
    if isinstance(value, Mapping):
        return _shape_mapping(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return _shape_sequence(value)
    return {"type": "text", "text": short(value)}


def _shape_mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    rows, heads = list(value.values()), [str(key) for key in value]
    if not rows:
        return {"type": "list", "items": []}
    if columns := _common_columns(rows):
        return _table(heads, columns, [[row[column] for column in columns] for row in rows])
    if len(rows) > 1 and _is_matrix(rows) and 2 <= len(rows[0]) <= _WIDEST:
        return _table(heads, None, rows)
    return _pairs([(head, shape(item)) for head, item in zip(heads, rows, strict=True)])


def _shape_sequence(value: Sequence[Any]) -> dict[str, Any]:
    if all(_is_single(item) for item in value):
        return {"type": "list", "items": [short(item) for item in value]}
    if columns := _common_columns(value):
        return _table(None, columns, [[row[column] for column in columns] for row in value])
    if _is_matrix(value) and len(value[0]) <= 2 * _WIDEST:
        return _table(None, None, value)
    return _pairs([(str(place), shape(item)) for place, item in enumerate(value, start=1)])


def _table(heads: list[str] | None, columns: list[str] | None, rows: Sequence[Any]) -> dict[str, Any]:
    cells = [[short(item) for item in row] for row in rows]
    return {"type": "table", "heads": heads, "columns": columns, "rows": cells}


def _pairs(pairs: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """``flat`` where a long list of single values is better read in columns."""
    flat = len(pairs) > 6 and all(node["type"] == "text" for _, node in pairs)
    return {"type": "pairs", "pairs": pairs, "flat": flat}


def _common_columns(rows: Sequence[Any]) -> list[str] | None:
    """Find keys that at least two flat mappings all share, or None where the rows are something else."""
    if len(rows) < 2 or not all(isinstance(row, Mapping) and row for row in rows):
        return None
    columns = list(rows[0])
    alike = all(list(row) == columns and all(map(_is_single, row.values())) for row in rows)
    return columns if alike else None


def _is_matrix(rows: Sequence[Any]) -> bool:
    if not all(isinstance(row, Sequence) and not isinstance(row, str) for row in rows):
        return False
    return len({len(row) for row in rows}) == 1 and all(_is_single(item) for row in rows for item in row)


def _is_single(value: Any) -> bool:
    return isinstance(value, str) or not isinstance(value, (Mapping, Sequence))
