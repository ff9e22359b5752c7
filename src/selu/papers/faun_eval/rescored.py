"""Published answers to SWE-bench Lite, scored by FAUN-Eval's metrics, and the validity of these metrics.

An unanswered task counts as wrong, with every metric 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from selu.metrics import percentiles
from selu.metrics.percentiles import Resampling
from selu.papers.faun_eval.answers import Answer, Answers, Gold, Outcomes
from selu.papers.faun_eval.material import ALL_SETS
from selu.papers.faun_eval.metrics import blocks, code, located, similarity
from selu.papers.faun_eval.metrics.patches import Fault, Patch
from selu.papers.faun_eval.paired import resample
from selu.papers.faun_eval.records import AnswerSet, Area, Lite, RepositoryRow, StudyRow
from selu.papers.faun_eval.validity import area_with_interval
from selu.papers.records import Interval, interval
from selu.vocabulary import SeluError

Each = Callable[..., Iterable[Any]]
Score = Callable[[Answer, Gold], float]


def _first(files: Sequence[str]) -> str:
    return files[0] if files else ""


LOCATED: Mapping[str, Score] = {
    "exact": lambda answer, gold: located.exact(_first(answer.files), gold.path),
    "exact_trimmed": lambda answer, gold: located.exact_trimmed(_first(answer.files), gold.path),
    "exact_existing": lambda answer, gold: located.exact(_first(answer.existing), gold.path),
    "hit_3": lambda answer, gold: located.hit(answer.files, gold.path, 3),
    "hit_5": lambda answer, gold: located.hit(answer.files, gold.path, 5),
}
EDITED: Mapping[str, Score] = {
    "well_formed": lambda answer, _: float(answer.patch is not None and answer.patch.fault is None),
    "edit_patch": lambda answer, gold: similarity.edit_similarity(answer.text, gold.text),
    "edit_lines": lambda answer, gold: similarity.edit_similarity(*_lines(answer, gold)),
    "bleu_lines": lambda answer, gold: similarity.bleu(*_lines(answer, gold)),
    "rouge_l_lines": lambda answer, gold: similarity.rouge_l(*_lines(answer, gold)),
    "rouge_1_lines": lambda answer, gold: similarity.rouge_1(*_lines(answer, gold)),
    "codebleu_patch": lambda answer, gold: code.codebleu(answer.text, gold.text, gold.path),
    "codebleu_blocks": lambda answer, gold: code.codebleu(
        _blocks(answer.patch), _blocks(gold.patch), gold.path
    ),
    "codebleu_after": lambda answer, gold: code.codebleu(_patch(answer).after, gold.patch.after, gold.path),
}
NAMES = {
    "answered": "Answered",
    "exact": "First file exact",
    "exact_trimmed": "First file exact, trimmed",
    "exact_existing": "First existing file exact",
    "hit_3": "Hit at 3 files",
    "hit_5": "Hit at 5 files",
    "well_formed": "Well-formed patch",
    "edit_patch": "Edit similarity of patches",
    "edit_lines": "Edit similarity of changed lines",
    "bleu_lines": "BLEU of changed lines",
    "rouge_l_lines": "ROUGE-L of changed lines",
    "rouge_1_lines": "ROUGE-1 of changed lines",
    "codebleu_patch": "CodeBLEU of patches",
    "codebleu_blocks": "CodeBLEU of SEARCH/REPLACE blocks",
    "codebleu_after": "CodeBLEU of the code after the change",
}
STUDIED = (
    *("exact", "exact_existing", "hit_3", "edit_patch", "edit_lines", "bleu_lines", "rouge_l_lines"),
    *("rouge_1_lines", "codebleu_patch", "codebleu_blocks", "codebleu_after"),
)
ALL, RIGHT = ALL_SETS, f"{ALL_SETS}, right file"
_NO_PATCH = Patch((), Fault.EMPTY)


def _patch(answer: Answer) -> Patch:
    return answer.patch or _NO_PATCH


def _lines(answer: Answer, gold: Gold) -> tuple[str, str]:
    return _patch(answer).lines, gold.patch.lines


def _blocks(patch: Patch | None) -> str:
    """Write a patch as blocks; none where a path can't be written, which no task's is."""
    try:
        return blocks.write(blocks.of_patch(patch or _NO_PATCH))
    except SeluError:
        return ""


def describe_tasks(tasks: Mapping[str, Gold]) -> Lite:
    """Count the tasks, those whose patch has one file (reading refuses others), and their repositories."""
    return {
        "tasks": len(tasks),
        "of one file": sum(bool(gold.path) for gold in tasks.values()),
        "repositories": len({gold.repository for gold in tasks.values()}),
    }


def score_answer(answer: Answer | None, gold: Gold, edited: bool) -> Mapping[str, float]:
    """Score an answer by every metric; all are 0 if there is no answer."""
    scores = {**LOCATED, **(EDITED if edited else {})}
    found = {name: score(answer, gold) if answer else 0.0 for name, score in scores.items()}
    return {"answered": float(answer is not None), **found}


def score_tasks(
    tasks: Mapping[str, Gold], answers: Answers, edited: bool, each: Each = map
) -> Mapping[str, Sequence[float]]:
    """Score every task by every metric, in the order of the tasks.

    Args:
        each: ``map``, or one that shares the work among processes.
    """
    answered = [answers.by_task.get(task) for task in tasks]
    rows = list(each(score_answer, answered, tasks.values(), [edited] * len(answered)))
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def summarise(
    name: str,
    values: Mapping[str, Sequence[float]],
    answers: Answers,
    outcomes: Outcomes | None,
    draws: Resampling,
) -> AnswerSet:
    """Average a set's scores over all tasks, with intervals over resampled tasks."""
    total = len(values["answered"])
    faults = Counter(
        answer.patch.fault.value for answer in answers.by_task.values() if answer.patch and answer.patch.fault
    )
    found: AnswerSet = {
        "system": name,
        "kind": "patches" if "edit_patch" in values else "files",
        "tasks": total,
        "answered": int(sum(values["answered"])),
        "left_out": dict(answers.left_out),
        "faults": {fault.value: faults[fault.value] for fault in Fault if faults[fault.value]},
        "scores": {metric: float(np.mean(each)) for metric, each in values.items()},
        "intervals": _intervals(values, draws),
    }
    if outcomes:
        found["resolved"] = len(outcomes.resolved)
        found["applied"] = None if outcomes.applied is None else len(outcomes.applied)
    return found


