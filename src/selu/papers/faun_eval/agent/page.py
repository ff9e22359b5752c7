"""Pages on the user's own answers: every metric, their rank among the published sets, and problems."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypedDict

import numpy as np
import pandas as pd

from selu.files import to_json, write_csv
from selu.metrics.percentiles import Resampling
from selu.names import name_folder
from selu.papers.evidence import Predictions, Progress
from selu.papers.faun_eval import answers as published_answers
from selu.papers.faun_eval import paired, patched, rescored, rescored_files, scores, trees
from selu.papers.faun_eval.agent import reading
from selu.papers.faun_eval.agent.reading import Own, Trouble
from selu.papers.faun_eval.answers import Gold
from selu.papers.faun_eval.intervals import bounded, gap
from selu.papers.faun_eval.metrics import blocks
from selu.papers.faun_eval.records import AnswerSet, Difference, Rescored, StudyRow
from selu.papers.faun_eval.workers import share_work
from selu.papers.page import standalone
from selu.papers.pinned import obtain, read_pins
from selu.papers.table import Table
from selu.stats.rounding import to_digits
from selu.vocabulary import SeluError

Values = Mapping[str, Sequence[float]]


class FileScore(TypedDict):
    """A mean, and over how many tasks."""

    score: float
    tasks: int


class PlacedScore(TypedDict):
    """A metric with its interval, its place among the published sets, and its validity by the study."""

    metric: str
    score: float
    low: float
    high: float
    place: int
    of: int
    worth: StudyRow | None


class Gap(Difference):
    """The difference from a published set."""

    metric: str
    other: str


IN_FILES = patched.TITLES | {"blocks_once": "Share of SEARCH blocks that occur once"}
NOT_APPLIED = "patch does not apply"


def place(published: Predictions, path: Path, progress: Progress) -> tuple[str, Mapping[str, str | bytes]]:
    """Score the answers of a file: a name for them, and pages, tables and scores by file.

    Raises:
        SeluError: the file can't be read, the tasks are not here, or what was scored before is damaged.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SeluError(f"{path} can't be read ({error.strerror}): name a file of answers.") from None
    pins = {(pin.task, pin.system): pin for pin in read_pins(published.pins / rescored_files.PINS)}
    (pin,) = (pin for (role, _), pin in pins.items() if role == rescored_files.TASKS)
    tasks = published_answers.read_tasks(obtain(pin, published.folders), pin.file)
    made_by = rescored_files.MADE_BY.removeprefix("selu ")
    before: Rescored = published.evidence.read("rescored.json", made_by, rescored_files.FIELDS)
    others = scores.read(published.report.with_name(scores.PLACE.name), list(tasks))
    own = reading.read(content, path.name, tasks)
    called = ", ".join(own.models) or path.name.partition(".")[0]
    id = f"{name_folder(called)[:60].strip('.-') or 'answers'}-{hashlib.sha256(content).hexdigest()[:8]}"
    progress(f"{called}: {len(own.answers.by_task)} of {len(tasks)} tasks answered")
    edited = any(answer.patch for answer in own.answers.by_task.values())
    with share_work(len(own.answers.by_task)) as each:
        values = rescored.score_tasks(tasks, own.answers, edited, each)
    draws = published.evidence.draws
    found = rescored.summarise(called, values, own.answers, None, draws)
    in_files, refused = score_in_files(own, tasks, published.folders)
    troubles = sorted([*own.troubles, *refused])
    rows = _rows(found, before)
    differences = _differences(values, others, draws)
    tables = [("Scores", _scores(called, rows, len(others))), ("The same tasks", _paired(called, differences))]
    tables += [("In the files of the repositories", _in_files(in_files))] if in_files else []
    tables += [("Problems of records", _troubles(troubles))] if troubles else []
    says = _says(called, found, rows, differences, troubles, bool(in_files))
    record = {**found, "models": own.models, "paired": differences, "in_files": in_files}
    return id, standalone(f"{called} on SWE-bench Lite", says, tables) | {
        "scores.json": to_json(record),
        "tasks.csv": scores.to_csv({called: values}, list(tasks)),
        "problems.csv": write_csv(
            [Trouble._fields, *((trouble.record or "", trouble.task, trouble.problem) for trouble in troubles)]
        ),
    }


def score_in_files(
    own: Own, tasks: Mapping[str, Gold], folders: Iterable[Path]
) -> tuple[Mapping[str, FileScore], list[Trouble]]:
    """Score what needs the files before the change, over the tasks whose repository is cloned here.

    Returns:
        metric -> its mean and over how many tasks, and the answers that do not apply; record 0, since it is the
        task that names them. Nothing where no clone is here. An unanswered task counts as wrong; a file that is
        too long for a metric counts for none.
    """
    places = list(folders)
    found: dict[str, list[float]] = {}
    refused = []
    for task, gold in tasks.items():
        if (right := patched.read_files(gold, places)) is None:
            continue
        answer, reply = own.answers.by_task.get(task), own.replies.get(task, "")
        after: Mapping[str, str] | None = None
        if answer and answer.patch:
            if reply:
                files = patched.read_edited(answer, gold, places)
                written = blocks.read(reply)[0]
                after = blocks.apply(written, files)[0] if blocks.applicable(reply, files) else None
                found.setdefault("blocks_once", []).append(blocks.share_once(written, files))
            else:
                after = patched.apply(answer, gold, places)
            if after is None:
                refused.append(Trouble(0, task, NOT_APPLIED))
        found.setdefault(patched.APPLIES, []).append(float(after is not None))
        for metric, alike in patched.compare((after or {}).get(gold.path, ""), gold, right).items():
            found.setdefault(metric, []).append(alike)
    means: dict[str, FileScore] = {
        name: {"score": float(np.mean(each)), "tasks": len(each)} for name, each in sorted(found.items())
    }
    return means, refused


