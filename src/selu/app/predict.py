"""``selu predict``: a system's answers to texts: one per line, JSON lines, or CSV.

Fine-tuned systems are asked as ``selu run`` kept them. A baseline keeps no model and is fitted again.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from selu import registry
from selu.app.ranking import boards
from selu.app.ranking.scores import called
from selu.boards.published import Ranked
from selu.data.inputs import clean_texts
from selu.evidence.cell_runs import read_runs
from selu.evidence.tracked import availability_of
from selu.execution import refit
from selu.execution.finetune import kept
from selu.execution.grids import plan as grids_plan
from selu.metrics import kinds
from selu.names import STAND_IN
from selu.registry import task_of
from selu.sources import questions
from selu.sources.questions import Form, Given
from selu.vocabulary import Kind, SeluError, Task

if TYPE_CHECKING:
    from selu.systems.finetune import saved

Progress = Callable[[str], None]
_STAND_INS = ("synthetic", "stand-in")  # standings of rows that are not the paper's
_WITH_LABELS = (Kind.BINARY, Kind.MULTI_CLASS, Kind.MULTI_LABEL)
_WITHOUT_TAGGER = 'or give words and tags: {"words": ["It", "stores", "it"], "tags": ["PRON", "VERB", "PRON"]}'


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts given by the user, and how they are answered.

    Attributes:
        form: of JSON lines and CSV the answer follows the row.
        written: form of the answers; by default that of the texts.
        column: of a row's text, by default ``text``.
        tagger: spaCy model that finds verbs, for masked verbs in plain texts.
        probabilities: of each label, too, where labels of a text are chosen.
    """

    content: bytes
    form: Form
    column: str | None = None
    tagger: str | None = None
    probabilities: bool = False
    written: Form | None = None

    @property
    def wanted(self) -> Form:
        """Return the form of the answers."""
        return self.written or self.form


def predict(root: Path, system: str, task: str, asking: Texts, say: Progress, run: str | None = None) -> str:
    """Answer each text that came in.

    A label's name; names joined by commas; a number; words with their tags; for masked verbs each verb with
    what the model puts in its place.

    Args:
        run: like strict-s42; by default the strict one with the lowest seed.

    Raises:
        SeluError: an unknown name, no model, an invalid line, no line at all, or a missing library.
    """
    chosen_task = task_of(root, task)
    fitted = next((name for name in grids_plan.known(root) if name.lower() == system.lower()), None)
    if asking.probabilities and chosen_task.kind not in _WITH_LABELS:
        raise SeluError(
            f"{chosen_task.id} has no labels of whole texts, and so no probabilities: leave --probabilities "
            "out."
        )
    if asking.probabilities and asking.wanted is Form.LINES:
        say(f"columns: answer, {', '.join(f'p({label.name})' for label in chosen_task.labels)}")
    folder = None if fitted else kept.model(root, system, chosen_task, run)
    columns = kinds.columns(chosen_task.kind)
    several = len(columns) > 1
    if several and asking.form is Form.LINES:
        raise SeluError(
            f"{chosen_task.id} asks {' and '.join(columns)}: give a CSV or JSON lines with these fields."
        )
    given = questions.read(asking.content, asking.form, columns[0] if several else asking.column)
    rows: Sequence[str | Mapping[str, Any]] = [question.text for question in given]
    if several:
        rows = _rows(given, columns)
    if empty := sum(not all(str(text).strip() for text in _texts(row)) for row in rows):
        are = "is" if empty == 1 else "are"
        say(f"{empty:,} of {len(given):,} texts {are} empty: such an answer is meaningless")
    if folder is None:
        found = refit.answers(root, fitted or system, chosen_task, run, rows, say, asking.probabilities)
        _say_own(root, chosen_task, fitted or system, found.run, say)
        named = [_answer(chosen_task, (), answer, None) for answer in found.answers]
        return questions.written(
            given, named, asking.wanted, [_by_label(chosen_task, row) for row in found.probabilities]
        )
    if availability_of(root, chosen_task.id) in _STAND_INS:
        say(f"a model that was trained here on {chosen_task.id} learnt from stand-in data; {STAND_IN}")
    plain = chosen_task.kind not in (Kind.ENTITIES, Kind.MASKED)
    texts = clean_texts(root, chosen_task, [question.text for question in given]) if plain else []
    if plain:
        refit.say_emptied([question.text for question in given], texts, say)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # libraries that greet must not be taken for answers
            asked, words = _ask(folder, chosen_task, given, texts, asking, _reporter(len(given), say))
    except ModuleNotFoundError as error:
        raise SeluError(
            f"models need {error.name}, which is not here: 'make finetune-environment' installs it; "
            "or run this with the Python that has it."
        ) from None
    if asked.cut:
        say(f"{asked.cut} of {len(given)} texts are longer than the model reads; the rest was left out")
    _say_own(root, chosen_task, folder.parent.name, folder.name, say)
    pairs = zip(words, asked.answers, strict=True)
    answers = [_answer(chosen_task, row, answer, asked.tokenizer) for row, answer in pairs]
    return questions.written(
        given, answers, asking.wanted, [_by_label(chosen_task, row) for row in asked.probabilities]
    )


def _texts(row: str | Mapping[str, object]) -> Iterable[object]:
    return (row,) if isinstance(row, str) else row.values()


