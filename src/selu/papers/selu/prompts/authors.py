"""The authors' own prompts, from their package by hash, and their scripts' reading of a reply.

The templates stay outside the repository; ``data/pins/selu/prompt_files.csv`` has their hashes. How replies are
read follows the authors' final scripts; ``selu.systems.prompt.parse.as_authors`` follows those of the preprint.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from selu.metrics.checks import INVALID
from selu.metrics.regression import LARGEST
from selu.papers.api import Wording
from selu.papers.pinned import Pinned, obtain, read_pins
from selu.project import PINS
from selu.vocabulary import Kind, MachineError, SeluError, Task

FILE = "prompt_files.csv"
_REMEDY = (
    "'selu fetch prompt_files' brings it, or name the folder of the authors' package in SELU_PREDICTIONS "
    "('selu show-prompt': in --authors)"
)
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


@dataclass(frozen=True)
class Template:
    """A template of the authors, with ``{text}``, ``{shot_1}``, ``{label_1}`` and so on."""

    content: str

    def render(self, text: str, shots: Sequence[tuple[str, str]] = ()) -> str:
        """Fill it with a row's text, and with the texts and answers (``words``) of its shots."""
        values = {"text": text}
        for place, (shown, answer) in enumerate(shots, start=1):
            values |= {f"shot_{place}": shown, f"label_{place}": answer}
        return _SLOT.sub(lambda slot: values[slot[1]], self.content)


def pinned(root: Path, task: Task, shots: int) -> Pinned:
    """Find the pin of the authors' template of a task.

    Raises:
        SeluError: there is none with so many shots.
    """
    strategy = f"{shots}-shot" if shots else "zero-shot"
    for pin in read_pins(root / PINS / "selu" / FILE):
        if (pin.task, pin.system) == (task.id, strategy):
            return pin
    raise SeluError(
        f"the authors have no {strategy} prompt of {task.id}: choose 0 or 3 shots of a ranked task."
    )


def template(pin: Pinned, folders: Sequence[Path]) -> Template:
    """Read a template from the first of these folders that has the pinned bytes.

    Raises:
        MachineError: no folder has it, or its bytes are other ones.
    """
    try:
        return Template(obtain(pin, folders, _REMEDY).decode())
    except SeluError as error:
        raise MachineError(str(error)) from None  # a folder that lacks is not the cell's failure


def prompt(root: Path, task: Task, shots: int) -> Wording:
    """Return the authors' prompt of a task; raises the errors of ``pinned`` and ``template``."""
    pin = pinned(root, task, shots)
    return Wording(pin.sha256, Path(__file__), names(task), partial(template, pin), words, read, finds)


def names(task: Task) -> tuple[str, ...]:
    """Name a task's labels as the authors do, in our order; none of a number."""
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
        return _whole(lowered) or 0.0
    if task.kind is Kind.MULTI_LABEL:
        pieces = {piece.strip() for piece in lowered.split(",")}
        return [int(name in pieces) for name in known]
    by_length = sorted(range(len(known)), key=lambda index: -len(known[index]))
    return next((index for index in by_length if known[index] in lowered), INVALID)


def finds(task: Task, reply: str) -> bool:
    """Return whether a reply holds an answer as the authors' scripts read it: class, label or whole number.

    Their files count the first alone; a reply without a label is one that no label applies, and 0 stands for
    what is not a number.
    """
    if task.kind is Kind.REGRESSION:
        return _whole(reply) is not None
    found = read(task, reply)
    return any(found) if isinstance(found, list) else found != INVALID


def _whole(text: str) -> float | None:
    try:
        value = float(int(text))
    except (ValueError, OverflowError):
        return None
    return value if abs(value) <= LARGEST else None
