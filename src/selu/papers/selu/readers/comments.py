"""Readers of the three comment_type tasks (Rani et al. 2021, NLBSE tool competition)."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from selu.papers.selu.readers._parts import (
    Part,
    Raw,
    Reader,
    Row,
    find,
    flag,
    flagged,
    index_of,
    records_of,
    rows_table,
    stacked,
)
from selu.vocabulary import SeluError, Task

# the source's word for a category -> the label's name
JAVA = {name: name for name in ("summary", "ownership", "expand", "usage", "pointer", "deprecation")} | {
    "rational": "rationale"
}
PHARO = {name: name for name in ("example", "responsibilities", "collaborators")} | {
    "keyimplementationpoints": "key implementation points",
    "classreferences": "class references",
    "intent": "intention",
    "keymessages": "key messages",
}
PYTHON = {name: name for name in ("usage", "parameters", "expand", "summary")} | {
    "developmentnotes": "development notes"
}


def _text(row: Row) -> str:
    return f"{row['comment_sentence']} | {row['class']}"


def wide(language: str, categories: Mapping[str, str]) -> Reader:
    """Read the multi-label form: one row per sentence, a column ``label_<category>`` each."""
    columns = {f"label_{category}": name for category, name in categories.items()}
    return stacked(Part(f"comment_type_{language}", _text, flagged(columns), lambda row: str(row["class"])))


def long(language: str, categories: Mapping[str, str]) -> Reader:
    """Read the 2024 form: one row per sentence and category, ``partition`` set per row.

    A sentence belongs to the partition of the rows it is a positive instance in. The 2025 edition, which SELU
    uses, leaves out the texts that are positive instances in both; the rest comes by partition and sentence.
    """

    def read(raw: Raw, task: Task) -> pd.DataFrame:
        name, table = find(raw, language)
        rows = records_of(name, table)
        partitions: dict[str, set[str]] = {}
        sentences: dict[int, tuple[int, Row, list[int]]] = {}
        for number, row in enumerate(rows, 1):
            place = f"{name}:{number}"
            try:
                label = index_of(task, categories.get(row["category"].lower(), row["category"]))
                positive, identity = (
                    flag("instance_type", row["instance_type"]),
                    int(row["comment_sentence_id"]),
                )
            except (KeyError, ValueError) as error:
                again = f"fetch it again with 'selu fetch {task.id}'"
                raise SeluError(f"{task.id}: {place}: {error}; {again}.") from None
            _, first, flags = sentences.setdefault(identity, (number, row, [0] * len(task.labels)))
            if (first["comment_sentence"], first["class"]) != (row["comment_sentence"], row["class"]):
                raise SeluError(f"{task.id}: {place}: sentence {identity} has two texts; fetch it again.")
            flags[label] |= positive
            if positive:
                partitions.setdefault(row["comment_sentence"], set()).add(row["partition"])
        kept = sorted(
            (min(found), identity, number, row, flags)
            for identity, (number, row, flags) in sentences.items()
            if any(flags) and len(found := partitions[row["comment_sentence"]]) == 1
        )
        records = [
            (f"p{position:06d}", _text(row), flags, row["class"], f"{name}:{number}")
            for position, (_, _, number, row, flags) in enumerate(kept)
        ]
        return rows_table(records, "text")

    return read
