"""Asks git-LFS's batch protocol where a file in large-file storage can be read.

Source: git-lfs, docs/api/batch.md and docs/api/basic-transfers.md.
"""

from __future__ import annotations

import json
import time
from typing import Any

from selu.sources.network import Link, Network, TransientError, shown
from selu.sources.pins import PinnedFile
from selu.sources.verify import UnavailableError

_TYPE = "application/vnd.git-lfs+json"
_ANSWER_LIMIT = 1 << 20  # bytes


def locate(network: Network, file: PinnedFile) -> Link:
    """Request a link to read an LFS file now, because links expire.

    Raises:
        TransientError: the server is busy; may pass.
        UnavailableError: the repository or the file is not there, or the answer is not of the protocol.
    """
    url = f"{network.lfs}/{file.repository}.git/info/lfs/objects/batch"
    asked = {
        "operation": "download",
        "transfers": ["basic"],
        "objects": [{"oid": file.sha256, "size": file.bytes}],
        "hash_algo": "sha256",
    }
    headers = {"Accept": _TYPE, "Content-Type": _TYPE}
    with network.open(Link(url), headers, json.dumps(asked).encode()) as answer:
        content, until = b"", time.monotonic() + network.patience.read
        while piece := answer.read(_ANSWER_LIMIT, decode=True):
            content += piece
            if len(content) > _ANSWER_LIMIT or time.monotonic() > until:
                raise TransientError(f"{shown(url)} gave an answer without an end")
    try:
        return _link(json.loads(content), file, shown(url))
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration, RecursionError):
        raise UnavailableError(f"{shown(url)} gave no answer of git-LFS's batch protocol") from None


def _link(answer: dict[str, Any], file: PinnedFile, place: str) -> Link:
    """Return the link that an answer holds; one that is too old shows when it is read."""
    if answer.get("transfer", "basic") != "basic":
        raise UnavailableError(f"{place} offers no basic transfer")
    found = next(item for item in answer["objects"] if item["oid"] == file.sha256)
    if error := found.get("error"):
        raise _refusal(int(error["code"]), str(error.get("message", "")), f"{place}: {file.name}")
    if found["size"] != file.bytes:
        raise UnavailableError(
            f"{place} knows {file.name} with {found['size']} bytes where {file.bytes} are pinned"
        )
    action = found["actions"]["download"]
    if not str(action["href"]).startswith(("https://", "http://")):
        raise ValueError
    headers = {str(name): str(value) for name, value in (action.get("header") or {}).items()}
    return Link(action["href"], headers, renewable=True)


def _refusal(code: int, message: str, name: str) -> TransientError | UnavailableError:
    printable = "".join(letter for letter in message if letter.isprintable())[:120]
    reason = f"{name} is refused by its large-file storage ({code}: {printable or 'no reason given'})"
    passing = code in (408, 429) or code >= 500
    return TransientError(reason) if passing else UnavailableError(reason)
