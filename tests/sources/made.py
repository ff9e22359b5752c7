"""Pins, contents and patience made for a test."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field
from pathlib import Path

from selu.sources.network import Network, Patience
from selu.sources.pins import Access, Availability, Form, FormKind, Origin, Pin, PinnedFile

COMMIT = "c" * 40
TABLE = "7" * 64


def content(size: int = 200_000, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def pinned(name: str, data: bytes, path: str | None = None, known: bool = True, **fields) -> PinnedFile:
    return PinnedFile(
        name,
        path or f"data/{name}",
        sha256(data) if known else None,
        len(data) if known else None,
        fields.pop("form", Form(FormKind.CSV)),
        **fields,
    )


def mirrored(*files: PinnedFile) -> Origin:
    return Origin("mirror", "rows", files, table=TABLE)


def remote(name: str, *files: PinnedFile, lfs: bool = False, repository: str = "owner/name") -> Origin:
    placed = tuple(
        PinnedFile(f.name, f.path, f.sha256, f.bytes, f.form, repository, COMMIT, lfs) for f in files
    )
    return Origin(name, "rows", placed, TABLE)


def pin(*origins: Origin, task: str = "incivility", **changes) -> Pin:
    fields = {
        "availability": Availability.EQUAL,
        "cite": "somebody, 2026",
        "licence": "not stated",
        "access": Access.OPEN,
        "by_hand": "Ask the authors for the file.",
        "table": TABLE,
    }
    return Pin(task=task, origins=origins, **{**fields, **changes})


def raw_path(file: PinnedFile, repository: str = "owner/name") -> str:
    from urllib.parse import quote

    return f"/{repository}/{COMMIT}/{quote(file.path)}"


@dataclass
class Clock:
    """A clock that only sleeping moves, and what was slept."""

    slept: list[float] = field(default_factory=list)
    now: float = 0.0

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def time(self) -> float:
        return self.now


def network(url: str, **patience) -> Network:
    """A network whose hosts are the test's server, that waits for nothing long."""
    clock = Clock()
    defaults = {"connect": 2.0, "read": 10.0, "sleep": clock.sleep, "clock": clock.time, "jitter": lambda: 1.0}
    made = Network(Patience(**{**defaults, **patience}))
    made.raw = made.lfs = url
    return made


# A set of two files, pinned at a mirror and at an original repository.
A, B = content(3_000, 1), content(5_000, 2)
FILES = (pinned("a.csv", A, "set/a.csv"), pinned("b.csv", B, "set/b.csv"))
PIN = pin(mirrored(*FILES), remote("original", *FILES))


def held(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