def count_by_repository(
    name: str, values: Mapping[str, Sequence[float]], tasks: Iterable[Gold]
) -> list[RepositoryRow]:
    """Count the tasks of each repository on which a set names the right file first, and that it resolves."""
    places: dict[str, list[int]] = {}
    for place, gold in enumerate(tasks):
        places.setdefault(gold.repository.partition("/")[2], []).append(place)
    rows: list[RepositoryRow] = []
    for repository, those in places.items():
        right = sum(values["exact_existing"][place] for place in those)
        row: RepositoryRow = {
            "system": name,
            "repository": repository,
            "tasks": len(those),
            "right_file": int(right),
        }
        if "resolved" in values:
            row["resolved"] = int(sum(values["resolved"][place] for place in those))
        rows.append(row)
    return rows


def _intervals(values: Mapping[str, Sequence[float]], draws: Resampling) -> Mapping[str, Interval]:
    """Draw percentile bounds of every mean; a resample has the same tasks for all metrics and sets."""
    matrix = np.array(list(values.values())).T
    drawn = resample(len(matrix), draws) @ matrix / len(matrix)
    return {
        name: interval(percentiles.bounds(drawn[:, column], draws.level)) for column, name in enumerate(values)
    }


def study(
    sets: Mapping[str, tuple[Mapping[str, Sequence[float]], Outcomes]], tasks: Sequence[str], draws: Resampling
) -> list[StudyRow]:
    """Compute how well each metric tells resolved patches from others: in each set, and in all together.

    Unanswered tasks are left out, since any metric tells them from resolved ones. In ``RIGHT`` are the patches
    of all sets whose first existing file is the right one: what a metric says beyond that.
    """
    rows, pooled = [], list[_Patch]()
    for name, scored in sets.items():
        found = _patches(*scored, tasks)
        pooled += found
        rows += [_row(name, metric, found, draws) for metric in STUDIED]
    rows += [_row(ALL, metric, pooled, draws) for metric in STUDIED]
    right = [patch for patch in pooled if patch.scores["exact_existing"]]
    return rows + [_row(RIGHT, metric, right, draws) for metric in STUDIED if metric in EDITED]


