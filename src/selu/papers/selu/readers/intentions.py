"""Readers of issue_intention (Huang et al. 2018): 35 text files, one sentence a line, or one table of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pandas as pd

from selu.papers.selu.readers._parts import Part, Raw, coded, content, find, records_of, rows_table
from selu.vocabulary import SeluError, Task

PROJECTS = ("bootstrap", "DECA", "docker", "tensorflow", "vscode")  # the order of the published split
# Two quote marks in another encoding than the rest; the authors' notebook drops what isn't UTF-8. The table has
# them as U+FFFD, and the file is read as latin-1.
_FOREIGN = {"docker problem discovery": "\xa1\xb0\xb1"}

Sentence = tuple[str, str, int, str]  # project, label, 1-based line of the file, text


def table(raw: Raw, task: Task) -> pd.DataFrame:
    """Read one table with the columns project, label and text, whose rows keep the order of the files."""
    name, rows = find(raw, "issue_intention")
    lines: dict[tuple[str, str], int] = {}
    sentences: dict[str, list[Sentence]] = {project: [] for project in PROJECTS}
    for row in records_of(name, rows):
        project, label = row["project"], row["label"]
        if project not in sentences:
            raise SeluError(
                f"{task.id}: unknown project {project!r} in {name}; fetch it again with 'selu fetch'."
            )
        lines[project, label] = lines.get((project, label), 0) + 1
        sentences[project].append((project, label, lines[project, label], row["text"].replace("\ufffd", "")))
    return _rows((sentence for project in PROJECTS for sentence in sentences[project]), task)


def files(raw: Raw, task: Task) -> pd.DataFrame:
    """Read the 35 files themselves, named ``<project> <label>.txt``."""
    return _rows(_sentences(raw, task), task)


def _sentences(raw: Raw, task: Task) -> Iterator[Sentence]:
    for project in PROJECTS:
        for label in task.labels:
            stem = f"{project} {label.name}"
            name, lines = find(raw, stem)
            if not isinstance(lines, list):
                raise SeluError(
                    f"{name} was read as a table where lines are needed; correct its form in the pin."
                )
            dropped = str.maketrans("", "", _FOREIGN.get(stem, ""))
            for number, line in enumerate(lines, 1):
                yield project, label.name, number, line.translate(dropped)


def _rows(sentences: Iterable[Sentence], task: Task) -> pd.DataFrame:
    """Return the rows; texts lose surrounding white space, as in the authors' notebook."""
    part, records = Part("", lambda row: row["text"].strip(), coded("label")), []
    for position, (project, label, line, text) in enumerate(sentences):
        place = f"{project}/{label}:{line}"
        pair = content(part, {"label": label, "text": text}, task, place)
        records.append((f"p{position:06d}", *pair, project, place))
    return rows_table(records, "text")
