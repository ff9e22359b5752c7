"""The size of the collection, counted from its available tasks: Tables 2 and 3.

Lengths are words between blanks. The paper counts words of descriptions and definitions, and the tokens of
CodeT5 of examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict

from selu.papers.crosscodebench.collection.check import Checked
from selu.papers.crosscodebench.collection.instances import joined
from selu.papers.crosscodebench.collection.tasks import Entry, entries
from selu.papers.crosscodebench.material import SUB_TYPES, TYPES

TypeCounts = TypedDict(
    "TypeCounts", {"Tasks": int, "Categories": int, "Instances": int, "With rows": int}
)  # of the tasks of a row of Table 3
TABLE2 = {  # row of Table 2 -> field of the meta information, and part of an example
    "task description length": ("Prompt", None),
    "task definition length": ("Definition", None),
    "positive example input length": ("Positive Examples", "input"),
    "positive example output length": ("Positive Examples", "output"),
    "negative example input length": ("Negative Examples", "input"),
    "negative example output length": ("Negative Examples", "output"),
}


def table2(tasks: Sequence[Checked]) -> Mapping[str, float | None]:
    """Average sizes over tasks: instances of a task, and words of what Table 2 measures; None of nothing."""
    found: dict[str, float | None] = {"instances per task": _mean([task.rows for task in tasks])}
    for row, (name, part) in TABLE2.items():
        values = (entry for task in tasks for entry in _entries(task.meta, name))
        texts = (value.get(part) if isinstance(value, dict) else value for value in values)
        found[row] = _mean([len(joined(text).split()) for text in texts if isinstance(text, str | list)])
    return found


def _entries(meta: Mapping[str, object], name: str) -> Iterable[object]:
    values = meta.get(name)
    return values if isinstance(values, list) else ()


def _mean(values: Sequence[int]) -> float | None:
    return sum(values) / len(values) if values else None


def rows_of_table3() -> list[str]:
    """List the rows of Table 3: types, their sub-types, the total."""
    parts = [[name, *(f"{name}: {part}" for part in SUB_TYPES.get(name, ()))] for name in TYPES]
    return [*(row for rows in parts for row in rows), "Total"]


def table3(tasks: Iterable[tuple[Entry, int]]) -> Mapping[str, TypeCounts]:
    """Count tasks, categories and instances by type.

    Args:
        tasks: each, and the instances of each.
    """
    every = list(tasks)
    found: dict[str, TypeCounts] = {}
    for row in rows_of_table3():
        inside = [(task, rows) for task, rows in every if row in ("Total", task.main_type, task.type)]
        found[row] = {
            "Tasks": len(inside),
            "Categories": len({task.category for task, _ in inside}),
            "Instances": sum(rows for _, rows in inside),
            "With rows": sum(rows > 0 for _, rows in inside),
        }
    return found


def listed() -> Mapping[str, TypeCounts]:
    """Count all 216 tasks by type, with the instances of those that have rows here."""
    return table3((entry, entry.rows) for entry in entries())
