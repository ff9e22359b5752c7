"""Readers of SELU's upstream formats: raw tables by file name in, the one table of rows out; all are pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from selu.names import nearest
from selu.papers.api import TaskRows
from selu.papers.selu import design
from selu.papers.selu.readers import comments, commits, intentions, texts, tokens
from selu.papers.selu.readers._parts import Raw, Reader
from selu.papers.selu.readers.package import package
from selu.vocabulary import Task

if TYPE_CHECKING:
    import pandas as pd

READERS: dict[str, Reader] = {
    "package": package,
    "comment_type_java": comments.wide("java", comments.JAVA),
    "comment_type_java_long": comments.long("java", comments.JAVA),
    "comment_type_pharo": comments.wide("pharo", comments.PHARO),
    "comment_type_pharo_long": comments.long("pharo", comments.PHARO),
    "comment_type_python": comments.wide("python", comments.PYTHON),
    "comment_type_python_long": comments.long("python", comments.PYTHON),
    "commit_intention": commits.commit_intention,
    "functional_requirement": texts.functional_requirement,
    "incivility": texts.incivility,
    "issue_intention": intentions.table,
    "issue_intention_files": intentions.files,
    "quality_requirement": texts.quality_requirement,
    "question_features": texts.question_features,
    "requirement_completion": tokens.requirement_completion,
    "requirement_texts": tokens.requirement_texts,
    "review_aspect": texts.review_aspect,
    "se_entities": tokens.se_entities,
    "security_requirement": texts.security_requirement,
    "sentiment": texts.sentiment,
    "smell_doc": texts.smell_doc,
    "story_points": texts.story_points,
    "tone_bearing": texts.tone_bearing,
}


def read(reader: str, raw: Raw, set_: str) -> pd.DataFrame:
    """Read all rows of a set, which is a task's own, by the reader that its pin names.

    Raises:
        SeluError: there is no such reader, or the files are not those of the task.
    """
    if reader not in READERS:
        raise nearest(reader, READERS, f"reader, named by the pin of {set_},")
    task = next(task for task in design.tasks() if task.id == set_)
    return READERS[reader](raw, task)


def cut_rows(_task: Task, sets: Mapping[str, pd.DataFrame]) -> TaskRows:
    """Return all rows of the task's own set; the split is published beside the data."""
    (whole,) = sets.values()
    return TaskRows(whole)


__all__ = ["READERS", "Raw", "Reader", "cut_rows", "read"]
