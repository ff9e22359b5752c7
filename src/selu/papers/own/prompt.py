"""The prompt template of one's own task, made of its record in the form of the paper's templates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from selu.papers.own.record import Own
from selu.vocabulary import Kind

_FORMS: dict[str, str] = {Kind.MULTI_LABEL: "labels", Kind.REGRESSION: "number"}


def files(own: Own, templates: Path) -> Mapping[str, bytes]:
    """Return all files of the task's prompts, by name in one folder: two forms and the task's template.

    The latter is TASK.j2 beside the task's record where somebody wrote it.

    Args:
        templates: the folder that the forms are copied from.
    """
    form = f"forms/{_FORMS.get(own.task.kind, 'one_class')}.j2"
    written = own.path.with_suffix(".j2")
    template = written.read_bytes() if written.is_file() else _made(own, form).encode()
    forms = {name: (templates / name).read_bytes() for name in ("base.j2", form)}
    return forms | {f"{own.task.id}.j2": template}


def _made(own: Own, form: str) -> str:
    record, number = own.record, own.task.kind is Kind.REGRESSION
    texts, label = record.texts, _plain(record.label)
    what: dict[str, str] = {
        Kind.REGRESSION: "answer, for a text, with a number",
        Kind.MULTI_LABEL: "label a text",
    }
    values = {
        "context": "software engineering",
        "task": f'{what.get(own.task.kind, "classify a text")} by the question "{record.question}"',
        "entity": _plain(texts[0]).upper() if len(texts) == 1 else "TEXT",
    }
    if number:
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
