"""``selu report baselines --paper crosscodebench``: scores of answers without a trained model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from selu.files import to_json
from selu.papers.crosscodebench.answering import baselines
from selu.papers.crosscodebench.answering.rows import TaskRows, read_rows
from selu.papers.crosscodebench.answering.scoring import Resampled, Scored, as_record, score
from selu.papers.crosscodebench.records import Baselines, OutsideLabels, SizeScores, SystemsRecord
from selu.papers.evidence import Evidence, Progress

ENCODER = "minilm-l6"
MADE_BY = "report baselines --paper crosscodebench"


def make(evidence: Evidence, progress: Progress) -> Mapping[str, str | bytes]:
    """Answer the evaluated rows of all tasks that have rows, and score the answers.

    Raises:
        SeluError: the rows, or the encoder, are not here.
    """
    tasks = read_rows(evidence.rows)
    found: list[baselines.Answers] = []
    for task in tasks:
        progress(f"{task.id}: {len(task.evaluated)} rows answered, {len(task.trained):,} to learn from")
        found += baselines.answer_alone(task)
    progress("neighbours in other tasks")
    found += baselines.answer_across(tasks, partial(evidence.embed, ENCODER))
    resampled = Resampled(evidence.draws)
    record: Baselines = {**summarize(tasks, found, resampled), "sizes": by_size(tasks, resampled)}
    return {"baselines.json": to_json(record)}


def by_size(tasks: Sequence[TaskRows], resampled: Resampled) -> list[SizeScores]:
    """Score the neighbour within the task by the number of rows that it is looked for among."""
    return [
        {
            "learnt": size,
            **resampled.together([score(each.task, each.rows, each.texts) for each in found], "macro"),
        }
        for size, found in baselines.answer_by_size(tasks).items()
        if found
    ]


def summarize(
    tasks: Sequence[TaskRows], found: Sequence[baselines.Answers], resampled: Resampled
) -> SystemsRecord:
    """Score answers, and count those outside the labels of their task."""
    systems: dict[str, list[Scored]] = {}
    outside: list[OutsideLabels] = []
    for answers in found:
        systems.setdefault(answers.system, []).append(score(answers.task, answers.rows, answers.texts))
        if answers.task.entry.labels:
            count = baselines.outside(answers.task, answers.texts)
            outside.append(
                {"system": answers.system, "task": answers.task.id, "rows": len(answers.rows), "outside": count}
            )
    return {
        "tasks": [
            {"task": task.id, "evaluated": len(task.evaluated), "trained": len(task.trained)} for task in tasks
        ],
        "about": dict(baselines.ABOUT),
        "systems": as_record(systems, resampled),
        "outside labels": outside,
    }
