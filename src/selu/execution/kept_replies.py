"""Replies of a model to sets of questions as one file, from which a machine that has it continues a run.

``data/replies/BENCHMARK/MODEL.HASH.jsonl.gz`` holds the replies of one identity, that is all that decides them
beside the prompts. Its first line says which; a line for each batch follows, in order of set and place. A batch
is known by the hash of identity, labels or limit, and prompts. The prompts themselves, which hold other
people's rows, are not in it. The same replies give the same bytes.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

from selu.files import write_atomic
from selu.papers.asked import Questions
from selu.runs import locks
from selu.systems.texts.reply import Reply
from selu.vocabulary import MachineError

FOLDER = Path("data") / "replies"
_SUFFIX = ".jsonl.gz"
_WAIT = 0.05  # seconds, while another process writes the same file
_OFTEN = 60.0  # seconds between two writings while a model is asked


class Batch(NamedTuple):
    """The state of a batch, and a hash of its questions; batches are kept in this order."""

    set: str
    first: int
    key: str


def find_key(identity: Mapping[str, object], questions: Questions, limit: int, rows: Sequence[int]) -> str:
    """Hash all that decides the replies to some questions of a set."""
    decides = [dict(identity), list(questions.labels) or limit, [questions.prompts[at] for at in rows]]
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()


class Kept:
    """The replies of a model of one identity.

    Attributes:
        parameters: how many it has; None where that is not known.
    """

    def __init__(self, path: Path, identity: Mapping[str, object], parameters: int | None = None) -> None:
        self.identity, self.parameters = dict(identity), parameters
        self._path, self._written = path, time.monotonic()
        self._found: dict[Batch, tuple[Reply, ...]] = {}
        self._new: dict[Batch, tuple[Reply, ...]] = {}
        if path.exists():
            self._read()

    @classmethod
    def of_model(cls, folder: Path, model: str, identity: Mapping[str, object], parameters: int | None) -> Self:
        """Open the kept replies of a model, or start a new file.

        Raises:
            MachineError: the file is damaged.
        """
        text = json.dumps(dict(identity), sort_keys=True)
        name = f"{model}.{hashlib.sha256(text.encode()).hexdigest()[:8]}{_SUFFIX}"
        return cls(folder / name, identity, parameters)

    @classmethod
    def alike(cls, folder: Path, model: str, known: Mapping[str, object]) -> Iterator[Self]:
        """Open all that is kept of a model of which no more of its identity is known here."""
        for path in sorted(folder.glob(f"{model}.????????{_SUFFIX}")):
            kept = cls(path, {})
            if known.items() <= kept.identity.items():
                yield kept

    def replies(self, questions: Questions, limit: int, rows: Sequence[int]) -> tuple[Reply, ...] | None:
        """Find the replies to a batch; None where it was not asked like this."""
        return self._found.get(Batch(questions.name, rows[0], find_key(self.identity, questions, limit, rows)))

    def add(self, questions: Questions, limit: int, rows: Sequence[int], replies: Sequence[Reply]) -> None:
        """Keep the replies to a batch; they are written once a minute, and by ``write``."""
        batch = Batch(questions.name, rows[0], find_key(self.identity, questions, limit, rows))
        rounded = tuple(replace(reply, seconds=round(reply.seconds, 3)) for reply in replies)
        self._found[batch] = self._new[batch] = rounded
        if time.monotonic() - self._written > _OFTEN:
            self.write()

    def write(self) -> None:
        """Write new replies, merged with those that another process wrote meanwhile."""
        if not self._new:
            return
        while (lock := locks.take(self._path.with_name(f".{self._path.name}.lock.tmp"))) is None:
            time.sleep(_WAIT)
        with lock:
            if self._path.exists():
                self._read()
            self._found |= self._new
            write_atomic(self._path, self._to_bytes())
        self._new, self._written = {}, time.monotonic()

    def _to_bytes(self) -> bytes:
        lines: list[Any] = [{"identity": self.identity, "parameters": self.parameters}]
        for batch in sorted(self._found):
            lines.append(batch._asdict() | {"replies": [asdict(reply) for reply in self._found[batch]]})
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        return gzip.compress(text.encode("ascii"), mtime=0)

    def _read(self) -> None:
        try:
            with gzip.open(self._path, "rt", encoding="ascii") as stream:
                about, *batches = map(json.loads, stream)
            self.identity = dict(about["identity"])
            self.parameters = self.parameters or about["parameters"]
            for batch in batches:
                replies = (
                    Reply(**{**reply, "scores": tuple(reply["scores"])}) for reply in batch.pop("replies")
                )
                self._found[Batch(**batch)] = tuple(replies)
        except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, RecursionError) as error:
            raise MachineError(
                f"{self._path}, which keeps a model's replies, can't be read ({type(error).__name__}): bring "
                "it back from git, or move it away to ask for all of them again."
            ) from None
