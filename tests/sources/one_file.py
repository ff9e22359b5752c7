"""One pinned file, fetched from the test's server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made import content, network, pin, pinned, raw_path, remote, sha256
from server import Server

from selu.sources.fetch import Fetched, fetch, on_disk
from selu.sources.pins import PinnedFile
from selu.vocabulary import SeluError

DATA = content()
FILE = pinned("a.csv", DATA, "data/a file (1).csv")
URL = raw_path(FILE)


def get(
    server: Server, folder: Path, file: PinnedFile = FILE, lfs: bool = False, lines=None, **patience
) -> Fetched:
    origin = remote("original", file, lfs=lfs)
    messages = [] if lines is None else lines
    return fetch(pin(origin), folder, network=network(server.url, **patience), progress=messages.append)


def refused(server: Server, folder: Path, kind: type[SeluError], words: str, **options) -> str:
    """The one sentence of a failed fetch, which leaves no file under a final name."""
    with pytest.raises(kind, match=words) as caught:
        get(server, folder, **options)
    assert not (folder / "origin.json").exists()
    assert not (folder / "original" / FILE.name).exists()
    assert "Ask the authors" in str(caught.value)
    return str(caught.value)


def whole(folder: Path) -> None:
    assert (folder / "original" / FILE.name).read_bytes() == DATA
    record = json.loads((folder / "origin.json").read_text())
    assert record == {"origin": "original", "files": {"a.csv": {"sha256": sha256(DATA), "bytes": len(DATA)}}}
    assert {path.name for path in folder.rglob("*") if path.is_file()} == {"origin.json", FILE.name}
    assert on_disk(pin(remote("original", FILE)), folder).verified
