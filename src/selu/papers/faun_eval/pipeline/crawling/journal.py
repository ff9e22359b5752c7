"""Pages of answers on the disk, a line each, appended: a kill loses the page under way and no other."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from selu.vocabulary import SeluError


@dataclass(frozen=True, slots=True)
class Page:
    """An answer.

    Attributes:
        key: the address or query that it answers.
        next: key of the page after it; None: it is the last one.
        etag: by which the server tells whether it changed; empty: it gave none.
    """

    key: str
    next: str | None
    etag: str
    records: list[Any]


class _Kept(NamedTuple):
    start: int
    next: str | None
    etag: str
    records: int


class Journal:
    """The latest page of each key. One process writes at a time; a torn last line is cut off at opening."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._stream = path.open("a+b")
        try:
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._stream.close()
            raise SeluError(f"{path} is being written by another process: wait for it, or end it.") from None
        self._pages: dict[str, _Kept] = {}
        try:
            self._end = self._read()
        except SeluError:
            self._stream.close()
            raise
        self._stream.truncate(self._end)

    def _read(self) -> int:
        self._stream.seek(0)
        end = 0
        for number, line in enumerate(self._stream, 1):
            if not line.endswith(b"\n"):
                break
            try:
                page = Page(**json.loads(line))
            except (ValueError, TypeError):
                raise SeluError(
                    f"{self._path}, line {number} is damaged: delete the file and crawl again."
                ) from None
            self._pages[page.key] = _Kept(end, page.next, page.etag, len(page.records))
            end += len(line)
        return end

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()

    def add(self, page: Page) -> None:
        """Keep a page; when this returns, it is on the disk."""
        record = {"key": page.key, "next": page.next, "etag": page.etag, "records": page.records}
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
        self._stream.write(line)
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._pages[page.key] = _Kept(self._end, page.next, page.etag, len(page.records))
        self._end += len(line)

    def etag(self, key: str) -> str:
        """Return the ETag of the kept page; empty if it has none or is not kept."""
        return self._pages[key].etag if key in self._pages else ""

    def has(self, key: str) -> bool:
        """Return whether a page is kept."""
        return key in self._pages

    def next(self, key: str) -> str | None:
        """Return the key of the page after a kept one."""
        return self._pages[key].next

    def count(self, key: str) -> int:
        """Return how many records a kept page has."""
        return self._pages[key].records

    def chain(self, first: str) -> Iterator[Any]:
        """Yield the records of a page and of those after it, as far as they are kept; each page once."""
        key: str | None = first
        seen = set()
        while key is not None and key in self._pages and key not in seen:
            seen.add(key)
            self._stream.seek(self._pages[key].start)
            yield from json.loads(self._stream.readline())["records"]
            key = self._pages[key].next
