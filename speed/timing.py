"""Prints the heading and the lines of a timing, and writes them with ``--out``."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from datetime import date
from importlib import metadata
from pathlib import Path


def heading(script: str, conditions: Iterable[str], libraries: Iterable[str]) -> str:
    """Return the first line: script, day, conditions and the versions of Python and of these libraries."""
    versions = (f"{name} {metadata.version(name)}" for name in libraries)
    parts = (f"# python speed/{script}", f"{date.today()}", *conditions, f"Python {platform.python_version()}")
    return ", ".join([*parts, *versions])


def print_lines(lines: Iterable[str], out: Path | None) -> None:
    """Print each line as it comes, and write all of them where a file is named."""
    shown = []
    for line in lines:
        shown.append(line)
        print(line, flush=True)
    if out:
        out.write_text("\n".join(shown) + "\n", "utf-8")
