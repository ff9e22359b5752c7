"""The one file of the benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from selu.papers.api import Raw, TaskRows
from selu.vocabulary import Task


def read(_reader: str, raw: Raw, _set: str) -> pd.DataFrame:
    """All pairs, with their task in the label."""
    (table,) = raw.values()
    rows: list[dict[str, Any]] = [
        {
            "id": f"p{number:06}",
            "text_a": row["one"],
            "text_b": row["other"],
            "label": [row["task"], row["distance"], row["part"]],
            "group": "",
            "source": f"pairs.csv:{number + 2}",
        }
        for number, row in enumerate(table.to_dict("records"))
    ]
    return pd.DataFrame(rows)


def cut_rows(task: Task, sets: Mapping[str, pd.DataFrame]) -> TaskRows:
    """The pairs of one task, with the published test part."""
    whole = sets["pairs"]
    mine = whole[[label[0] == task.id for label in whole["label"]]].reset_index(drop=True)
    labels = mine["label"].tolist()
    ids = [f"p{number:06}" for number in range(len(mine))]
    return TaskRows(
        mine.assign(id=ids, label=[float(distance) for _, distance, _ in labels]),
        [part == "test" for _, _, part in labels],
    )
