"""The semantic check (section 3.3.3): somebody says of each record whether problem and solution are clear.

A judge is any function from what is judged to a verdict. Here are three: a file that a person filled in, the
recorded answers of a model, and a model that is asked now, whose answers are recorded.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from selu.benchmarks.faun_eval.pipeline.funnel import Filter
from selu.vocabulary import SeluError

Ask = Callable[[str], str]  # a prompt -> what a model answers
YES, NO = "yes", "no"
PROMPT = """\
Below is an issue of a software project and what solved it. Answer with one word, yes or no:
is it a clear pair of a problem and its solution, which somebody could understand without other sources?

Problem:
{problem}

Solution:
{solution}
"""


@dataclass(frozen=True, slots=True)
class Judged:
    """What is judged: its name as in the tables of reasons, the problem and the solution."""

    name: str
    problem: str
    solution: str


Judge = Callable[[Judged], bool | None]  # None: no answer, or neither yes nor no


def read_answer(text: str) -> bool | None:
    """Read the first word of an answer: yes, no, or neither."""
    word = text.strip().lstrip("*_`\"'").lower()[:4].strip(".,!:;*_`\"' \n")
    first = word.split()[0].strip(".,!:;*_`\"'") if word.split() else ""
    return {YES: True, NO: False}.get(first)


def by_person(content: bytes, file: str) -> Judge:
    """Read the verdicts of a person: a CSV with the columns ``name`` and ``clear`` (yes or no; empty: open).

    Raises:
        SeluError: another form, another word, or a name twice.
    """
    found: dict[str, bool | None] = {}
    try:
        rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True))
    except (ValueError, csv.Error):
        raise SeluError(f"{file} is no CSV in UTF-8: save it as one.") from None
    for number, row in enumerate(rows, 2):
        name, word = row.get("name"), (row.get("clear") or "").strip().lower()
        if name is None or "clear" not in row or word not in (YES, NO, ""):
            raise SeluError(
                f"{file}, line {number}: columns name and clear are needed, clear is yes, no or empty."
            )
        if name in found:
            raise SeluError(f"{file}, line {number}: {name!r} is judged twice; keep one line.")
        found[name] = {YES: True, NO: False}.get(word)
    return lambda judged: found.get(judged.name)


def recorded(content: bytes, file: str) -> Judge:
    """Read recorded answers of a model: lines of JSON with ``name`` and ``answer``; of a name the last counts.

    Raises:
        SeluError: a line is none of these.
    """
    answers: dict[str, str] = {}
    for number, line in enumerate(content.decode("utf-8", "replace").split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            answers[str(record["name"])] = str(record["answer"])
        except (ValueError, KeyError, TypeError):
            raise SeluError(f"{file}, line {number}: no answer with name and answer; correct it.") from None
    return lambda judged: read_answer(answers[judged.name]) if judged.name in answers else None


def prompted(ask: Ask, record: Path, known: Mapping[str, str] | None = None) -> Judge:
    """Ask a model, and add each answer to a file that ``recorded`` reads.

    Args:
        known: answers by name that are not asked for again.
    """
    answers = dict(known or {})

    def judge(judged: Judged) -> bool | None:
        if judged.name not in answers:
            answers[judged.name] = ask(PROMPT.format(problem=judged.problem, solution=judged.solution))
            with record.open("a", encoding="utf-8") as stream:
                line = {"name": judged.name, "answer": answers[judged.name]}
                stream.write(json.dumps(line, ensure_ascii=False) + "\n")
        return read_answer(answers[judged.name])

    return judge


def as_filter(judge: Judge) -> Filter[Judged]:
    """Refuse what a judge finds unclear, or says nothing of."""

    def refuse(judged: Judged) -> str | None:
        verdict = judge(judged)
        return None if verdict else "no verdict" if verdict is None else "not clear"

    return Filter("semantic check", refuse)


def open_file(path: Path) -> Judge:
    """Read a file of verdicts: lines of JSON by its suffix ``.jsonl``, else a person's CSV.

    Raises:
        SeluError: it is not there, or has another form.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SeluError(f"{path} can't be read ({error.strerror}): name a file of verdicts.") from None
    return recorded(content, str(path)) if path.suffix == ".jsonl" else by_person(content, str(path))
