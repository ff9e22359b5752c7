"""A set of two files, pinned at a mirror and at an original repository."""

from __future__ import annotations

from pathlib import Path

from made import content, mirrored, pin, pinned, remote

A, B = content(3_000, 1), content(5_000, 2)
FILES = (pinned("a.csv", A, "set/a.csv"), pinned("b.csv", B, "set/b.csv"))
PIN = pin(mirrored(*FILES), remote("original", *FILES))


def held(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
