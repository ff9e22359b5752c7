"""What a model's answers score in each format, and whether one format is better than another on its rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from selu.benchmarks.crosscodebench.answering.cells import BATCH, Answered
from selu.benchmarks.crosscodebench.answering.scoring import (
    METRICS,
    Resampled,
    Scored,
    as_record,
    difference,
    score,
)
from selu.benchmarks.evidence import Record

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
    Question("Does an instruction help beside two examples?", "2-shot", "2/0-instruct"),
    Question("Do negative examples help?", "2/0-instruct", "2/2-instruct"),
)


def summarize(
    about: Mapping[str, Any], answered: Iterable[Answered], formats: Sequence[str], resampled: Resampled
) -> Record:
    """Score the rows of each task that were answered in all formats, and compare formats on them.

    Args:
        about: the model and how it was asked.
    """
    cells: dict[str, dict[str, dict[int, Answered]]] = {}
    for one in answered:
        of = cells.setdefault(one.cell.task.id, {}).setdefault(one.cell.form.name, {})
        of[one.row] = one
    scored: dict[str, list[Scored]] = {name: [] for name in formats}
    batches: dict[str, tuple[int, ...]] = {}
    told: list[Record] = []
    for id, forms in cells.items():
        if forms.keys() != set(formats):
            continue
        rows = sorted(set.intersection(*(set(of) for of in forms.values())))
        if rows:
            drawn = forms[formats[0]][rows[0]].cell.rows
            batches[id] = tuple(drawn.index(row) // BATCH for row in rows)
            for name in formats:
                found = [forms[name][row] for row in rows]
                task = found[0].cell.task
                values = score(task, rows, [one.answer for one in found])
                scored[name].append(values)
                told.append(_cell(name, found, values))
    return {
        **about,
        "formats": as_record(scored, resampled),
        "questions": [
            entry for question in QUESTIONS for entry in _answer(question, scored, batches, resampled)
        ],
        "cells": told,
    }


def _cell(name: str, found: Sequence[Answered], scored: Scored) -> Record:
    """Tell of a task in a format: cost, and the scores of each row, by which formats can be compared again."""
    labels = scored.task.entry.labels
    return {
        "task": scored.task.id,
        "format": name,
        "asked tokens": sum(one.reply.asked for one in found),
        "answered tokens": sum(one.reply.answered for one in found),
        "seconds": round(sum(one.reply.seconds for one in found), 1),
        "cut": sum(one.reply.cut for one in found),
        "outside labels": sum(one.answer not in labels for one in found) if labels else None,
        "rows": list(scored.rows),
        **{metric: [round(v, 4) for v in scored.values[:, at]] for at, metric in enumerate(METRICS)},
    }


def _answer(
    question: Question,
    scored: Mapping[str, Sequence[Scored]],
    batches: Mapping[str, tuple[int, ...]],
    resampled: Resampled,
) -> list[Record]:
    if not (question.before in scored and question.after in scored):
        return []
    pairs = list(zip(scored[question.before], scored[question.after], strict=True))
    found = []
    for group, metric in _MEASURES:
        some = [difference(*pair) for pair in pairs if bool(pair[0].task.entry.labels) == (group == CHOICE)]
        of_tasks = len(some) >= _FEWEST
        units = len(some)
        if not of_tasks:  # the answer is of these tasks; the rows of a batch share their examples
            some = [replace(one, batches=batches[one.task.id]) for one in some]
            units = min((len(set(one.batches)) for one in some), default=0)
        for way in ("pooled", "macro") if some else ():
            told = resampled.together(some, way, of_tasks)
            value = told["scores"][metric]
            found.append(
                {"asks": question.asks, "before": question.before, "after": question.after, "group": group}
                | {"metric": metric, "mean": way, "tasks": told["tasks"], "rows": told["rows"], **value}
                | {"answer": _verdict(value["low"], value["high"], units)}
            )
    return found


def _verdict(low: float, high: float, units: int) -> str:
    decided = units >= _FEWEST
    return "helps" if decided and low > 0 else "hurts" if decided and high < 0 else "not decided"


def say_answers(record: Record) -> str:
    """Answer the questions in a sentence each, by the pooled mean; metrics with one answer stand together."""
    said = []
    for asks in dict.fromkeys(entry["asks"] for entry in record["questions"]):
        found: dict[str, list[str]] = {}
        for entry in record["questions"]:
            if entry["asks"] == asks and entry["mean"] == "pooled":
                found.setdefault(entry["answer"], []).append(
                    f"{entry['metric']} of {entry['group']} {entry['value']:+.1f}"
                )
        parts = [f"{answer} ({', '.join(metrics)} points)" for answer, metrics in found.items()]
        text = "; ".join(parts)
        said.append(f"{asks} {text[:1].upper()}{text[1:]}.")
    return " ".join(said)
