"""The journal of requests and replies, on disk before anything depends on it.

One SQLite file per set of requests. A sending (a batch, or one request) is announced before anything goes out;
its provider's name for it is noted when that comes; replies are kept raw as they arrive, the first of each row
counts. So a process that is killed at any moment leaves at most one sending of which nobody knows whether it
was accepted, and that one is looked up before its rows are sent again.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selu.files import Json
from selu.vocabulary import MachineError, SeluError

FORMAT = 1
ANNOUNCED, SENT, ENDED, LOST, WITHDRAWN = "announced", "sent", "ended", "lost", "withdrawn"
_KEPT = "kept"  # begins the tags of replies that came from another place
_TABLES = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sending (
  tag TEXT PRIMARY KEY, state TEXT NOT NULL, batch TEXT, rows INTEGER NOT NULL, announced REAL NOT NULL,
  bound REAL NOT NULL, note TEXT);
CREATE TABLE IF NOT EXISTS member (
  row INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (row, tag)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS of_sending ON member (tag);
CREATE TABLE IF NOT EXISTS reply (row INTEGER PRIMARY KEY, tag TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS spare (row INTEGER, tag TEXT, body TEXT NOT NULL, PRIMARY KEY (row, tag));
CREATE TABLE IF NOT EXISTS failure (row INTEGER, tag TEXT, why TEXT NOT NULL, PRIMARY KEY (row, tag));
CREATE TABLE IF NOT EXISTS tidied (tag TEXT PRIMARY KEY);
"""


@dataclass(frozen=True, slots=True)
class Sending:
    """A batch, or a request that went alone.

    Attributes:
        tag: our name for it; ``batch`` the provider's, where it is known.
        state: announced (perhaps accepted), sent, ended, lost (looked up and not found), or withdrawn.
        rows: how many it holds; ``announced`` the clock's second when; ``bound`` the most it may cost, USD.
    """

    tag: str
    state: str
    batch: str | None
    rows: int
    announced: float
    bound: float
    note: str | None


