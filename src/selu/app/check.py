"""``selu check``: a table of systems and tasks, anybody's or a paper's, ranked, tested and held to itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from selu import registry
from selu.boards.board import Board
from selu.boards.findings import findings
from selu.boards.published import read_board
from selu.boards.reading import read
from selu.files import check_out, write_atomic
from selu.names import nearest
from selu.sources.published import read_tables
from selu.vocabulary import SeluError

Row = dict[str, Any]


def check(path: Path, page: Path | None = None) -> Row:
    """Check a table of scores, and write a page of what was found where one is asked for.

    Raises:
        SeluError: the table can't be read, or the page can't be written there; nothing is written then.
    """
    check_out(page, path, "--page")
    return _found(path.name, read(path), page)


def check_published(root: Path, name: str, id: str | None, page: Path | None = None) -> Row:
    """Check a ranking of a paper, which is named where the paper has several; otherwise as ``check``.

    Raises:
        SeluError: as ``check``; or the paper has no such ranking, or has several and none is named.
    """
    check_out(page, root, "--page")
    paper = registry.benchmark(registry.known(name))
    published = paper.paper()
    boards = {declared.id: declared for declared in published.boards} if published else {}
    if not boards:
        raise SeluError(f"{paper.name} publishes no table of systems and tasks: name a file instead.")
    if id is None and len(boards) > 1:
        raise SeluError(f"{paper.name} has {len(boards)} rankings: give --board {' or '.join(boards)}.")
    if id is not None and id not in boards:
        raise nearest(id, list(boards), "ranking")
    declared = boards[id or next(iter(boards))]
    title = f"{paper.name}, {declared.title}"
    return _found(title, read_board(declared, read_tables(root, name)), page)


def _found(name: str, board: Board, page: Path | None) -> Row:
    found = findings(board)
    if page is not None:
        from selu.report.board_page import page_of

        write_atomic(page, page_of(name, board.systems, found))
    return found
