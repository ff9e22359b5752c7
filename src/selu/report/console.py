"""Prints records to a terminal or a pipe: a list of flat records as a table, one record as lines."""

from __future__ import annotations

import sys
from typing import Any

# Control characters that would move a terminal's cursor or ring its bell: left out, as rich does.
_SILENT = dict.fromkeys((7, 8, 11, 12, 13))


def render(record: Any) -> None:
    """Print a list of flat records, or one record.

    Only the table for a terminal takes rich, which is slow to load.
    """
    if isinstance(record, list):
        _table(record)
    else:
        for key, value in record.items():
            _entry(str(key), value, 0)


def _table(rows: list[dict[str, Any]]) -> None:
    if not rows:
        print("nothing matches")
        return
    if not sys.stdout.isatty():  # a pipe gets tab-separated lines, never cut to a width
        print("\t".join(rows[0]))
        for row in rows:
            print("\t".join(as_text(value) for value in row.values()))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False)
    for name, value in rows[0].items():
        first = name == next(iter(rows[0]))  # ids are copied into other commands, so they are never cut
        table.add_column(name, justify="right" if isinstance(value, float) else "left", no_wrap=first)
    for row in rows:
        table.add_row(*(Text(as_text(value)) for value in row.values()))
    Console(highlight=False).print(table)


def _entry(key: str, value: Any, depth: int) -> None:
    pad = "  " * depth
    if isinstance(value, dict) and value:
        _line(f"{pad}{key}:")
        for name, item in value.items():
            _entry(str(name), item, depth + 1)
    elif isinstance(value, (list, tuple)) and value and isinstance(value[0], (dict, list)):
        _line(f"{pad}{key}:")
        for item in value:
            fields = item.items() if isinstance(item, dict) else ()
            line = ", ".join(f"{name} {as_text(field)}" for name, field in fields) or as_text(item)
            _line(f"{pad}  - {line}")
    else:
        _line(f"{pad}{key}: {as_text(value)}")


def _line(text: str) -> None:
    print(text.translate(_SILENT).expandtabs())


def as_text(value: Any) -> str:
    """Write a value as the tables show it."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e-3 and value else f"{value:.4f}".rstrip("0").rstrip(".")
    if isinstance(value, (list, tuple)):
        return ", ".join(as_text(item) for item in value) or "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
