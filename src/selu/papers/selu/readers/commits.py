"""commit_intention (Trautsch et al. 2023): messages of labelled commits, in the form of the authors' source.

``commits.csv`` lists the 2,533 labelled commits at their positions in the published order, says how sure each
position is, and has the hash of each message; of the 38 commits without a hash no message is available.
"""

from __future__ import annotations

import csv
import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from selu.papers.selu.readers._parts import Raw, Record, find, index_of, records_of, rows_table
from selu.vocabulary import SeluError, Task

FIXED = "fixed"  # the only grade of certainty with which a row takes its published place
_LABELS = {("False", "False"): "other", ("True", "False"): "perfective", ("False", "True"): "corrective"}
_EMPTY = "*** empty log message ***"
_DIGITS = 16  # of a message's sha256


class Commit(NamedTuple):
    """A labelled commit; ``text`` is the start of its message's sha256, empty if no message is available."""

    position: int
    commit: str
    grade: str
    certainty: str
    text: str


@cache
def known_commits() -> tuple[Commit, ...]:
    """List the labelled commits by position."""
    lines = Path(__file__).with_name("commits.csv").read_text("ascii").splitlines()
    return tuple(Commit(int(row[0]), *row[1:]) for row in csv.reader(lines[1:]))


def clean_message(message: str) -> str:
    """Convert a message to the form of the authors' source: no leading empty lines, no lines of tools."""
    kept = [line for line in message.lstrip("\n").split("\n") if not _is_made_by_tool(line)]
    return "\n".join(kept)


def _is_made_by_tool(line: str) -> bool:
    return line.lower().startswith(("signed-off-by", "git-svn-id")) or _EMPTY in line


def commit_intention(raw: Raw, task: Task) -> pd.DataFrame:
    """Return the rows whose messages are here, in the published order as far as it is known.

    Raises:
        SeluError: a file or a label is not as expected, or a message is not the one of its commit.
    """
    labels = {row["revision_hash"]: row for row in records_of(*find(raw, "manual_labels"))}
    messages = {row["commit"]: row["message"] for row in records_of(*find(raw, "messages"))}
    records: list[Record] = []
    for known in known_commits():
        message = messages.get(known.commit)
        if message is None or not known.text:
            continue
        text = clean_message(message)
        if hashlib.sha256(text.encode()).hexdigest()[:_DIGITS] != known.text:
            raise SeluError(
                f"{task.id}: the message of commit {known.commit} is not the known one; "
                f"remove the task's folder from data/raw and run 'selu fetch {task.id}'."
            )
        row = labels[known.commit]
        try:
            name = _LABELS[row["internal_quality"], row["external_quality"]]
        except KeyError:
            raise SeluError(
                f"{task.id}: commit {known.commit} has no label, or two; correct the pin."
            ) from None
        identity = f"{'p' if known.certainty == FIXED else 'x'}{known.position:06d}"
        place = f"{row['project']}@{known.commit}"
        records.append((identity, text, index_of(task, name), row["project"], place))
    return rows_table(records, "text")