def study_strata(
    sets: Mapping[str, tuple[Mapping[str, Sequence[float]], Outcomes]],
    tasks: Sequence[str],
    strata: Mapping[str, str],
    draws: Resampling,
) -> list[StudyRow]:
    """Compute the same over the patches of all sets in each stratum of the tasks that has both kinds."""
    pooled = [patch for scored in sets.values() for patch in _patches(*scored, tasks)]
    rows = []
    for name in sorted(set(strata.values())):
        found = [patch for patch in pooled if strata.get(patch.task) == name]
        if len({patch.resolved for patch in found}) == 2:
            rows += [_row(name, metric, found, draws) for metric in STUDIED]
    return rows


def _patches(values: Mapping[str, Sequence[float]], outcomes: Outcomes, tasks: Sequence[str]) -> list[_Patch]:
    """Return a set's patches with their scores; tasks without a patch are left out."""
    return [
        _Patch(task, task in outcomes.resolved, {metric: values[metric][number] for metric in STUDIED})
        for number, task in enumerate(tasks)
        if values["answered"][number]
    ]


class _Patch(NamedTuple):
    task: str
    resolved: bool
    scores: Mapping[str, float]


def _row(name: str, metric: str, found: Sequence[_Patch], draws: Resampling) -> StudyRow:
    tasks, passed = [patch.task for patch in found], [patch.resolved for patch in found]
    area = area_with_interval([patch.scores[metric] for patch in found], passed, tasks, draws)
    return {
        "system": name,
        "metric": metric,
        "patches": len(tasks),
        "resolved": sum(passed),
        "tasks": len(set(tasks)),
        **area,
    }


def answer_of_study(rows: Sequence[StudyRow]) -> str:
    """State how well the metrics work: how often the best one puts a passing patch before another."""
    pooled, right = ([row for row in rows if row["system"] == name] for name in (ALL, RIGHT))
    best, within = (max(found, key=lambda row: row["auc"]) for found in (pooled, right))
    (file,) = (row for row in pooled if row["metric"] == "exact_existing")
    better = sum(row["low"] > 0.5 for row in pooled)
    tell = "tells" if better < 2 else "tell"
    return (
        f"{better or 'None'} of {len(pooled)} metrics {tell} patches that pass their tests from others better "
        f"than chance. The best, {_lower(NAMES[best['metric']])}, puts the passing one of two patches first in "
        f"{_percent(best)}; it errs on the others, so that it can't replace tests. Whether the first "
        f"existing file is right does so in {_percent(file)}. Among patches of the right file the best is "
        f"{_lower(NAMES[within['metric']])}, with {_percent(within)}."
    )


def _lower(name: str) -> str:
    return name if name.startswith(("BLEU", "CodeBLEU", "ROUGE")) else name[0].lower() + name[1:]


def _percent(row: Area) -> str:
    return f"{100 * row['auc']:.0f} % of pairs ({100 * row['low']:.0f} % to {100 * row['high']:.0f} %)"
