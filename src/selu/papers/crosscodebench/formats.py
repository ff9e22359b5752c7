"""The seven prompt formats of a row, exactly as in the authors' code, and their budgets.

A task's ``meta`` is the published file as it was read: every field a list of texts, examples records of
``input``, ``output`` and ``reason``. A text of several parts is a list; `` ||| `` stands between its parts.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from selu.papers.asked import Encode
from selu.papers.crosscodebench.collection.instances import Text, joined
from selu.vocabulary import SeluError

Meta = Mapping[str, Any]

ITEMS = ("Definition", "Type", "Categories", "Input_language", "Output_language")  # of an instruction
INSTRUCTION, SOURCE, TARGET = 768, 256, 256  # tokens of what stands before a row, of the row, of its answer
CHARACTERS = 4  # of a token, where a model's own tokens are not known
_CLOSING = "; Now complete the following example − input: "  # the minus sign is theirs
_ENDING = "; output:"


@dataclass(frozen=True, slots=True)
class Format:
    """A format: how many examples it shows of each kind, and whether the instruction stands before them."""

    name: str
    positives: int = 0
    negatives: int = 0
    instruction: bool = False


ZERO = Format("zero-shot")
FORMATS = (
    ZERO,
    *(Format(f"{shots}-shot", positives=shots) for shots in (1, 2, 3, 4)),
    Format("2/0-instruct", positives=2, instruction=True),
    Format("2/2-instruct", positives=2, negatives=2, instruction=True),
)
PLAIN = Format("no format")  # of the supervised model: the input alone


@dataclass(frozen=True, slots=True)
class Prompt:
    """The text that is sent: ``before`` the row, and the row as ``source``; each has a budget of its own."""

    before: str
    source: str

    @property
    def text(self) -> str:
        """Both together."""
        return self.before + self.source


def find_format(name: str) -> Format:
    """Find a format by its name.

    Raises:
        SeluError: no record has this name.
    """
    for form in (*FORMATS, PLAIN):
        if form.name == name:
            return form
    raise SeluError(f"{name!r} is no format: choose one of {', '.join(form.name for form in FORMATS)}.")


def write_prompt(form: Format, meta: Meta, source: Text, draw: random.Random) -> Prompt:
    """Write the prompt of a row.

    Where an example's input or output has several parts, these are shown, as the paper describes; the authors'
    code shows the parts of the row itself instead.

    Args:
        draw: draws the examples, again for each row as the authors do.

    Raises:
        SeluError: the task has fewer examples than the format shows, or lacks a field.
    """
    row = joined(source)
    if form is PLAIN:
        return Prompt("", row)
    if form == ZERO:
        return Prompt("", f"{_first(meta, 'Prompt')}: {row}")
    chosen = _draw(meta, "Positive Examples", form.positives, draw)
    if not form.instruction:
        parts = [
            f"Example {number} - input: {joined(example['input'])}; output: {joined(example['output'])}"
            for number, example in enumerate(chosen, start=1)
        ]
        return Prompt(f"{_first(meta, 'Prompt')}: {'; '.join(parts)}{_CLOSING}", f"{row}{_ENDING}")
    parts = [f"{item}: {', '.join(_field(meta, item))}" for item in ITEMS]
    refused = _draw(meta, "Negative Examples", form.negatives, draw)
    for kind, examples in (("Positive", chosen), ("Negative", refused)):
        parts += [
            f"{kind} Example {number} - input: {joined(example['input'])}; output: "
            f"{joined(example['output'])}, explanation: {example.get('reason', '')}"
            for number, example in enumerate(examples, start=1)
        ]
    return Prompt("; ".join(parts) + _CLOSING, f"{row}{_ENDING}")


def _field(meta: Meta, name: str) -> Sequence[Any]:
    found = meta.get(name)
    if not isinstance(found, Sequence) or isinstance(found, str) or not found:
        raise SeluError(f"a task's meta has no {name}, which its prompt shows: add it to the .meta.json.")
    return found


def _first(meta: Meta, name: str) -> str:
    return str(_field(meta, name)[0])


def _draw(meta: Meta, name: str, count: int, draw: random.Random) -> list[Mapping[str, Any]]:
    if not count:
        return []
    there = _field(meta, name)
    if len(there) < count:
        raise SeluError(f"a task's meta has {len(there)} {name}, and its prompt shows {count}: add more.")
    return draw.sample(list(there), count)


def cut_text(prompt: Prompt) -> str:
    """Cut a prompt for a model with unknown tokens: a fixed number of characters counts as a token.

    All prompted models are sent the same text by it.
    """
    if not prompt.before:
        return prompt.source[: (INSTRUCTION + SOURCE) * CHARACTERS]
    return prompt.before[: INSTRUCTION * CHARACTERS] + prompt.source[: SOURCE * CHARACTERS]


def lay_tokens(prompt: Prompt, encode: Encode, padding: int) -> list[int]:
    """Convert a prompt to token ids, each part cut and padded before they are joined, as the authors do.

    So padding stands between the parts, which attention leaves out, and a part that is too long loses its end.

    Args:
        encode: tokens of a text cut at its end; the marks that a model sets around a text are kept.
        padding: id of the token of padding.
    """
    parts = [(prompt.before, False, INSTRUCTION), (prompt.source, True, SOURCE)]
    if not prompt.before:
        parts = [(prompt.source, True, INSTRUCTION + SOURCE)]
    found: list[int] = []
    for text, marks, most in parts:
        ids = list(encode(text, marks, most))
        found += ids + [padding] * (most - len(ids))
    return found
