"""The lines that ``selu predict`` reads texts from, and those that it answers with."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from selu.vocabulary import SeluError

MOST = 1 << 30  # bytes of texts
_HALF = re.compile("[\ud800-\udfff]")  # of a pair that stands for one character; no file can hold it alone


@dataclass(frozen=True)
class Given:
    """What came in: a text, or words; and parts of speech where they were given."""

    text: str
    words: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None


def read_lines(lines: bytes, as_json: bool) -> list[Given]:
    """What came in, one per line; an empty line is an empty text.

    Raises:
        SeluError: nothing came in, or a line is not UTF-8 or not such JSON, with its number.
    """
    if len(lines) > MOST:
        raise SeluError(f"more than {MOST:,} bytes came in: give fewer texts at once.")
    if not lines:
        raise SeluError("no text came in: give one a line, like \"echo 'fix the build' | selu predict ...\".")
    found = []
    for number, line in enumerate(lines.removesuffix(b"\n").split(b"\n"), start=1):
        try:
            text = line.removesuffix(b"\r").decode("utf-8")
        except UnicodeDecodeError:
            raise SeluError(f"line {number} is not UTF-8: convert the texts first.") from None
        found.append(_object(text, number) if as_json else Given(text))
    return found


def _object(line: str, number: int) -> Given:
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    row = row if isinstance(row, dict) else {}
    text, words, tags = row.get("text"), row.get("words"), row.get("tags")
    if _HALF.search(json.dumps([text, words, tags], ensure_ascii=False)):
        raise SeluError(f"line {number} holds half a character (\\ud800 to \\udfff): write whole ones.")
    if isinstance(text, str) and words is None and tags is None:
        return Given(text)
    if text is None and _texts(words) and (tags is None or (_texts(tags) and len(tags) == len(words))):
        return Given(" ".join(words), tuple(words), None if tags is None else tuple(tags))
    raise SeluError(
        f'line {number} is neither {{"text": "..."}} nor {{"words": ["...", ...]}}, with as many "tags" where '
        "these are given."
    )


def _texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def shown(answers: Sequence[Any], as_json: bool) -> list[str]:
    """Write each answer as a line: in words, or as a JSON object."""
    return [json.dumps({"answer": one}, ensure_ascii=False) if as_json else _plain(one) for one in answers]


def _plain(answer: Any) -> str:
    if answer is None:
        return ""
    if isinstance(answer, list):
        if answer and isinstance(answer[0], list):
            return " ".join("/".join(pair) for pair in answer)
        return ", ".join(answer)
    return f"{answer:.4f}" if isinstance(answer, float) else str(answer)
