"""Scores of anybody's, in whatever form: which one it is, its content says."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path

from selu.boards.board import Board
from selu.boards.readers.grid import MOST, grid_of
from selu.boards.readers.records import of_folder, of_json
from selu.boards.readers.shape import shape
from selu.files import read_given
from selu.vocabulary import SeluError

_BLANK = b" \t\r\n\xef\xbb\xbf"


def read(path: Path, content: bytes | None = None) -> Board:
    """Read a table of systems and tasks: CSV, Markdown, a workbook, JSON or a folder of results.

    Args:
        content: of the file, where it was read: a pipe can be read once.

    Raises:
        SeluError: it can't be read or used; says where in the file, and what to do.
    """
    if content is None and path.is_dir():
        board = of_folder(path)
    else:
        content = _unpacked(path, read_given(path, MOST) if content is None else content)
        if len(content) > MOST:
            raise SeluError(f"{path} has more than {MOST:,} bytes: give scores, without answers or texts.")
        is_json = content.lstrip(_BLANK).startswith((b"{", b"["))
        try:
            board = of_json(content) if is_json else shape(grid_of(content))
        except SeluError as error:
            raise SeluError(f"{path}: {error}") from None
    if not board.places:
        raise SeluError(f"{path} holds no score: each field of a task is empty.")
    return board


def _unpacked(path: Path, content: bytes) -> bytes:
    """Return the content of a gzip file, up to one byte above the limit; other bytes unchanged."""
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        return gzip.GzipFile(fileobj=io.BytesIO(content)).read(MOST + 1)
    except (EOFError, OSError, zlib.error):
        raise SeluError(f"{path} is not a complete gzip file: get it again.") from None
