"""``selu run --paper faun_eval --model NAME``: a prompted model is asked the paper's three tasks.

The paper publishes neither its issues nor its prompts: the material is public (SWE-QA's questions, SWE-bench
Lite's issues), and the prompts are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from selu.files import to_json, write_csv
from selu.papers.asked import Given
from selu.papers.evidence import Evidence
from selu.papers.faun_eval.asking import answered, edited, located, tables
from selu.papers.faun_eval.asking.common import Row
from selu.papers.faun_eval.metrics import similarity
from selu.papers.faun_eval.records import AskedModel
from selu.papers.faun_eval.retrieval.part import find_candidates, find_questions
from selu.papers.page import standalone
from selu.vocabulary import SeluError


def ask(evidence: Evidence, given: Given, tasks: Sequence[str]) -> Mapping[str, str | bytes]:
    """Ask the model for missing answers; return the files of its page.

    Raises:
        SeluError: a pinned file is not available, or as the model's own.
        MachineError: a library that scores texts is not installed.
    """
    if tasks:
        raise SeluError(
            "FAUN-Eval's tasks for a model are drawn: leave --task out, and set in data/params/faun_eval.yaml "
            "how many."
        )
    for name in similarity.LIBRARIES:  # a missing one is reported before hours of asking
        similarity.library(name)
    candidates, (known, _) = find_candidates(evidence), find_questions(evidence)
    questions = answered.ask(evidence, given, known)
    files = located.ask(evidence, given, candidates)
    edits = edited.ask(evidence, given, candidates.tasks)
    record: AskedModel = {
        "model": files.replies.model,
        "parameters": files.replies.parameters,
        "identity": dict(files.replies.identity),
        "questions": questions.record,
        "files": files.record,
        "edits": edits.record,
    }
    rows = [*questions.rows, *files.rows, *edits.rows]
    return {"scores.json": to_json(record), "answers.csv": _answers(rows), **page(record)}


def _answers(rows: Iterable[Row]) -> str:
    head = ("task", "of", "read", "reply", "asked", "answered", "seconds")
    lines = [
        (
            *(row.task, row.name, row.read),
            *(row.reply.text, row.reply.asked, row.reply.answered, f"{row.reply.seconds:.3f}"),
        )
        for row in rows
    ]
    return write_csv([head, *lines])


def page(record: AskedModel) -> Mapping[str, str | bytes]:
    """Render the scores as HTML, as Markdown, and each table as CSV."""
    says = [tables.say_answered(record), tables.say_named(record), tables.say_edited(record)]
    shown = [
        ("Question answering", tables.answered([record])),
        ("Fault localisation", tables.named_files([record])),
        ("Code editing", tables.edited([record])),
    ]
    return standalone(f"{record['model']} on FAUN-Eval's three tasks", says, shown)
