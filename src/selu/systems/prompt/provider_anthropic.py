"""Anthropic's API behind the interface of ``providers``."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from selu.systems.prompt.hiding import Hidden
from selu.systems.prompt.providers import (
    ENDED,
    RUNNING,
    Line,
    Status,
    UndecidedError,
    line_of,
    lines_of,
    listed,
    name_of,
    over,
    record_of,
    shaped,
    shown,
    told,
)

_PIECE = 1 << 20
_FIRST = 100  # lines that show whose results they are: others' among them are a provider's mistake


class Anthropic:
    """Anthropic's API."""

    protocol, most_requests, most_bytes, keeps_files = "anthropic", 100_000, 256_000_000, False
    _UNKNOWN = ("temperature",)  # to the SDK, not to this version of the API

    def __init__(self, key: str, base_url: str | None, timeout: float, hidden: Hidden) -> None:
        import anthropic

        self._sdk, self._hidden = anthropic, hidden
        hidden.in_logs()
        # The API's later versions know no temperature, which the paper's protocol sets.
        self._client = anthropic.Anthropic(
            api_key=key,
            base_url=base_url,
            timeout=timeout,
            max_retries=0,
            default_headers={"anthropic-version": "2023-06-01"},
        )

    def ask(self, body: dict[str, Any]) -> Any:
        """As ``Provider``."""
        with told(self._sdk, self._hidden):
            known = {name: value for name, value in body.items() if name not in self._UNKNOWN}
            extra = {name: value for name, value in body.items() if name in self._UNKNOWN}
            response = self._client.messages.with_raw_response.create(**known, extra_body=extra)
            return self._hidden.record(record_of(response.http_response.content))

    def line(self, id: str, body: dict[str, Any]) -> bytes:
        """As ``Provider``."""
        return line_of({"custom_id": id, "params": body})

    def submit(self, tag: str, file: Path) -> str:  # noqa: ARG002
        """As ``Provider``; the tag is in the ids of all requests."""
        kind = self._sdk.types.messages.MessageBatch
        headers = {"content-type": "application/json", "content-length": str(sum(map(len, _joined(file))))}
        with told(self._sdk, self._hidden):
            # The SDK's call by name would hold the batch in memory several times over.
            made = self._client.post(
                "/v1/messages/batches", content=_joined(file), cast_to=kind, options={"headers": headers}
            )
            return name_of(made)

    def find(self, tag: str, since: float, rows: int, known: Collection[str]) -> str | None:
        """As ``Provider``: by the ids of its requests, which it shows when it has ended."""
        with told(self._sdk, self._hidden, creates=False):
            for batch in listed(self._client.messages.batches.list(limit=100)):
                name_of(batch)
                if batch.created_at.timestamp() < since - 3600:
                    break
                if batch.id in known:
                    continue
                counts = batch.request_counts
                total = counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
                if total != rows:
                    continue
                if self.status(batch.id).state != ENDED:
                    raise UndecidedError
                lines = islice(self.results(batch.id), _FIRST)
                if any(line.id.rpartition("-")[0] == tag for line in lines):
                    return name_of(batch)
        return None

    def status(self, batch: str) -> Status:
        """As ``Provider``."""
        with told(self._sdk, self._hidden, creates=False):
            found = self._client.messages.batches.retrieve(batch)
            name_of(found)
            if found.processing_status == "ended":
                return Status(ENDED, answered=found.request_counts.succeeded)
            return Status(RUNNING)

    def results(self, batch: str) -> Iterator[Line]:
        """As ``Provider``."""
        lines = self._client.messages.batches.with_streaming_response
        with told(self._sdk, self._hidden, creates=False), lines.results(batch) as response:
            yield from lines_of(response, self._read)

    @shaped
    def _read(self, line: Any) -> Line:
        result = line["result"]
        if result["type"] == "succeeded":
            return Line(str(line["custom_id"]), self._hidden.record(result["message"]))
        error = (result.get("error") or {}).get("error") or {}
        why = f"{error.get('type') or result['type']}: {error.get('message') or ''}"
        return Line(str(line["custom_id"]), why=shown(self._hidden, why))

    def cancel(self, batch: str) -> None:
        """As ``Provider``."""
        with told(self._sdk, self._hidden, creates=False), contextlib.suppress(*over(self._sdk)):
            name_of(self._client.messages.batches.cancel(batch))

    def tidy(self, batch: str) -> None:
        """As ``Provider``: there are none; results go by themselves."""

    def sweep(self, tags: Collection[str], since: float) -> None:
        """As ``Provider``: there are none."""


def _joined(file: Path) -> Iterator[bytes]:
    """The lines of a file as the list of requests of one body, in pieces."""
    yield b'{"requests":['
    left = file.stat().st_size - 1  # without the end of the last line
    with file.open("rb") as stream:
        while piece := stream.read(min(left, _PIECE)):
            left -= len(piece)
            yield piece.replace(b"\n", b",")
    yield b"]}"
