"""Facts of NLBSE'24's data files, counted into ``reports/nlbse24/data/facts``: they decide claims.

Every function takes frames as they are in the files: ``issues_train`` and ``issues_test`` (repo, created_at,
label, title, body), ``java``, ``pharo`` and ``python`` (one row per sentence and category:
comment_sentence_id, class, comment_sentence, partition, instance_type, category).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from selu.files import write_csv
from selu.papers.evidence import Evidence, Progress
from selu.papers.nlbse24 import facts_comments, facts_issues
from selu.papers.nlbse24.evidence.counted import FACTS_FOLDER
from selu.papers.nlbse24.material import LANGUAGES, PARTS, PER_LABEL, TOTAL, Material, read

if TYPE_CHECKING:
    import pandas as pd

Facts = list[tuple[str, str, str]]  # row, column, value
MISMATCHES = "data_mismatches"
SETS = ("issue", "java", "pharo", "python")


def count(evidence: Evidence, progress: Progress) -> Mapping[str, str]:
    """Count the data files into a CSV (row, column, value) per fact table.

    Every departure from what the paper says of the data is told to ``progress`` and is a row of
    ``data_mismatches.csv``.

    Raises:
        SeluError: a data file is missing, or not the pinned one.
    """
    material = read(evidence.tables())  # not ``printed``: damaged facts must not block their own repair
    progress("facts: counting the data files of NLBSE'24")
    frames = {name: table for set_ in SETS for name, table in evidence.raw(set_).items()}
    found = tables(frames, material)
    for _, _, sentence in found[MISMATCHES]:
        progress(sentence)
    return {f"{FACTS_FOLDER}/{name}.csv": to_csv(table) for name, table in found.items()}


def tables(frames: Mapping[str, pd.DataFrame], paper: Material) -> Mapping[str, Facts]:
    """Return every fact table by name, in a fixed order.

    The last has a sentence for each departure from what sections 2.1 and 3.1 and Table 2 say of the files.
    """
    train, test = frames["issues_train"], frames["issues_test"]
    comments = {language: frames[language.lower()] for language in LANGUAGES}
    found = {**facts_issues.tables(train, test), **facts_comments.tables(comments, paper.categories)}
    totals = {name: paper.distribution(f"{name}/{TOTAL}", PARTS[2], "Total") for name in LANGUAGES}
    trains = paper.text("3.1", "Partition of training")
    missed = [
        *facts_issues.mismatches(train, test, PER_LABEL),
        *facts_comments.mismatches(comments, paper.categories, totals, f"{trains:.0f}"),
        *(
            f"Table 2, {row}, {column}: {int(value):,} in the files, {paper.published('table2', row, column)} "
            "published."
            for row, column, value in found["comment_rows"]
            if int(value) != paper.number("table2", row, column)
        ),
    ]
    return {**found, MISMATCHES: [(f"{i:03}", "finding", text) for i, text in enumerate(missed, start=1)]}


def to_csv(table: Facts) -> str:
    """Return one table as CSV with the columns row, column, value."""
    return write_csv([("row", "column", "value"), *table])
