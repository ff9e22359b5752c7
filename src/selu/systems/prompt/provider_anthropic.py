"""Anthropic's API behind the interface of ``providers``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from selu.files import JsonObject
from selu.systems.prompt.hiding import Hidden
from selu.systems.prompt.providers import (
    ENDED,
    RUNNING,
    Line,
    Provider,
    RawResponse,
    Status,
    UndecidedError,
    line_of,
    listed,
    name_of,
)

_PIECE = 1 << 20
_FIRST = 100  # lines that show whose results they are: others' among them are a provider's mistake


class Anthropic(Provider):
    """Anthropic's API."""

    protocol, most_requests, most_bytes, keeps_files = "anthropic", 100_000, 256_000_000, False

    def __init__(self, key: str, base_url: str | None, timeout: float, hidden: Hidden) -> None:
        import anthropic

        super().__init__(anthropic, hidden, timeout)
        # The API's later versions know no temperature, which the paper's protocol sets.
        self._client = anthropic.Anthropic(
            api_key=key,
            base_url=base_url,
            timeout=timeout,
            max_retries=0,
            http_client=self._http,
            default_headers={"anthropic-version": "2023-06-01"},
        )
        self._batches = self._client.messages.batches

    def _asked(self, body: JsonObject) -> RawResponse:
        known, extra = dict(body), {}
        if "temperature" in known:  # which this version of the API knows, and the SDK does not
            extra["temperature"] = known.pop("temperature")
        create: Callable[..., RawResponse] = self._client.messages.with_raw_response.create
        return create(**known, extra_body=extra)

    def line(self, id: str, body: JsonObject) -> bytes:
        """See ``Provider``."""
        return line_of({"custom_id": id, "params": body})

    def submit(self, tag: str, file: Path) -> str:  # noqa: ARG002
        """Send it; the tag is in the ids of all requests."""
        kind = self._sdk.types.messages.MessageBatch
        headers = {"content-type": "application/json", "content-length": str(sum(map(len, _joined(file))))}
        with self._translated(creates=True):
            # The SDK's call by name would hold the batch in memory several times over.
            made = self._client.post(
                "/v1/messages/batches", content=_joined(file), cast_to=kind, options={"headers": headers}
            )
            return name_of(made)

    def find(self, tag: str, since: float, rows: int, known: Collection[str]) -> str | None:
        """Find it by the ids of its requests, which it shows when it has ended."""
        with self._translated():
            for batch in listed(self._batches.list(limit=100)):
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
        """See ``Provider``."""
        found = self._retrieved(batch)
        with self._translated():
            if found.processing_status == "ended":
                return Status(ENDED, answered=found.request_counts.succeeded)
            return Status(RUNNING)

    def results(self, batch: str) -> Iterator[Line]:
        """See ``Provider``."""
        lines = self._batches.with_streaming_response
        with self._translated(), lines.results(batch) as response:
            yield from self._lines_of(response)

    def _read(self, line: Mapping[str, Any]) -> Line:
        result = line["result"]
        if result["type"] == "succeeded":
            return Line(str(line["custom_id"]), self._hidden.record(result["message"]))
        error = (result.get("error") or {}).get("error") or {}
        why = f"{error.get('type') or result['type']}: {error.get('message') or ''}"
        return Line(str(line["custom_id"]), why=self._shown(why))

    def tidy(self, batch: str) -> None:
        """Remove nothing: no files are kept, and results go by themselves."""

    def sweep(self, tags: Collection[str], since: float) -> None:
        """Remove nothing: no files are kept."""


def _joined(file: Path) -> Iterator[bytes]:
    """Yield the lines of a file as the list of requests of one body, in pieces."""
    yield b'{"requests":['
    left = file.stat().st_size - 1  # without the end of the last line
    with file.open("rb") as stream:
        while piece := stream.read(min(left, _PIECE)):
            left -= len(piece)
            yield piece.replace(b"\n", b",")
    yield b"]}"