def _rows(given: Sequence[Given], columns: Sequence[str]) -> list[Mapping[str, object]]:
    """Return the values of a row's columns that the task asks; raise a SeluError if one is missing."""
    for number, question in enumerate(given, start=1):
        if missing := [name for name in columns if name not in question.row]:
            raise SeluError(f"row {number} has no {missing[0]!r}: the task asks {' and '.join(columns)}.")
    return [{name: question.row[name] for name in columns} for question in given]


def check_rows(root: Path, task: str) -> None:
    """Refuse a task that has only stand-in rows here, since these teach little about the task.

    Raises:
        SeluError: an unknown task, or one of these.
    """
    chosen_task = task_of(root, task)
    if availability_of(root, chosen_task.id) in _STAND_INS:
        raise SeluError(
            f"the rows of {chosen_task.id} here are stand-in data, from which a system learns little of the "
            "paper's task: give --stand-in to have answers anyway, or take another task ('selu list tasks')."
        )


def _say_own(root: Path, task: Task, system: str, run: str, say: Progress) -> None:
    """Say the score of the run that answers, where it is here."""
    with contextlib.suppress(SeluError):  # answers need no score
        own = [row["value"] for row in read_runs(root, task, system)[1] if row["run"] == run and "value" in row]
        for value in own:
            say(
                f"{run} of {system}, which answers, has a score of {value:.4f} ({task.metric}) on the test rows"
            )


def published(root: Path, system: str, task: str) -> str | None:
    """Return a sentence on the paper's score of a system on a task, or the best there; None without one."""
    chosen_task = task_of(root, task)
    scored, ranked = None, list[Ranked]()
    with contextlib.suppress(SeluError):  # answers need no published table
        scored = registry.scored(root, chosen_task.benchmark)
        ranked = boards.every(root, chosen_task.benchmark)
    for cell in scored.cells if scored else ():
        if cell.task == chosen_task.id and cell.system.lower() == system.lower() and cell.published:
            score = f"{cell.published} ({chosen_task.metric})"
            return f"the published score of {cell.system} on {chosen_task.id} is {score}"
    for board in (ranking.board for ranking in ranked):
        name = called(chosen_task.id, board.tasks)
        if name not in board.tasks:
            continue
        texts = {
            candidate: board.texts[candidate, name]
            for candidate in board.systems
            if board.texts.get((candidate, name))
        }
        own = called(system, board.systems)
        if own in texts:
            return f"the published score of {own} on {name} is {texts[own]} ({board.places[own, name]})"
        best = board.systems[int(np.nanargmax(board.oriented[:, board.tasks.index(name)]))]
        return f"the best published score on {name} is {texts[best]}, of {best}; none is of {system}"
    return None


def _reporter(texts: int, say: Progress) -> Callable[[int], None]:
    """Return a function that reports after each batch but the last the texts done and the time left."""
    began = time.perf_counter()

    def report(done: int) -> None:
        if done < texts:
            left = (time.perf_counter() - began) / done * (texts - done)
            say(f"  {done:,} of {texts:,} texts, about {left:.0f} s left")

    return report


def _by_label(task: Task, shares: Sequence[float]) -> Mapping[str, float]:
    return {label.name: share for label, share in zip(task.labels, shares, strict=True)}


def _ask(
    folder: Path,
    task: Task,
    given: Sequence[Given],
    texts: Sequence[str],
    asking: Texts,
    report: Callable[[int], None],
) -> tuple[saved.Asked, list[Sequence[str]]]:
    """Return the model's answers to the cleaned texts, and the words of each text as given."""
    from selu.systems.finetune import saved

    words: list[Sequence[str]] = [
        question.words if question.words is not None else question.text.split() for question in given
    ]
    if task.kind is Kind.ENTITIES:
        return saved.ask(folder, [list(row) for row in words], say=report), words
    if task.kind is not Kind.MASKED:
        return saved.ask(folder, texts, probabilities=asking.probabilities, say=report), words
    tagged = _tagged(given, asking.tagger)
    words = [row for row, _ in tagged]
    return saved.ask(
        folder, [list(row) for row in words], [list(tags) for _, tags in tagged], say=report
    ), words


def _tagged(given: Sequence[Given], tagger: str | None) -> list[tuple[Sequence[str], Sequence[str]]]:
    """Return words and parts of speech of each text: those given, otherwise those that spaCy finds."""
    from selu.text import speech

    untagged = [question for question in given if question.tags is None]
    found: Iterable[Any] = ()
    if untagged:
        pipeline = speech.load(tagger, _WITHOUT_TAGGER)
        found = speech.tag(
            pipeline, [question.text if question.words is None else question.words for question in untagged]
        )
    rest = iter(found)
    return [
        next(rest) if question.tags is None else (question.words or (), question.tags) for question in given
    ]


def _answer(task: Task, words: Sequence[str], answer: Any, tokenizer: Any) -> object:
    """Return an answer in words: a label, labels, a number, or words paired with tags or fillings."""
    names = [label.name for label in task.labels]
    if task.kind is Kind.MULTI_LABEL:
        return [name for name, yes in zip(names, answer, strict=True) if yes]
    if task.kind is Kind.REGRESSION or isinstance(answer, float):
        return float(answer)
    if task.kind is Kind.ENTITIES:
        return [list(pair) for pair in zip(words, answer, strict=True)]
    if task.kind is not Kind.MASKED:
        return names[answer] if answer >= 0 else None  # FastText may know no answer
    tokens: dict[int, list[int]] = {}
    for position, _, token, _ in answer:
        tokens.setdefault(position, []).append(token)
    return [
        [words[position], tokenizer.decode(fillings).strip()] for position, fillings in sorted(tokens.items())
    ]