class Journal:
    """The journal of a set of requests, numbered from 0."""

    def __init__(self, path: Path, key: str, size: int) -> None:
        """Open it, or begin it.

        Args:
            key: hash of the requests.
            size: how many there are.

        Raises:
            SeluError: it is of other requests, or of another format.
            MachineError: it is damaged, or in use by another process.
        """
        self.path, self.size = path, size
        path.parent.mkdir(parents=True, exist_ok=True)
        with _translated(path):
            self._base = sqlite3.connect(
                path, isolation_level="IMMEDIATE", timeout=1.0, check_same_thread=False
            )
        try:
            self._begin({"format": str(FORMAT), "key": key, "size": str(size)})
        except BaseException:
            self._base.close()
            raise

    def _begin(self, wanted: Mapping[str, str]) -> None:
        with self._written():
            self._base.execute("PRAGMA locking_mode=EXCLUSIVE")
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=FULL")
            self._base.executescript(_TABLES)
            if self._base.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise sqlite3.DatabaseError
            about = "INSERT OR IGNORE INTO about VALUES (?, ?)"
            self._base.executemany(about, wanted.items())
        found = dict(self._base.execute("SELECT name, value FROM about"))
        if {name: found[name] for name in wanted} != wanted:
            raise SeluError(f"{self.path} is the journal of other requests: move it away.")

    def nonce(self) -> str:
        """Return eight digits in all tags of this journal: no other one's batch is taken for ours."""
        self._write("INSERT OR IGNORE INTO about VALUES ('nonce', ?)", secrets.token_hex(4))
        return str(next(self._column("SELECT value FROM about WHERE name = 'nonce'")))

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _written(self) -> Iterator[None]:
        """Begin a transaction: all of it is written, or nothing."""
        with _translated(self.path), self._base:
            yield

    def _write(self, change: str, *values: str | float | None) -> None:
        with self._written():
            self._base.execute(change, values)

    def _column(self, query: str, *values: str | float | None) -> Iterator[Any]:
        return (value for (value,) in self._base.execute(query, values))

    def announce(self, tag: str, rows: Sequence[int], now: float, bound: float) -> None:
        """Record that these rows are about to be sent."""
        with self._written():
            sending = tag, ANNOUNCED, len(rows), now, bound
            self._base.execute("INSERT INTO sending VALUES (?, ?, NULL, ?, ?, ?, NULL)", sending)
            self._base.executemany("INSERT INTO member VALUES (?, ?)", ((row, tag) for row in rows))

    def announced(self, tag: str, now: float) -> None:
        """Record when a sending with an unknown outcome was sent."""
        self._write("UPDATE sending SET announced = ? WHERE tag = ?", now, tag)

    def forgive(self) -> None:
        """Forget failures of rows: a new command asks them again."""
        self._write("DELETE FROM failure")

    def withdraw(self, tag: str) -> None:
        """Record that a sending was surely not accepted: its rows are to be sent."""
        with self._written():
            self._base.execute("DELETE FROM member WHERE tag = ?", (tag,))
            # its tag stays taken
            self._base.execute("UPDATE sending SET state = ?, bound = 0 WHERE tag = ?", (WITHDRAWN, tag))

    def sent(self, tag: str, batch: str) -> None:
        """Record the provider's name of an accepted sending."""
        self._write("UPDATE sending SET state = ?, batch = ? WHERE tag = ?", SENT, batch, tag)

    def mark(self, tag: str, state: str, note: str | None = None) -> None:
        """Record that a sending ended, or was looked up and not found."""
        change = "UPDATE sending SET state = ?, note = coalesce(?, note) WHERE tag = ?"
        self._write(change, state, note and _storable(note), tag)

    def keep(
        self, tag: str, replies: Iterable[tuple[int, Json]], failures: Iterable[tuple[int, str]] = ()
    ) -> None:
        """Keep replies and failures of a sending's rows; a second reply to a row is kept apart."""
        with self._written():
            for row, body in replies:
                text = _storable(json.dumps(body, ensure_ascii=False, separators=(",", ":")))
                first = next(self._column("SELECT tag FROM reply WHERE row = ?", row), None)
                if first is None:
                    self._base.execute("INSERT INTO reply VALUES (?, ?, ?)", (row, tag, text))
                elif first != tag:
                    self._base.execute("INSERT OR IGNORE INTO spare VALUES (?, ?, ?)", (row, tag, text))
            self._base.executemany(
                "INSERT OR IGNORE INTO failure VALUES (?, ?, ?)",
                ((row, tag, _storable(why)) for row, why in failures),
            )

    def take_over(self, replies: Iterable[tuple[int, Sequence[str]]]) -> None:
        """Keep raw replies that were got before, as ``raw`` gives them: the one that counts comes first."""
        with self._written():
            for row, texts in replies:
                first = not list(self._column("SELECT 1 FROM reply WHERE row = ?", row))
                for number, text in enumerate(texts):
                    table = "reply" if first and not number else "spare"
                    values = row, f"{_KEPT}-{number:04}", text
                    self._base.execute(f"INSERT OR IGNORE INTO {table} VALUES (?, ?, ?)", values)

    def tidied(self, tags: Iterable[str]) -> None:
        """Record that the provider stores nothing of these sendings any more."""
        with self._written():
            self._base.executemany("INSERT OR IGNORE INTO tidied VALUES (?)", ((tag,) for tag in tags))

    def untidy(self) -> list[Sending]:
        """Return sendings that ended or were withdrawn and are not noted so."""
        done = set(self._column("SELECT tag FROM tidied"))
        return [sending for sending in self.sendings(ENDED, WITHDRAWN) if sending.tag not in done]

    def sendings(self, *states: str) -> list[Sending]:
        """Return sendings in these states (or all), in the order in which they were announced."""
        marks = ",".join("?" * len(states))
        where = f"WHERE state IN ({marks})" if states else ""
        return [
            Sending(*row) for row in self._base.execute(f"SELECT * FROM sending {where} ORDER BY rowid", states)
        ]

    def members(self, tag: str) -> set[int]:
        """Return rows of a sending."""
        return set(self._column("SELECT row FROM member WHERE tag = ?", tag))

    def unanswered(self) -> list[int]:
        """Return rows without a reply."""
        there = set(self._column("SELECT row FROM reply"))
        return [row for row in range(self.size) if row not in there]

    def pending(self, attempts: int | None = None) -> list[int]:
        """List rows without a reply, in no open sending, with fewer failures than the limit (or any number)."""
        out = "SELECT row FROM member JOIN sending USING (tag) WHERE state IN (?, ?)"
        failed = "SELECT row FROM failure GROUP BY row HAVING count(*) >= ? OR max(why LIKE 'refused: %')"
        busy = {*self._column("SELECT row FROM reply"), *self._column(out, ANNOUNCED, SENT)}
        if attempts is not None:
            busy.update(self._column(failed, attempts))
        return [row for row in range(self.size) if row not in busy]

    def answered(self) -> int:
        """Return rows with a reply."""
        return int(next(self._column("SELECT count(*) FROM reply")))

    def taken_over(self) -> int:
        """Return rows whose reply was got before this journal began."""
        return int(next(self._column("SELECT count(*) FROM reply WHERE tag LIKE ?", f"{_KEPT}-%")))

    def paid_again(self) -> int:
        """Count replies to rows that already had one."""
        return int(next(self._column("SELECT count(*) FROM spare")))

    def replies(self) -> Iterator[tuple[int, Any]]:
        """Return rows in order with the raw reply that counts."""
        with _translated(self.path):
            for row, text in self._base.execute("SELECT row, body FROM reply ORDER BY row"):
                yield row, json.loads(text)

    def raw(self, rows: range) -> Mapping[int, Sequence[str]]:
        """Return raw replies to these rows as JSON: the one that counts, then those that came twice."""
        found: dict[int, list[str]] = {}
        with _translated(self.path):
            for table in ("reply", "spare"):
                query = f"SELECT row, body FROM {table} WHERE row >= ? AND row < ? ORDER BY row, tag"
                for row, text in self._base.execute(query, (rows.start, rows.stop)):
                    found.setdefault(row, []).append(text)
        return found

    def bodies(self) -> Iterator[object]:
        """Return all raw replies, those that came twice included: what was paid for."""
        with _translated(self.path):
            yield from map(json.loads, self._column("SELECT body FROM reply UNION ALL SELECT body FROM spare"))

    def failures(self) -> Mapping[int, str]:
        """Return the last reason why a row without a reply has none."""
        query = "SELECT row, why FROM failure WHERE row NOT IN (SELECT row FROM reply) ORDER BY rowid"
        return dict(self._base.execute(query))


@contextlib.contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Translate errors of the file into a sentence."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except (sqlite3.DatabaseError, ValueError) as error:
        why = (
            ", the journal of requests that were paid, is damaged: bring it back from a copy, or move it "
            "away to pay for all of them again."
        )
        if "locked" in str(error):
            why = " is in use: another process is sending these requests."
        elif isinstance(error, sqlite3.OperationalError) and "decode" not in str(error):
            why = f" can't be read or written ({error}): mend that and go on."
        raise MachineError(f"{path}{why}") from None


def _storable(text: str) -> str:
    """Escape lone surrogates, which no file can hold; the escapes are undone when JSON is read."""
    return text.encode("utf-8", "backslashreplace").decode()
