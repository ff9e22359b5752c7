"""The forms of predictions: CSV, a Markdown table, JSON objects.

Each is read into rows with their lines, and nothing in them is judged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from selu.files import TornError, read_csv, take
from selu.names import DASH
from selu.sources import questions
from selu.vocabulary import SeluError

Row = tuple[int, list[str]]
Object = tuple[int, Mapping[str, Any]]
_RULE = re.compile(r"[|:\- ]+")  # the second line of a Markdown table
_BETWEEN = re.compile(r"(?<!\\)\|")  # its columns


def table(text: str) -> tuple[list[str], int, list[Row]]:
    """Read a CSV: the names of its columns, their line, and each row with its line."""
    try:
        found = read_csv(text)
        rows = [(line, [field.strip() for field in row]) for line, row in found.rows]
    except TornError as error:
        raise SeluError(f"row {error.line} is not CSV: {error}.") from None
    return [name.lower() for name in found.head], found.line, [(at, row) for at, row in rows if any(row)]


def markdown(text: str) -> tuple[list[str], int, list[Row]]:
    """Read a Markdown table likewise: without what makes a text bold, and with a dash for an empty field."""
    lines = [(at, line.strip()) for at, line in enumerate(text.split("\n"), start=1) if line.strip()]
    rows: list[Row] = []
    for at, line in lines:
        if not line.startswith("|"):
            raise SeluError(f"row {at} begins with no '|', as those before it: give the table alone.")
        fields = [
            field.strip().strip("*`") for field in _BETWEEN.split(line.removeprefix("|").removesuffix("|"))
        ]
        rows.append((at, ["" if field in ("-", DASH) else field.replace("\\|", "|") for field in fields]))
    (first, head), *others = rows
    rest = others[1:] if others and _RULE.fullmatch(lines[1][1]) else others
    return [name.lower() for name in head], first, rest


def objects(text: str) -> list[Object]:
    """Read JSON objects, one a line or those of a list, or one over several lines; each with its row."""
    first = text.partition("\n")[0].rstrip()
    parts: list[Any] = text.split("\n")
    if first.startswith("[") or not first.endswith("}"):
        try:
            whole = json.loads(text, object_pairs_hook=questions.fields_once)
            parts = [whole] if isinstance(whole, dict) else whole
        except (ValueError, RecursionError) as error:
            line = getattr(error, "lineno", 1)
            raise SeluError(
                f"row {line}: the JSON is incomplete, or nested too deep: write the file again."
            ) from None
    numbered = enumerate(parts, start=1)
    return take((part for part in numbered if not isinstance(part[1], str) or part[1].strip()), _object)


def _object(part: tuple[int, object]) -> Object:
    line, row = part
    try:
        row = questions.object_of(row) if isinstance(row, str) else row
    except SeluError as error:
        raise SeluError(f"row {line}, {error}") from None
    if not isinstance(row, dict):
        raise SeluError(f'row {line} is not like {{"id": "p000001", "answer": "bug"}}, a JSON object a line.')
    return line, {str(name).lower(): value for name, value in row.items()}
