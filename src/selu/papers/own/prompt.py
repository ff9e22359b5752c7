"""The prompt template of one's own task, made of its record in the form of the paper's templates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from selu.papers.own.record import Own
from selu.vocabulary import Kind

# What a task asks for by its kind: the form of its prompt, and the words for it.
_FORMS: dict[str, tuple[str, str]] = {
    Kind.MULTI_LABEL: ("labels", "label a text"),
    Kind.REGRESSION: ("number", "answer, for a text, with a number"),
}
_CLASSES = ("one_class", "classify a text")


def files(own: Own, templates: Path) -> Mapping[str, bytes]:
    """Return all files of the task's prompts, by name in one folder: two forms and the task's template.

    The latter is TASK.j2 beside the task's record where somebody wrote it.

    Args:
        templates: the folder that the forms are copied from.
    """
    name, asks = _FORMS.get(own.task.kind, _CLASSES)
    form = f"forms/{name}.j2"
    written = own.path.with_suffix(".j2")
    template = written.read_bytes() if written.is_file() else _made(own, form, asks).encode()
    forms = {name: (templates / name).read_bytes() for name in ("base.j2", form)}
    return forms | {f"{own.task.id}.j2": template}


def _made(own: Own, form: str, asks: str) -> str:
    record = own.record
    texts, label = record.texts, _plain(record.label)
    values = {
        "context": "software engineering",
        "task": f'{asks} by the question "{record.question}"',
        "entity": _plain(texts[0]).upper() if len(texts) == 1 else "TEXT",
    }
    if own.task.kind is Kind.REGRESSION:
        means = f'the answer to the question "{record.question}"'
        values |= {"quantity": label, "means": means, "target": label.upper()}
    lines = [f'{{% extends "{form}" %}}', *(f"{{% set {k} = {_quoted(v)} %}}" for k, v in values.items())]
    return "\n".join(lines) + "\n"


def _plain(column: str) -> str:
    return " ".join(column.replace("_", " ").split())


def _quoted(text: str) -> str:
    """Return a string of Jinja's language, on one line."""
    escaped = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
