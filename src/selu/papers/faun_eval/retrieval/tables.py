"""Files and questions found by retrieval, as tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import pandas as pd

from selu.papers.faun_eval.intervals import bounded, gap
from selu.papers.faun_eval.records import HITS, FilesPair, FilesRow, FoundFiles, Retrieval
from selu.papers.faun_eval.retrieval.files import ISSUE
from selu.papers.faun_eval.retrieval.part import NAMES
from selu.papers.table import Table, signed
from selu.stats.rounding import to_digits

Metric = Literal["bleu", "rouge_l", "rouge_1", "edit", "mean"]
QA: tuple[tuple[Metric, str], ...] = (
    ("bleu", "BLEU"),
    ("rouge_l", "ROUGE-L"),
    ("rouge_1", "ROUGE-1"),
    ("edit", "Edit similarity"),
    ("mean", "Mean"),
)


def found_files(record: Retrieval) -> Table:
    """Tabulate how often each way of ranking puts the changed file first, or among the first."""
    files = record["files"]
    caption = (
        f"The changed file among {files['among']}, a median of {files['candidates']:.0f} for a task. "
        "The issue's title and body are asked with. A task without an answer counts as wrong. Low and high "
        "bound a 95 % interval over resampled tasks."
    )
    return to_table("found_files", caption, ranked(files))


def ranked(files: FoundFiles) -> list[dict[str, str]]:
    """Return rows with the hits of each way for the whole issue, and of chance in the last row."""
    rows = [
        {
            "Ranked by": NAMES[row["way"]],
            "Answered": f"{row['answered']} of {files['tasks']}",
            **_hits(row),
        }
        for row in files["rows"]
        if row["part"] == ISSUE
    ]
    chance = {"Ranked by": "chance", "Answered": f"{files['tasks']} of {files['tasks']}"}
    return [
        *rows,
        chance | {f"Hit at {k}": to_digits(files["chance"][hit], 3) for k, (hit, _) in HITS.items()},
    ]


def _hits(row: FilesRow | FilesPair, write: Callable[[float, int], str] = to_digits) -> dict[str, str]:
    found: dict[str, str] = {}
    for k, (hit, _) in HITS.items():
        found |= bounded(f"Hit at {k}", row[hit]["score"], row[hit], write)
    return found


def to_table(name: str, caption: str, rows: Sequence[Mapping[str, str]]) -> Table:
    """Build a table of rows; missing values are empty fields."""
    return Table(name, caption, pd.DataFrame(rows).fillna(""))


def parts_of_issue(record: Retrieval) -> Table:
    """Tabulate the loss if the query is the title or the body alone."""
    return lay_parts("parts_of_issue", record["files"])


def lay_parts(name: str, files: FoundFiles) -> Table:
    """Tabulate each way with a part of the issue as query, and the paired change."""
    rows = [
        {
            "Ranked by": NAMES[row["way"]],
            "Asked with": f"the {row['part']} alone",
            "Hit at 1": to_digits(row["hit_1"]["score"], 3),
            **gap("Change", row["change_1"]["score"], row["change_1"]),
        }
        for row in files["rows"]
        if row["part"] != ISSUE
    ]
    caption = (
        "The same with a part of the issue alone. Change is the paired difference from title and body "
        "together, with a 95 % interval over resampled tasks."
    )
    return to_table(name, caption, rows)


def paired_files(record: Retrieval) -> Table:
    """Lay out hits of each way of ranking minus those of each other one, on the same tasks."""
    files = record["files"]
    rows = [
        {
            "Ranked by": NAMES[pair["one"]],
            "Minus": NAMES[pair["other"]],
            **_hits(pair, signed),
        }
        for pair in files["paired"]
    ]
    caption = (
        f"Ways of ranking {files['among']} beside one another on the same {files['tasks']} tasks: the paired "
        "difference of their hits, with a 95 % interval over resampled tasks (low, high)."
    )
    return to_table("paired_files", caption, rows)


def found_answers(record: Retrieval) -> Table:
    """Tabulate how near the answer of the most similar other question comes."""
    asked = record["questions"]
    rows = [
        {
            "Most similar by": NAMES[row["way"]],
            "Answered": f"{row['answered']} of {asked['questions']}",
            "Same repository": f"{row['same']}",
            **{title: to_digits(row[metric]["score"], 3) for metric, title in QA},
            **gap("Mean above chance", row["gain"]["score"], row["gain"]),
        }
        for row in asked["rows"]
    ]
    caption = (
        f"The {asked['questions']} questions of SWE-QA about {asked['repositories']} repositories, each "
        "answered with the answer of the most similar other question. Low and high bound a 95 % interval of "
        "the paired difference from the answer of a random question."
    )
    if asked["left_out"]:
        caption += f" Lines of the published files that are no JSON and are left out: {asked['left_out']}."
    return Table("found_answers", caption, pd.DataFrame(rows))
