"""Texts to be answered, one per line, as JSON lines or as CSV; and answers in the same form."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from selu.files import TornError, read_csv, take, write_csv
from selu.names import nearest
from selu.vocabulary import SeluError

MOST = 1 << 30  # bytes of texts
ANSWER = "answer"
Value = TypeVar("Value")
_HALF = re.compile("[\ud800-\udfff]")  # half of a surrogate pair; no file can hold it alone
_SUFFIXES = {".csv": "csv", ".tsv": "csv", ".jsonl": "json", ".ndjson": "json", ".json": "json"}


class Form(StrEnum):
    """The form of texts and answers."""

    LINES = "lines"
    JSON = "json"
    CSV = "csv"


@dataclass(frozen=True)
class Given:
    """An input: a text, or words; parts of speech if given; and its whole row."""

    text: str
    words: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    row: Mapping[str, Any] = field(default_factory=dict)


def form_of(path: Path | None, as_json: bool) -> Form:
    """Return the form of a file by its name; lines if the name does not tell."""
    known = _SUFFIXES.get(path.suffix.lower(), Form.LINES) if path else Form.LINES
    return Form.JSON if as_json else Form(known)


def form_out(path: Path | None, form: Form) -> Form:
    """Return the form of answers in a file, by its name, to texts of a form.

    Raises:
        SeluError: another ending than of CSV, JSON lines or plain text, or JSON lines that would become CSV.
    """
    ending = path.suffix.lower() if path else ""
    if ending in ("", ".txt"):
        return form
    wanted = {".csv": Form.CSV, ".jsonl": Form.JSON, ".ndjson": Form.JSON}.get(ending)
    if wanted is None:
        raise SeluError(f"--out {path}: answers are CSV or JSON lines: let its name end in .csv or .jsonl.")
    if form is Form.JSON and wanted is Form.CSV:
        raise SeluError(f"--out {path}: answers to JSON lines are JSON lines: let its name end in .jsonl.")
    return wanted


def read(content: bytes, form: Form, column: str | None = None) -> list[Given]:
    """Read the input. An empty line is an empty text; in JSON and CSV, blank lines at the end are ignored.

    Args:
        column: of a row's text, by default ``text``.

    Raises:
        SeluError: nothing came in, no such column, or a line is not UTF-8 or not of the form, with its number.
    """
    if len(content) > MOST:
        raise SeluError(f"more than {MOST:,} bytes were given: give fewer texts at once.")
    if not content:
        raise SeluError("no text was given: give one a line, like \"echo 'fix the build' | selu predict ...\".")
    if form is Form.LINES and column is not None:
        raise SeluError("--column names a column of a CSV or a field of JSON lines: give such a FILE.")
    lines = _decoded(content)
    if form is Form.CSV:
        return _csv("\n".join(lines), column or "text")
    if form is Form.LINES:
        texts = (line.removesuffix("\r") for line in lines)
        return [Given(text, row={"text": text}) for text in texts]
    while len(lines) > 1 and not lines[-1].strip():
        lines.pop()
    return take(enumerate(lines, start=1), lambda numbered: _object(numbered[1], numbered[0], column or "text"))


def object_of(line: str) -> Mapping[str, object] | None:
    """Read a JSON object; None for anything else.

    Raises:
        SeluError: a field occurs twice, so that one of its values would be lost.
    """
    try:
        found = json.loads(line, object_pairs_hook=fields_once)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def fields_once(pairs: Sequence[tuple[str, Value]]) -> Mapping[str, Value]:
    """Build a JSON object from its fields; refuse a duplicate field, of which one would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise SeluError(f"the field {twice[:80]!r} occurs twice: keep one of them.")
    return found


