"""What both providers share: what a model answers, how tokens are counted, how a request is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import pydantic


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that is refused or goes wrong when it is computed; nothing is billed."""

    status: int
    type: str
    message: str
    code: str | None = None


Rule = Callable[[str], "str | Failure"]


class Problem(Exception):  # noqa: N818
    """An answer with an error's status; each provider has its own body for it."""

    def __init__(self, status: int, type_: str, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.failure = Failure(status, type_, message, code)
        self.headers: dict[str, str] = {}


@dataclass
class Answer:
    """An HTTP answer."""

    body: bytes
    status: int = 200
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)


def json_answer(record: dict[str, Any]) -> Answer:
    """An answer of JSON."""
    return Answer(json.dumps(record).encode())


@lru_cache
def _adapter(shape: Any) -> pydantic.TypeAdapter[Any]:
    return pydantic.TypeAdapter(shape)


def published(shape: Any, record: dict[str, Any]) -> dict[str, Any]:
    """A record that has every field that the SDK's type needs, and none that it does not know."""

    def known(value: Any) -> bool:
        if isinstance(value, list):
            return all(map(known, value))
        if not hasattr(value, "model_fields_set"):
            return True
        return not value.model_extra and all(known(getattr(value, name)) for name in value.model_fields_set)

    assert known(_adapter(shape).validate_python(record)), record
    return record


def tokens(text: str) -> int:
    """The rule of this server: a token is four bytes of UTF-8, and there is one more."""
    return len(text.encode()) // 4 + 1


def fingerprint(body: Any) -> str:
    """16 hexadecimal digits of a request's body, whatever the order of its keys."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def one_of(answers: Sequence[str]) -> Rule:
    """Answers picked by the prompt's hash."""

    def rule(prompt: str) -> str:
        return answers[int.from_bytes(hashlib.sha256(prompt.encode()).digest()[:8], "big") % len(answers)]

    return rule


def filled(schema: dict[str, Any], text: str) -> dict[str, Any]:
    """A structured answer of one field that says a text: a number, a list (by its commas) or a string."""
    ((name, field),) = schema["properties"].items()
    if field.get("type") == "array":
        return {name: [] if text == "none" else text.split(", ")}
    try:
        return {name: float(text) if field.get("type") == "number" else text}
    except ValueError:
        return {name: text}
