"""Published files that a test makes itself, with the list of their pins."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping
from pathlib import Path


def write(list_: Path, contents: Mapping[tuple[str, str], bytes], folder: Path | None = None) -> None:
    """Write files by task and system, each under its number, and the list that pins them beside them."""
    folder = folder or list_.parent
    rows = [("task", "system", "file", "sha256", "bytes", "repository", "commit", "path")]
    for number, ((task, system), content) in enumerate(contents.items()):
        (folder / str(number)).write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        rows.append((task, system, str(number), digest, str(len(content)), "own/er", "c", "path"))
    with list_.open("w", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows)
