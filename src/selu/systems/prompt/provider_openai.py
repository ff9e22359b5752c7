"""OpenAI's API, or a server that speaks it, behind the interface of ``providers``."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

from selu.files import JsonObject
from selu.systems.prompt.hiding import Hidden
from selu.systems.prompt.providers import (
    ENDED,
    FAILED,
    RUNNING,
    Line,
    Provider,
    RawResponse,
    Status,
    line_of,
    listed,
    name_of,
)


class OpenAI(Provider):
    """OpenAI's API, or a server that speaks it."""

    protocol, most_requests, most_bytes, keeps_files = "openai", 50_000, 200_000_000, True
    _ENDPOINT = "/v1/chat/completions"

    def __init__(self, key: str, base_url: str | None, timeout: float, hidden: Hidden) -> None:
        import openai

        super().__init__(openai, hidden, timeout)
        self._client = openai.OpenAI(
            api_key=key, base_url=base_url, timeout=timeout, max_retries=0, http_client=self._http
        )
        self._batches = self._client.batches
        self._create: Callable[..., RawResponse] = self._client.chat.completions.with_raw_response.create

    def _asked(self, body: JsonObject) -> RawResponse:
        return self._create(**body)

    def line(self, id: str, body: JsonObject) -> bytes:
        """See ``Provider``."""
        return line_of({"custom_id": id, "method": "POST", "url": self._ENDPOINT, "body": body})

    def submit(self, tag: str, file: Path) -> str:
        """Send it; the batch carries the tag as metadata."""
        with self._translated(), file.open("rb") as stream:
            name = name_of(self._client.files.create(file=(file.name, stream), purpose="batch"))
        with self._translated(creates=True):
            made = self._batches.create(
                input_file_id=name,
                endpoint=self._ENDPOINT,
                completion_window="24h",
                metadata={"selu": tag},
            )
            return name_of(made)

    def find(self, tag: str, since: float, rows: int, known: Collection[str]) -> str | None:  # noqa: ARG002
        """Find it by its metadata."""
        with self._translated():
            for batch in listed(self._batches.list(limit=100)):
                if batch.metadata and batch.metadata.get("selu") == tag:
                    return name_of(batch)
                if batch.created_at < since - 3600:
                    break
        return None

    def status(self, batch: str) -> Status:
        """See ``Provider``."""
        found = self._retrieved(batch)
        with self._translated():
            if found.status == "failed":
                errors = (found.errors and found.errors.data) or []
                why = "; ".join(f"{e.code}: {e.message}" for e in errors[:3]) or "no reason given"
                return Status(FAILED, self._shown(why))
            if found.status in ("completed", "expired", "cancelled"):
                counts = found.request_counts
                return Status(ENDED, found.status, counts.completed if counts else None)
            return Status(RUNNING)

    def results(self, batch: str) -> Iterator[Line]:
        """See ``Provider``."""
        found = self._retrieved(batch)
        with self._translated():
            for file in (found.output_file_id, found.error_file_id):
                if file is None:
                    continue
                with self._client.files.with_streaming_response.content(file) as response:
                    yield from self._lines_of(response)

    def _read(self, line: Mapping[str, Any]) -> Line:
        response, error = line.get("response") or {}, line.get("error") or {}
        if response.get("status_code") == 200:
            return Line(str(line["custom_id"]), self._hidden.record(response["body"]))
        inner = (response.get("body") or {}).get("error") or {}
        why = error.get("code") or inner.get("code") or inner.get("type") or response.get("status_code")
        words = error.get("message") or inner.get("message") or ""
        return Line(str(line["custom_id"]), why=self._shown(f"{why or 'error'}: {words}"))

    def tidy(self, batch: str) -> None:
        """Remove what was sent and what came back."""
        found = self._retrieved(batch)
        self._remove([found.input_file_id, found.output_file_id, found.error_file_id])

    def sweep(self, tags: Collection[str], since: float) -> None:
        """Remove those that are known by their names."""
        names = {f"{tag}.jsonl" for tag in tags}
        with self._translated():
            files = listed(self._client.files.list(purpose="batch", order="desc", limit=1000))
            recent = takewhile(lambda file: file.created_at >= since - 3600, files)
            found = [name_of(file) for file in recent if file.filename in names]
        self._remove(found)

    def _remove(self, files: Iterable[str | None]) -> None:
        """Remove those of these files that are there."""
        for file in filter(None, files):
            with self._translated(), contextlib.suppress(self._sdk.NotFoundError):
                name_of(self._client.files.delete(file))
