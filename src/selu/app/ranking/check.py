"""``selu check``: rank and test any table of systems and tasks, and check its consistency."""

from __future__ import annotations

from pathlib import Path

from selu.app.ranking.boards import of_paper
from selu.boards.board import Board
from selu.boards.findings import findings
from selu.boards.found import Found
from selu.boards.readers.reading import read
from selu.files import check_out, write_atomic


def check(path: Path, page: Path | None = None) -> Found:
    """Check a table of scores, and write a page of what was found where one is asked for.

    Raises:
        SeluError: the table can't be read, or the page can't be written there; nothing is written then.
    """
    check_out(page, path, "--page")
    return _found(path.name, read(path), page)


def check_published(root: Path, name: str, id: str | None, page: Path | None = None) -> Found:
    """Check a ranking of a paper, which is named where the paper has several; otherwise as ``check``.

    Raises:
        SeluError: as ``check`` and ``of_paper``.
    """
    check_out(page, root, "--page")
    ranking = of_paper(root, name, id)
    return _found(ranking.named, ranking.board, page)


def _found(name: str, board: Board, page: Path | None) -> Found:
    found = findings(board)
    if page is not None:
        from selu.report.board_page import page_of

        write_atomic(page, page_of(name, board.systems, found))
    return found