def _rows(found: AnswerSet, before: Rescored) -> list[PlacedScore]:
    """Return each metric with its interval, its place, and its validity by the study."""
    worth = {row["metric"]: row for row in before["study"] if row["system"] == rescored.ALL}
    rows: list[PlacedScore] = []
    for metric, score in found["scores"].items():
        others = [row["scores"][metric] for row in before["sets"] if metric in row["scores"]]
        ends = found["intervals"][metric]
        rows.append(
            {
                "metric": metric,
                "score": score,
                "low": ends["low"],
                "high": ends["high"],
                "place": 1 + sum(other > score for other in others),
                "of": 1 + len(others),
                "worth": worth.get(metric),
            }
        )
    return rows


def _differences(values: Values, others: Mapping[str, Values], draws: Resampling) -> list[Gap]:
    return [
        {"metric": metric, "other": name, **paired.difference(values[metric], scored[metric], draws)}
        for metric in paired.COMPARED
        for name, scored in others.items()
        if metric in values and metric in scored
    ]


def _scores(called: str, rows: Sequence[PlacedScore], others: int) -> Table:
    shown = []
    for row in rows:
        worth = row["worth"]
        shown.append(
            {
                "Metric": rescored.NAMES[row["metric"]],
                "Score": to_digits(row["score"], 3),
                "Low": to_digits(row["low"], 3),
                "High": to_digits(row["high"], 3),
                "Place": f"{row['place']} of {row['of']}",
                **(bounded("AUC", worth["auc"], worth) if worth else dict.fromkeys(_WORTH, "")),
            }
        )
    caption = (
        f"{called} among {others} published sets of answers. Low and high bound a 95 % interval over resampled "
        "tasks; an unanswered task counts as wrong. AUC is the validity of the metric: how often it ranks a "
        "patch that passes its tests above one that does not, over eight published sets."
    )
    return Table("scores", caption, pd.DataFrame(shown))


_WORTH = ("AUC", "AUC: low", "AUC: high")


def _paired(called: str, differences: Sequence[Gap]) -> Table:
    rows = [
        {
            "Metric": rescored.NAMES[row["metric"]],
            "Published set": row["other"],
            **gap("Difference", row["difference"], row),
        }
        for row in differences
    ]
    caption = (
        f"{called} minus each published set on the same tasks, with a 95 % interval over resampled tasks. "
        "Where it leaves out 0, the two differ."
    )
    return Table("paired", caption, pd.DataFrame(rows))


def _in_files(in_files: Mapping[str, FileScore]) -> Table:
    rows = [
        {"Metric": IN_FILES[name], "Score": to_digits(found["score"], 3), "Tasks": found["tasks"]}
        for name, found in in_files.items()
    ]
    caption = "What needs the files before the change, over the tasks whose repository is cloned here."
    return Table("in_files", caption, pd.DataFrame(rows))


def _troubles(troubles: Sequence[Trouble]) -> Table:
    counts = Counter(re.sub(r" \(line \d+\)", "", trouble.problem) for trouble in troubles)
    rows = [{"Problem": name, "Times": f"{count:,}"} for name, count in sorted(counts.items())]
    caption = "Problems of records, and how often they occur; problems.csv names each of them."
    return Table("problems_by_kind", caption, pd.DataFrame(rows))


def _says(
    called: str,
    found: AnswerSet,
    rows: Sequence[PlacedScore],
    differences: Sequence[Gap],
    troubles: Sequence[Trouble],
    cloned: bool,
) -> list[str]:
    by_metric = {row["metric"]: row for row in rows}
    first = by_metric["exact_existing"]
    says = [
        f"{called} answers {found['answered']} of {found['tasks']} tasks. An unanswered task counts as wrong.",
        f"The first existing file that it names is the changed one in {_percent(first)} of tasks: place "
        f"{first['place']} of {first['of']}.",
    ]
    best, worth = max(
        ((row, row["worth"]) for row in rows if row["worth"]), key=lambda placed: placed[1]["auc"]
    )
    if best is not first:
        says.append(
            f"{rescored.NAMES[best['metric']]} predicts passing tests best: it puts the passing one of "
            f"two patches first in {100 * worth['auc']:.0f} % of pairs. By it {called} is at place "
            f"{best['place']} of {best['of']}. No metric here can replace tests."
        )
    for metric in paired.COMPARED:
        apart, all_ = paired.apart(row for row in differences if row["metric"] == metric)
        if all_:
            says.append(
                f"{rescored.NAMES[metric]}: it differs from {apart or 'none'} of {all_} published sets."
            )
    wrong = len({(trouble.record, trouble.task) for trouble in troubles})
    counted = "1 record; its valid parts count" if wrong == 1 else f"{wrong} records; their valid parts count"
    says.append(f"Something is wrong with {counted}." if wrong else "Nothing is wrong with any record.")
    if not cloned and any(metric in by_metric for metric in rescored.EDITED):
        says.append(
            "It is unknown which patches apply: there is no clone of a repository here. Put clones in "
            f"{trees.FOLDER}/OWNER/NAME of the folder that SELU_PREDICTIONS names, or set {trees.CLONES}."
        )
    return says


def _percent(row: PlacedScore) -> str:
    return f"{100 * row['score']:.1f} % ({100 * row['low']:.1f} to {100 * row['high']:.1f})"
