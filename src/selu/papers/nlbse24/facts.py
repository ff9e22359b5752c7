"""The released data files: counted tables beside the published ones, and where they differ from the paper.

Every function takes frames as they are in the files: ``issues_train`` and ``issues_test`` (repo, created_at,
label, title, body), ``java``, ``pharo`` and ``python`` (one row per sentence and category:
comment_sentence_id, class, comment_sentence, partition, instance_type, category).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING

from selu.papers.nlbse24 import facts_comments, facts_issues
from selu.papers.nlbse24.material import LANGUAGES, PARTS, PER_LABEL, TOTAL, Material
from selu.vocabulary import SeluError

if TYPE_CHECKING:
    import pandas as pd

Facts = list[tuple[str, str, str]]  # row, column, value
HEADER = ("row", "column", "value")
MISMATCHES = "data_mismatches"
ISSUES = ("issues_train", "issues_test")


def tables(frames: Mapping[str, pd.DataFrame], paper: Material) -> Mapping[str, Facts]:
    """Return every fact table by name, in a fixed order; the last lists each conflict of data and paper.

    Raises:
        SeluError: a file is missing, lacks a column, or has no two partitions.
    """
    train, test, comments = _checked(frames)
    found = {
        **facts_issues.tables(train, test),
        **facts_comments.tables(comments, paper.categories),
    }
    missed = mismatches(frames, paper)
    return {**found, MISMATCHES: [(f"{i:03}", "finding", text) for i, text in enumerate(missed, start=1)]}


def mismatches(frames: Mapping[str, pd.DataFrame], paper: Material) -> list[str]:
    """Return a sentence for each departure from the shapes of sections 2.1 and 3.1 and the counts of Table 2.

    Raises:
        SeluError: as ``tables``.
    """
    train, test, comments = _checked(frames)
    totals = {name: paper.distribution(f"{name}/{TOTAL}", PARTS[2], "Total") for name in LANGUAGES}
    trains = paper.text("3.1", "Partition of training")
    return [
        *facts_issues.mismatches(train, test, PER_LABEL),
        *facts_comments.mismatches(comments, paper.categories, totals, f"{trains:.0f}"),
        *_against_table2(comments, paper),
    ]


def to_csv(table: Facts) -> str:
    """Return one table as CSV with the columns row, column, value."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([HEADER, *table])
    return text.getvalue()


def _against_table2(comments: Mapping[str, pd.DataFrame], paper: Material) -> list[str]:
    counted = facts_comments.distribution(comments, paper.categories)
    return [
        f"Table 2, {row}, {column}: {int(value):,} in the files, {paper.published('table2', row, column)} "
        "published."
        for row, column, value in counted
        if int(value) != paper.number("table2", row, column)
    ]


def _checked(
    frames: Mapping[str, pd.DataFrame],
) -> tuple[pd.DataFrame, pd.DataFrame, Mapping[str, pd.DataFrame]]:
    """Return the frames of the two tracks, comments by language; raise if a file or column is missing."""
    needed: dict[str, tuple[str, ...]] = dict.fromkeys(ISSUES, facts_issues.COLUMNS)
    needed |= {language.lower(): facts_comments.COLUMNS for language in LANGUAGES}
    for name, columns in needed.items():
        if name not in frames:
            raise SeluError(f"the file {name} of NLBSE'24 is missing: give all of {', '.join(needed)}.")
        absent = [column for column in columns if column not in frames[name].columns]
        if absent:
            raise SeluError(
                f"{name} of NLBSE'24 has no column {absent[0]!r}: take the file as the competition released it."
            )
    comments = {language: frames[language.lower()] for language in LANGUAGES}
    values = sorted({str(value) for frame in comments.values() for value in frame["partition"].unique()})
    if values != ["0", "1"]:
        raise SeluError(
            f"the column partition of NLBSE'24 has the values {', '.join(values)} where 0 and 1 are expected: "
            "take the files as the competition released them."
        )
    return frames[ISSUES[0]], frames[ISSUES[1]], comments
