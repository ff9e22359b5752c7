"""Asks git-LFS's batch protocol where a file in large-file storage can be read.

Source: git-lfs, docs/api/batch.md and docs/api/basic-transfers.md.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from selu.sources.network import Link, Network, TransientError, judge, shown, trouble
from selu.sources.pins import PinnedFile
from selu.sources.verify import UnavailableError

_TYPE = "application/vnd.git-lfs+json"
_ANSWER_LIMIT = 1 << 20  # bytes
_MEANING = {
    404: "is not in its large-file storage",
    410: "was removed from its large-file storage",
    422: "was asked for with another size than it has",
}


def locate(network: Network, file: PinnedFile) -> Link:
    """A link to read an LFS file by, asked for now, because links expire.

    Raises:
        TransientError: the server is busy, or gave a link that has expired; may pass.
        UnavailableError: the repository or the file is not there, or the answer is not of the protocol.
    """
    url = f"{network.hosts.lfs}/{file.repository}.git/info/lfs/objects/batch"
    asked = {
        "operation": "download",
        "transfers": ["basic"],
        "objects": [{"oid": file.sha256, "size": file.bytes}],
        "hash_algo": "sha256",
    }
    headers = {"Accept": _TYPE, "Content-Type": _TYPE}
    with network.open(Link(url), headers, json.dumps(asked).encode()) as response:
        judge(response, url)
        try:
            content = response.raw.read(_ANSWER_LIMIT, decode_content=True)
        except Exception as error:
            raise trouble(error, url, network.patience) from None
    try:
        return _link(json.loads(content), file, url)
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration, RecursionError):
        raise UnavailableError(f"{shown(url)} gave no answer of git-LFS's batch protocol") from None


def _link(answer: dict[str, Any], file: PinnedFile, url: str) -> Link:
    if answer.get("transfer", "basic") != "basic":
        raise UnavailableError(f"{shown(url)} offers no basic transfer")
    found = next(item for item in answer["objects"] if item["oid"] == file.sha256)
    if error := found.get("error"):
        _raise(int(error["code"]), str(error.get("message", "")), file, url)
    if found["size"] != file.bytes:
        raise UnavailableError(
            f"{shown(url)} knows {file.name} with {found['size']} bytes where {file.bytes} are pinned"
        )
    action = found["actions"]["download"]
    if _expired(action):
        raise TransientError(f"{shown(url)} gave a link that has expired")
    headers = {str(name): str(value) for name, value in (action.get("header") or {}).items()}
    return Link(_http(str(action["href"])), headers, renewable=True)


def _raise(code: int, message: str, file: PinnedFile, url: str) -> None:
    said = "".join(letter for letter in message if letter.isprintable())[:120]
    reason = (
        f"{shown(url)}: {file.name} {_MEANING.get(code, 'is refused')} ({code}{': ' + said if said else ''})"
    )
    if code in (408, 429) or code >= 500:
        raise TransientError(reason)
    raise UnavailableError(reason)


def _expired(action: dict[str, Any]) -> bool:
    """Whether a link has expired; seconds count before the date, as the protocol says."""
    if (seconds := action.get("expires_in")) is not None:
        return bool(seconds <= 0)
    if not (date := action.get("expires_at")):
        return False
    when = datetime.fromisoformat(str(date))
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return when <= datetime.now(UTC)


def _http(href: str) -> str:
    if not href.startswith(("https://", "http://")):
        raise ValueError(href)
    return href
