"""The authors' own prompts, from their package by hash, and what their scripts make of a reply.

The templates stay outside the repository; ``data/pins/selu/prompt_files.csv`` has their hashes. How replies are
read follows the authors' final scripts; ``selu.systems.prompt.parse.as_authors`` follows those of the preprint.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selu.benchmarks.pinned import obtain, read_pins
from selu.metrics.checks import INVALID
from selu.metrics.regression import LARGEST
from selu.project import PINS
from selu.vocabulary import Kind, SeluError, Task

FILE = "prompt_files.csv"
_SLOT = re.compile(r"\{(text|shot_[1-3]|label_[1-3])\}")
_NAMES = {  # the authors' names of labels where they are not ours, in our order
    "safety_issue": ("NO", "YES"),
    "comment_type_java": (
        "summary", "ownership", "expand", "usage", "pointer", "deprecation", "rational",
    ),
    "comment_type_pharo": (
        "keyimplementationpoints", "example", "responsibilities", "classreferences", "intent", "keymessages",
        "collaborators",
    ),
    "comment_type_python": ("usage", "parameters", "developmentNotes", "expand", "Summary"),
    "review_aspect": (
        "usability", "others", "onlysentiment", "bug", "performance", "community", "documentation",
        "compatibility", "legal", "portability", "security",
    ),
}  # fmt: skip


def template(root: Path, task: Task, shots: int, folders: Sequence[Path]) -> str:
    """Read the authors' template of a task, from the first of these folders that has the pinned bytes.

    Raises:
        SeluError: there is none with so many shots, no folder has it, or its bytes are other ones.
    """
    strategy = f"{shots}-shot" if shots else "zero-shot"
    for pin in read_pins(root / PINS / "selu" / FILE):
        if (pin.task, pin.system) == (task.id, strategy):
            return obtain(pin, folders).decode("utf-8")
    raise SeluError(
        f"the authors have no {strategy} prompt of {task.id}: choose 0 or 3 shots of a ranked task."
    )


def render(content: str, text: str, shots: Sequence[tuple[str, str]] = ()) -> str:
    """Fill a template with a row's text, and with the texts and answers (``words``) of its shots."""
    values = {"text": text}
    for place, (shown, answer) in enumerate(shots, start=1):
        values |= {f"shot_{place}": shown, f"label_{place}": answer}
    return _SLOT.sub(lambda slot: values[slot[1]], content)


@dataclass(frozen=True)
class Template:
    """A template of the authors, with ``{text}``, ``{shot_1}``, ``{label_1}`` and so on."""

    content: str

    def render(self, text: str, shots: Sequence[tuple[str, str]] = ()) -> str:
        """Fill it; as ``render``."""
        return render(self.content, text, shots)


def prompt(
    root: Path, task: Task, shots: int, folders: Sequence[Path]
) -> tuple[Template, Callable[[Task, Any], str]]:
    """Read the authors' template and how they write answers; errors as of ``template``."""
    return Template(template(root, task, shots, folders)), words


def names(task: Task) -> tuple[str, ...]:
    """Name a task's labels as the authors do, in our order."""
    return _NAMES.get(task.id, tuple(label.name for label in task.labels))


def words(task: Task, answer: Any) -> str:
    """Write an answer as the authors' shots show it: several labels with a comma and no space between."""
    if task.kind is Kind.REGRESSION:
        return f"{answer:g}"
    if task.kind is Kind.MULTI_LABEL:
        return ",".join(name for name, applies in zip(names(task), answer, strict=True) if applies)
    return names(task)[int(answer)]


def read(task: Task, reply: str | None) -> int | list[int] | float | None:
    """Read a reply as the authors' final scripts do.

    A class is the longest name that occurs anywhere in the lower-cased reply; several labels are the pieces
    between commas that equal a name; a number is what Python's ``int`` takes whole, or else 0. Names are
    compared in lower case.

    Returns:
        an answer, -1 where no class occurs, or None where there is no reply and the row is left out.
    """
    if reply is None:
        return None
    lowered, known = reply.lower().strip(), [name.lower() for name in names(task)]
    if task.kind is Kind.REGRESSION:
        return _whole(lowered)
    if task.kind is Kind.MULTI_LABEL:
        pieces = {piece.strip() for piece in lowered.split(",")}
        return [int(name in pieces) for name in known]
    by_length = sorted(range(len(known)), key=lambda index: -len(known[index]))
    return next((index for index in by_length if known[index] in lowered), INVALID)


def _whole(text: str) -> float:
    try:
        value = float(int(text))
    except (ValueError, OverflowError):
        return 0.0
    return value if abs(value) <= LARGEST else 0.0
