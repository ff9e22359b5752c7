"""An instance of a task, in the form of the published files."""

from __future__ import annotations

from dataclasses import dataclass

SEPARATOR = " ||| "  # between several inputs or outputs, as the authors' code joins them
Text = str | list[str]


@dataclass(frozen=True, slots=True)
class Instance:
    """The input, the expected output, the part of its data set, and the number there."""

    input: Text
    output: Text
    split: str
    idx: str | int


def joined(text: Text) -> str:
    """Return a text as a model is shown it."""
    return text if isinstance(text, str) else SEPARATOR.join(text)
