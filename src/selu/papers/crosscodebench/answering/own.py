"""``selu run --paper crosscodebench --model NAME``: any model over tasks of the collection, and a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge

from selu.files import to_json, write_csv
from selu.papers.asked import Learner
from selu.papers.crosscodebench.answering import comparing, tables, tuning
from selu.papers.crosscodebench.answering.cells import BATCH, Answered, Cell, answers
from selu.papers.crosscodebench.answering.rows import read_rows
from selu.papers.crosscodebench.answering.scoring import Resampled
from selu.papers.crosscodebench.collection.authors import find_words
from selu.papers.crosscodebench.formats import find_format
from selu.papers.crosscodebench.records import AboutModel, ModelScores
from selu.papers.evidence import Evidence
from selu.papers.page import standalone
from selu.project import Settings

Count = Annotated[int, Ge(1)]


@dataclass(frozen=True)
class AskedSettings(Settings):
    """Section ``asked`` of the benchmark's parameters.

    Attributes:
        tasks: ids; all that have rows where none is named.
        formats: names of ``formats.FORMATS``.
        rows: of each task, drawn from its first 500.
        label_rows: the same, of a task that is answered by one of its labels.
        answer_tokens: of an answer, at most.
    """

    tasks: tuple[str, ...]
    formats: tuple[str, ...]
    rows: Count
    label_rows: Count
    answer_tokens: Count
    seed: int


def run(evidence: Evidence, given: Learner, tasks: Sequence[str]) -> Mapping[str, str | bytes]:
    """Ask the model for missing replies, after tuning if that is declared; return the files of its page.

    Raises:
        SeluError: there is no such task or format; the rows are not here; or as the model's own.
    """
    if tuning.declared(evidence, given.id):
        about, found, formats = tuning.run(evidence, given, tasks)
    else:
        about, found, formats = _ask(evidence, given, tasks)
    record = comparing.summarize(about, found, formats, Resampled(evidence.draws))
    return {"scores.json": to_json(record), "answers.csv": _answers(found), **page(record)}


def _ask(
    evidence: Evidence, given: Learner, tasks: Sequence[str]
) -> tuple[AboutModel, list[Answered], tuple[str, ...]]:
    settings = evidence.settings("asked", AskedSettings)
    forms = [find_format(name) for name in settings.formats]
    named = read_rows(evidence.rows, tasks or settings.tasks, find_words(evidence))
    cells = [
        Cell.from_sample(task, form, settings.label_rows if task.entry.labels else settings.rows, settings.seed)
        for task in named
        for form in forms
    ]
    replies = given.ask([cell.questions for cell in cells], settings.answer_tokens)
    about: AboutModel = {
        "model": replies.model,
        "parameters": replies.parameters,
        "identity": dict(replies.identity),
        "sample": {
            "rows": settings.rows,
            "label rows": settings.label_rows,
            "seed": settings.seed,
            "answer_tokens": settings.answer_tokens,
            "batch": BATCH,
            "tasks in the authors' words": sum(task.words is not None for task in named),
        },
    }
    return about, list(answers(cells, replies.sets)), settings.formats


def _answers(found: Sequence[Answered]) -> str:
    lines: list[Sequence[str | int]] = [
        ("task", "format", "row", "answer", "reply", "asked", "answered", "seconds")
    ]
    for answered in found:
        cell, reply = answered.cell, answered.reply
        cost = (reply.asked, reply.answered, f"{reply.seconds:.3f}")
        lines.append((cell.task.id, cell.form.name, answered.row, answered.answer, reply.text, *cost))
    return write_csv(lines)


def page(record: ModelScores) -> Mapping[str, str | bytes]:
    """Render a model's scores as HTML, as Markdown, and each table as CSV."""
    made = [tables.by_type(record), tables.questions(record), tables.by_task(record), tables.cost(record)]
    head = f"{record['model']} on tasks of CrossCodeBench"
    return standalone(head, [comparing.say_answers(record)], [("", table) for table in made])
