"""The wire format: the body of a request, and the content of a reply's body, for each protocol.

Bodies are plain JSON of the shapes that the providers publish (chat completions, messages).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_CUT = ("max_tokens", "model_context_window_exceeded")  # Anthropic's reasons to stop
_ANSWER = "answer"  # name of the field of structured answers, and of their form


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply.

    Attributes:
        text: None where the body holds none.
        cut: it ended for the limit of tokens; ``refused``: for the provider's or the model's refusal.
        asked, answered: tokens of the prompt and of the answer, as billed.
        model: the model that says it answered.
    """

    text: str | None
    cut: bool
    refused: bool
    asked: int
    answered: int
    model: str | None


def body(protocol: str, model: str, prompt: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Build the body of a request.

    Args:
        protocol: openai (its chat completions, which compatible servers speak too) or anthropic.
        params: temperature (None: not sent, as models ask that know none), max_tokens, seed (openai alone), and
            for structured answers ``schema``; of models that are not asked as usual ``limit`` (what the most
            tokens are called), ``reasoning`` (tokens beside the answer's) and ``effort`` (openai alone).
    """
    found: dict[str, Any] = {
        "model": model,
        "messages": [{"role": "user", "content": prompt}],
        params.get("limit", "max_tokens"): params["max_tokens"] + params.get("reasoning", 0),
    }
    if params["temperature"] is not None:
        found["temperature"] = params["temperature"]
    schema = params.get("schema")
    if protocol == "openai":
        found["seed"] = params["seed"]
        if effort := params.get("effort"):
            found["reasoning_effort"] = effort
        if schema:
            form = {"name": _ANSWER, "strict": True, "schema": schema}
            found["response_format"] = {"type": "json_schema", "json_schema": form}
        return found
    if budget := params.get("reasoning"):
        found["thinking"] = {"type": "enabled", "budget_tokens": budget}
    if schema:
        found["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    return found


def schema(kind: str, labels: Sequence[str]) -> dict[str, Any]:
    """Build the JSON schema of a structured answer to a task of this kind."""
    label: dict[str, Any] = {"type": "string", "enum": list(labels)}
    value = {"regression": {"type": "number"}, "multi_label": {"type": "array", "items": label}}.get(
        kind, label
    )
    return {
        "type": "object",
        "properties": {_ANSWER: value},
        "required": [_ANSWER],
        "additionalProperties": False,
    }


def read(protocol: str, record: Any, structured: bool = False) -> Reply:
    """Read what a reply's body says; a structured answer comes back as the text that a plain one would be.

    Raises:
        ValueError: the body is not a reply of this protocol.
    """
    try:
        found = _openai(record) if protocol == "openai" else _anthropic(record)
    except (KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise ValueError("the body is no reply") from None
    if structured and found.text is not None:
        return Reply(_plain(found.text), found.cut, found.refused, found.asked, found.answered, found.model)
    return found


def _openai(record: Any) -> Reply:
    choice, usage = record["choices"][0], record.get("usage") or {}
    message, ended = choice["message"], choice.get("finish_reason")
    refusal, content = message.get("refusal"), message.get("content")
    return Reply(
        _text(refusal if content is None else content),
        ended == "length",
        bool(refusal) or ended == "content_filter",
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
        _text(record.get("model")),
    )


def _anthropic(record: Any) -> Reply:
    usage, ended = record.get("usage") or {}, record.get("stop_reason")
    if not isinstance(record["content"], list):
        raise TypeError
    return Reply(
        _text("".join(block["text"] for block in record["content"] if block["type"] == "text")),
        ended in _CUT,
        ended == "refusal",
        _count(usage.get("input_tokens")),
        _count(usage.get("output_tokens")),
        _text(record.get("model")),
    )


def _text(value: Any) -> str | None:
    """Replace lone surrogates, which no table can hold; a reply that was cut may end with one."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else None


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value >= 0 else 0


def _plain(text: str) -> str:
    """Convert a structured answer to a plain one; return any other text as is, for the parser to refuse."""
    try:
        value = json.loads(text)[_ANSWER]
    except (ValueError, KeyError, TypeError, RecursionError):
        return text
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value) or "none"
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return str(value) if number or isinstance(value, str) else text