def check_encoding(content: bytes) -> None:
    """Refuse UTF-16, in which spreadsheets save, by its first bytes."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise SeluError("line 1 begins as UTF-16 does: save the file as UTF-8.")


def _decoded(content: bytes) -> list[str]:
    check_encoding(content)
    return take(enumerate(content.removesuffix(b"\n").split(b"\n"), start=1), _line)


def _line(numbered: tuple[int, bytes]) -> str:
    number, line = numbered
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError:
        raise SeluError(f"line {number} is not UTF-8: convert the texts first.") from None


def _csv(text: str, column: str) -> list[Given]:
    try:
        head, at, rows = read_csv(text)
        if len(set(head)) < len(head):
            twice = next(name for name in head if head.count(name) > 1)
            raise SeluError(f"line {at} has the column {twice[:80]!r} twice: keep one of them.")
        if column not in head:
            raise SeluError(f"line {at}: {nearest(column, head, 'column')} --column names another one.")
        if ANSWER in head:
            raise SeluError(
                f"line {at} has a column {ANSWER} already: name it otherwise, so that none is lost."
            )

        def given(numbered: tuple[int, list[str]]) -> Given:
            line, row = numbered
            if len(row) != len(head):
                raise SeluError(f"line {line} has {len(row)} columns, line {at} has {len(head)}.")
            found = dict(zip(head, row, strict=True))
            return Given(found[column], row=found)

        found = take(rows, given)
    except TornError as error:
        raise SeluError(f"line {error.line} is not CSV: {error}.") from None
    if not found:
        raise SeluError(f"line {at} names the columns, and no row comes after it: give at least one text.")
    return found


def _object(line: str, number: int, column: str) -> Given:
    try:
        row = object_of(line)
    except SeluError as error:
        raise SeluError(f"line {number}: {error}") from None
    if row is None:
        raise SeluError(f'line {number} is not like {{"{column}": "..."}}, a JSON object a line.')
    fields: Any = row
    text, words, tags = fields.get(column), fields.get("words"), fields.get("tags")
    if _HALF.search(json.dumps(row, ensure_ascii=False)):
        raise SeluError(f"line {number} has a lone surrogate (\\ud800 to \\udfff): write whole ones.")
    if isinstance(text, str) and words is None and tags is None:
        return Given(text, row=row)
    if text is None and _texts(words) and (tags is None or (_texts(tags) and len(tags) == len(words))):
        return Given(" ".join(words), tuple(words), None if tags is None else tuple(tags), row)
    if words is None and tags is None and column in row:
        raise SeluError(
            f"line {number}, field {column!r}: that is not text: write one between quotation marks."
        )
    if words is None and tags is None and row:
        raise SeluError(f"line {number}: {nearest(column, row, 'field')} --column names another one.")
    raise SeluError(
        f'line {number} is neither {{"{column}": "..."}} nor {{"words": ["...", ...]}}, with as many "tags" '
        "where these are given."
    )


def _texts(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


# -- answers ----------------------------------------------------------------------------------------


def written(
    given: Sequence[Given], answers: Sequence[object], form: Form, odds: Sequence[Mapping[str, float]] = ()
) -> str:
    """Write each answer as a line, in words; of JSON and CSV behind the row that it answers.

    Args:
        odds: probabilities by label, a mapping for each answer; none where nobody asked for them.
    """
    if form is Form.LINES:
        shares = [[f"{share:.4f}" for share in row.values()] for row in odds] or [[] for _ in answers]
        return "".join(
            "\t".join([_plain(answer), *columns]) + "\n"
            for answer, columns in zip(answers, shares, strict=True)
        )
    if form is Form.JSON:
        added = [{"probabilities": dict(row)} for row in odds] or [{} for _ in answers]
        rows = (
            {**asked.row, ANSWER: answer, **p} for asked, answer, p in zip(given, answers, added, strict=True)
        )
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    lines = [
        [*(given[0].row if given else ()), ANSWER, *(f"p({label})" for label in (odds[0] if odds else ()))]
    ]
    for at, (asked, answer) in enumerate(zip(given, answers, strict=True)):
        shares_of = [f"{share:.6g}" for share in odds[at].values()] if odds else []
        lines.append([*asked.row.values(), _plain(answer), *shares_of])
    return write_csv(lines)


def _plain(answer: object) -> str:
    if answer is None:
        return ""
    if isinstance(answer, list):
        if answer and isinstance(answer[0], list):
            return " ".join("/".join(pair) for pair in answer)
        return ", ".join(answer)
    return f"{answer:.4f}" if isinstance(answer, float) else str(answer)
