"""The semantic check (section 3.3.3): verdicts on whether each record's problem and solution are clear.

A judge takes all records that are judged, and returns for each why it is refused. Here are three: a file that
a person filled in, the recorded answers of a model, and a model that is asked now.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from selu.papers.asked import Given, Questions
from selu.vocabulary import SeluError

YES, NO = "yes", "no"
UNCLEAR, SILENT, LONG = "not clear", "no verdict", "too long for the judge"
CHECK = "semantic check"
LONGEST = 12_000  # bytes of a prompt: no more tokens, which every model of a context of 16,384 holds
TOKENS = 8  # of an answer, of which the first word counts
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
    """A record to be judged: its name as in the tables of reasons, the problem and the solution."""

    name: str
    problem: str
    solution: str


Judge = Callable[[Sequence[Judged]], list[str | None]]  # why each is refused, or None where it is clear


def read_answer(text: str) -> str | None:
    """Read the first word of an answer: None for yes, else why the record is refused."""
    word = text.strip().lstrip("*_`\"'").lower()[:4].strip(".,!:;*_`\"' \n")
    first = word.split()[0].strip(".,!:;*_`\"'") if word.split() else ""
    return {YES: None, NO: UNCLEAR}.get(first, SILENT)


def by_person(content: bytes, file: str) -> Judge:
    """Read the verdicts of a person: a CSV with the columns ``name`` and ``clear`` (yes or no; empty: open).

    Raises:
        SeluError: another form, another word, or a name twice.
    """
    found: dict[str, str | None] = {}
    try:
        rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True))
    except (ValueError, csv.Error):
        raise SeluError(f"{file} is not CSV in UTF-8: save it as one.") from None
    for number, row in enumerate(rows, 2):
        name, word = row.get("name"), (row.get("clear") or "").strip().lower()
        if name is None or "clear" not in row or word not in (YES, NO, ""):
            raise SeluError(
                f"{file}, line {number}: columns name and clear are needed, clear is yes, no or empty."
            )
        if name in found:
            raise SeluError(f"{file}, line {number}: {name!r} is judged twice; keep one line.")
        found[name] = read_answer(word)
    return lambda judged: [found.get(entry.name, SILENT) for entry in judged]


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
    return lambda judged: [read_answer(answers.get(entry.name, "")) for entry in judged]


class Prompted:
    """A model that is prompted now; ``answers`` by name, in the form that ``recorded`` reads.

    Each prompt is a set of questions of its own, so that its answer is kept whatever else is judged with it.

    Raises:
        SeluError: there is no such model, or it can't be asked.
    """

    def __init__(self, given: Given) -> None:
        given.ask((), TOKENS)  # report what can't be asked before anything is crawled
        self._given, self.id = given, given.id
        self.answers: dict[str, str] = {}

    def __call__(self, judged: Sequence[Judged]) -> list[str | None]:
        """Ask for verdicts that are missing."""
        prompts = {
            entry.name: PROMPT.format(problem=entry.problem, solution=entry.solution) for entry in judged
        }
        short = {
            name: text for name, text in prompts.items() if len(text.encode("utf-8", "replace")) <= LONGEST
        }
        sets = {text: Questions(_name(text), (text,), (), 1) for text in short.values()}
        replies = self._given.ask(list(sets.values()), TOKENS).sets if sets else {}
        for name, text in short.items():
            if reply := replies[sets[text].name].get(0):
                self.answers[name] = reply.text
        return [
            read_answer(self.answers.get(entry.name, "")) if entry.name in short else LONG for entry in judged
        ]

    def to_lines(self) -> str:
        """Write the answers as lines of JSON."""
        return "".join(
            json.dumps({"name": name, "answer": answer}, ensure_ascii=False) + "\n"
            for name, answer in self.answers.items()
        )


def _name(prompt: str) -> str:
    return hashlib.sha256(prompt.encode("utf-8", "replace")).hexdigest()[:16]


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
