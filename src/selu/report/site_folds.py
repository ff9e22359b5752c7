"""Long notebooks, folded: no page of the site is higher than eight screens before its reader opens a part."""

from __future__ import annotations

import re

_MOST = 5_400  # pixels: six screens, two left for what the estimate misses
_ROWS = 30  # of a table that stays open
_HEIGHTS = {"<tr": 37, "<img": 560, "<p": 42, "<li": 30, "<h": 60}  # pixels of one, at a width of 1440
_CELL = re.compile(r'(?=<div class="cell )')
_HEADING = re.compile(r'<h2 id="([^"]*)">(.*?)</h2>', re.DOTALL)
_ANCHOR = re.compile(r'<a class="anchor-link".*?</a>', re.DOTALL)
_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)


def fold(body: str) -> str:
    """Fold tables of many rows, and each second-level part if the page is still long.

    Headings keep their ids, so that addresses of parts stay valid.
    """
    shorter = _TABLE.sub(_folded_table, body)
    return shorter if height(shorter) <= _MOST else _folded_parts(shorter)


def height(body: str) -> int:
    """Estimate the pixels that a notebook takes with its folds closed."""
    opened = re.sub(r"<details\b.*?</details>", "", body, flags=re.DOTALL)
    return sum(opened.count(tag) * pixels for tag, pixels in _HEIGHTS.items())


def _folded_table(found: re.Match[str]) -> str:
    rows = found[0].count("<tr") - 1
    if rows <= _ROWS:
        return found[0]
    return f'<details class="fold"><summary>Table of {rows} rows</summary>{found[0]}</details>'


def _folded_parts(body: str) -> str:
    parts, opened = [], False
    for cell in _CELL.split(body):
        heading = _HEADING.search(cell)
        if heading:
            title = _ANCHOR.sub("", heading[2])
            parts.append("</details>" if opened else "")
            parts.append(f'<details class="fold"><summary><h2 id="{heading[1]}">{title}</h2></summary>')
            cell, opened = cell.replace(heading[0], "", 1), True
        parts.append(cell)
    return "".join(parts) + ("</details>" if opened else "")
