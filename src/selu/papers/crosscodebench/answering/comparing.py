"""A model's scores in each format, and whether one format is better than another on the same rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from selu.papers.crosscodebench.answering.cells import BATCH, Answered
from selu.papers.crosscodebench.answering.rows import TaskRows
from selu.papers.crosscodebench.answering.scoring import (
    Resampled,
    Scored,
    as_record,
    difference,
    score,
)
from selu.papers.crosscodebench.collection import tasks as collection
from selu.papers.crosscodebench.records import AboutModel, CellRecord, Comparison, ModelScores

CHOICE, TEXT = "classification", "generation"
_FEWEST = 5  # tasks, of which an answer is more than their choice; or batches of a task
_MEASURES = ((CHOICE, "exact match"), (TEXT, "BLEU, version b"), (TEXT, "ROUGE-L"))


class Question(NamedTuple):
    """Whether the second format is better than the first, as people ask it."""

    asks: str
    before: str
    after: str


QUESTIONS = (
    Question("Does one example help?", "zero-shot", "1-shot"),
    Question("Does a second example help?", "1-shot", "2-shot"),
    Question("Does a third example help?", "2-shot", "3-shot"),
    Question("Does a fourth example help?", "3-shot", "4-shot"),
    Question("Does an instruction help beside two examples?", "2-shot", "2/0-instruct"),
    Question("Do negative examples help?", "2/0-instruct", "2/2-instruct"),
)


def summarize(
    about: AboutModel, answered: Iterable[Answered], formats: Sequence[str], resampled: Resampled
) -> ModelScores:
    """Score the rows of each task that were answered in all formats, and compare formats on them.

    Args:
        about: the model and how it was asked.
    """
    cells: dict[str, dict[str, dict[int, Answered]]] = {}
    for reply in answered:
        by_row = cells.setdefault(reply.cell.task.id, {}).setdefault(reply.cell.form.name, {})
        by_row[reply.row] = reply
    scored: dict[str, list[Scored]] = {name: [] for name in formats}
    batches: dict[str, tuple[int, ...]] = {}
    costs: list[CellRecord] = []
    for id, forms in cells.items():
        if forms.keys() != set(formats):
            continue
        rows = sorted(set.intersection(*(set(by_row) for by_row in forms.values())))
        if rows:
            drawn = forms[formats[0]][rows[0]].cell.rows
            batches[id] = tuple(drawn.index(row) // BATCH for row in rows)
            for name in formats:
                found = [forms[name][row] for row in rows]
                task = found[0].cell.task
                values = score(task, rows, [reply.answer for reply in found])
                scored[name].append(values)
                costs.append(_cell(name, found, values))
    return {
        **about,
        "formats": as_record(scored, resampled),
        "questions": [
            entry for question in QUESTIONS for entry in _answer(question, scored, batches, resampled)
        ],
        "cells": costs,
    }


def _cell(name: str, found: Sequence[Answered], scored: Scored) -> CellRecord:
    """Record a task in a format: cost, and the scores of each row, so that formats can be compared later."""
    labels = scored.task.entry.labels
    exact, bleu_a, bleu_b, rouge = ([round(value, 4) for value in column] for column in scored.values.T)
    return {
        "task": scored.task.id,
        "format": name,
        "asked tokens": sum(answered.reply.asked for answered in found),
        "answered tokens": sum(answered.reply.answered for answered in found),
        "seconds": round(sum(answered.reply.seconds for answered in found), 1),
        "cut": sum(answered.reply.cut for answered in found),
        "outside labels": sum(answered.answer not in labels for answered in found) if labels else None,
        "rows": list(scored.rows),
        "exact match": exact,
        "BLEU, version a": bleu_a,
        "BLEU, version b": bleu_b,
        "ROUGE-L": rouge,
    }


def _answer(
    question: Question,
    scored: Mapping[str, Sequence[Scored]],
    batches: Mapping[str, tuple[int, ...]],
    resampled: Resampled,
) -> list[Comparison]:
    if not (question.before in scored and question.after in scored):
        return []
    pairs = list(zip(scored[question.before], scored[question.after], strict=True))
    found: list[Comparison] = []
    for group, metric in _MEASURES:
        some = [difference(*pair) for pair in pairs if bool(pair[0].task.entry.labels) == (group == CHOICE)]
        of_tasks = len(some) >= _FEWEST
        units = len(some)
        if not of_tasks:  # the answer is of these tasks; the rows of a batch share their examples
            some = [replace(scores, batches=batches[scores.task.id]) for scores in some]
            units = min((len(set(scores.batches)) for scores in some), default=0)
        found += _compared(question, group, metric, some, units, resampled)
    return found


def _compared(
    question: Question, group: str, metric: str, some: Sequence[Scored], units: int, resampled: Resampled
) -> list[Comparison]:
    """Average differences in both ways; intervals are over tasks where there are enough of them."""
    found: list[Comparison] = []
    for way in ("pooled", "macro") if some else ():
        means = resampled.together(some, way, len(some) >= _FEWEST)
        value = means["scores"][metric]
        found.append(
            {
                "asks": question.asks,
                "before": question.before,
                "after": question.after,
                "group": group,
                "metric": metric,
                "mean": way,
                "tasks": means["tasks"],
                "rows": means["rows"],
                **value,
                "answer": _verdict(value["low"], value["high"], units),
            }
        )
    return found


def compare_models(before: ModelScores, after: ModelScores, resampled: Resampled) -> list[Comparison]:
    """Compare two models in each format, on the rows of generation that both of them answered.

    Classification has too few tasks here for an interval over tasks, so it is left out.
    """
    found: list[Comparison] = []
    names = [form["system"] for form in before["formats"]]
    for name in (form["system"] for form in after["formats"] if form["system"] in names):
        question = Question(name, before["model"], after["model"])
        first, second = _kept(before, name), _kept(after, name)
        some = [difference(first[id], second[id]) for id in first if id in second]
        some = [scores for scores in some if scores.rows]
        for group, metric in _MEASURES:
            if group == TEXT and len(some) >= _FEWEST:
                found += _compared(question, group, metric, some, len(some), resampled)
    return found


def _kept(record: ModelScores, name: str) -> Mapping[str, Scored]:
    """Read back the scores of rows of generation, by task, in a format."""
    return {
        cell["task"]: Scored(
            TaskRows(collection.entry(cell["task"]), (), ()),
            tuple(cell["rows"]),
            np.array(
                [cell["exact match"], cell["BLEU, version a"], cell["BLEU, version b"], cell["ROUGE-L"]]
            ).T,
        )
        for cell in record["cells"]
        if cell["format"] == name and cell["outside labels"] is None
    }


def _verdict(low: float, high: float, units: int) -> str:
    decided = units >= _FEWEST
    return "helps" if decided and low > 0 else "hurts" if decided and high < 0 else "not decided"


def say_answers(record: ModelScores) -> str:
    """Answer each question in a sentence, by the pooled mean; metrics with the same answer share one."""
    sentences = []
    for asks in dict.fromkeys(entry["asks"] for entry in record["questions"]):
        found: dict[str, list[str]] = {}
        for entry in record["questions"]:
            if entry["asks"] == asks and entry["mean"] == "pooled":
                found.setdefault(entry["answer"], []).append(
                    f"{entry['metric']} of {entry['group']} {entry['value']:+.1f}"
                )
        parts = [f"{answer} ({', '.join(metrics)} points)" for answer, metrics in found.items()]
        text = "; ".join(parts)
        sentences.append(f"{asks} {text[:1].upper()}{text[1:]}.")
    return " ".join(sentences)
