"""What both providers share: what a model answers, how tokens are counted, how a request is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

STOPS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal", "refusal": "refusal"}


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model says. ``stop``: stop, length, content_filter or refusal; ``STOPS``: Anthropic's words."""

    text: str
    stop: str = "stop"

    def within(self, most: int | None) -> Reply:
        """The same, cut where ``most`` output tokens end."""
        if most is None or tokens(self.text) <= most:
            return self
        return Reply(self.text.encode()[: 4 * most - 1].decode(errors="ignore"), "length")


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that is refused or goes wrong when it is computed; nothing is billed."""

    status: int
    type: str
    message: str
    code: str | None = None


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode

Rule = Callable[[str], "str | Reply | Failure"]


class Problem(Exception):  # noqa: N818
    """An answer with an error's status; each provider has its own body for it."""

    def __init__(
        self, status: int, type_: str, message: str, code: str | None = None, param: str | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.type, self.code, self.param = status, type_, code, param
        self.headers: dict[str, str] = {}


@dataclass
class Answer:
    """An HTTP answer; a body that is a path is streamed from the disk."""

    body: bytes | Path
    status: int = 200
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Limits:
    """The providers' published limits; tests lower them."""

    openai_requests: int = 50_000
    openai_bytes: int = 200_000_000
    anthropic_requests: int = 100_000
    anthropic_bytes: int = 256_000_000


def tokens(text: str) -> int:
    """The rule of this server: a token is four bytes of UTF-8, and there is one more."""
    return len(text.encode()) // 4 + 1


def fingerprint(body: Any) -> str:
    """16 hexadecimal digits of a request's body, whatever the order of its keys."""
    return hashlib.blake2b(_CANONICAL(body).encode(), digest_size=8).hexdigest()


def one_of(answers: Sequence[str]) -> Rule:
    """Answers picked by the prompt's hash."""

    def rule(prompt: str) -> str:
        return answers[int.from_bytes(hashlib.sha256(prompt.encode()).digest()[:8], "big") % len(answers)]

    return rule


def text_of(content: Any) -> str | None:
    """The text of a message's content: a string or a list of text parts; None: neither."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
    texts = [part for part in parts if isinstance(part, str)]
    return "".join(texts) if len(texts) == len(content) > 0 else None


def filled(schema: dict[str, Any], text: str) -> dict[str, Any]:
    """A structured answer of one field that says a text: a number, a list (by its commas) or a string."""
    ((name, field),) = schema["properties"].items()
    if field.get("type") == "array":
        return {name: [] if text == "none" else text.split(", ")}
    try:
        return {name: float(text) if field.get("type") == "number" else text}
    except ValueError:
        return {name: text}


def as_json(text: bytes) -> dict[str, Any]:
    """A request's body as an object."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        raise Problem(400, "invalid_request_error", "The body of the request is not valid JSON.") from None
    if not isinstance(body, dict):
        raise Problem(400, "invalid_request_error", "The body of the request is not a JSON object.")
    return body


def page(query: dict[str, str], name: str, default: int, most: int) -> int:
    """How many objects a list's page holds."""
    try:
        size = int(query.get(name, default))
    except ValueError:
        size = 0
    if not 1 <= size <= most:
        raise Problem(400, "invalid_request_error", f"{name} must be from 1 to {most}.", None, name)
    return size


def ends(shown: list[dict[str, Any]]) -> dict[str, Any]:
    """The first and the last id of a list's page."""
    return {"first_id": shown[0]["id"] if shown else None, "last_id": shown[-1]["id"] if shown else None}
