"""``selu check``: anybody's table of systems and tasks, ranked, tested and held to itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from selu.boards.findings import findings
from selu.boards.reading import read
from selu.files import check_out, write_atomic

Row = dict[str, Any]


def check(path: Path, page: Path | None = None) -> Row:
    """Check a table of scores, and write a page of what was found where one is asked for.

    Raises:
        SeluError: the table can't be read, or the page can't be written there; nothing is written then.
    """
    check_out(page, path, "--page")
    board = read(path)
    found = findings(board)
    if page is not None:
        from selu.report.board_page import page_of

        write_atomic(page, page_of(path.name, board.systems, found))
    return found
