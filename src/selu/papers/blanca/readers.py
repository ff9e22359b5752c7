"""Readers of BLANCA's files: raw tables by file name in, all rows of a set out; all are pure.

Openly available are the pairs of U with the documentation of their classes, a first test split of F,
and a sample of related questions. Of the pairs of U, those are for testing that the authors' distances cover.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from math import hypot
from typing import TYPE_CHECKING

from selu.names import nearest
from selu.papers.api import Raw, TaskRows
from selu.vocabulary import SeluError, Task

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("id", "text_a", "text_b", "label", "group", "source")
_USAGE = re.compile(r"(\S+) (\d+) \[(.+)\]")
Pair = tuple[str, str]


def usage_pairs(lines: list[str]) -> dict[Pair, tuple[int, int]]:
    """Read the authors' usage list: pair of classes -> methods that they share (M), and classes that do so (C).

    A pair is unordered, its classes in order of their names. Where the list has it twice, the first one counts:
    that gives the authors' own distances.

    Raises:
        SeluError: a line is not CLASS NUMBER [CLASSES]; names it.
    """
    found: dict[Pair, tuple[int, int]] = {}
    for number, line in enumerate(lines, start=1):
        match = _USAGE.fullmatch(line)
        if match is None:
            raise SeluError(f"usage.txt, line {number}: is not 'CLASS NUMBER [CLASSES]'; fetch the file again.")
        others = match[3].split(", ")
        for other in others:
            first, second = sorted((match[1], other))
            found.setdefault((first, second), (int(match[2]), len(others)))
    return found


def usage_distances(pairs: Mapping[Pair, tuple[int, int]]) -> dict[Pair, float]:
    """Return the distance of each pair from the ideal one, [max M, min C] (section 4.5)."""
    most, least = max(methods for methods, _ in pairs.values()), min(classes for _, classes in pairs.values())
    return {pair: hypot(most - methods, classes - least) for pair, (methods, classes) in pairs.items()}


_Row = tuple[str, str, str | int | list[float], str, str]  # two texts, label, group, source


def _usage(raw: Raw) -> Iterator[_Row]:
    """Pairs of U whose classes both have documentation; labels: the distance, and whether it is for testing."""
    documented = {
        entry["klass"]: entry["class_docstring"].strip() for entry in _json(raw, "documentation.json")
    }
    classes = (raw["test.csv"][column] for column in ("class1", "class2"))
    test = {tuple(sorted(pair)) for pair in zip(*classes, strict=True)}
    for (left, right), distance in usage_distances(usage_pairs(list(raw["usage.txt"]))).items():
        first, second = documented.get(left), documented.get(right)
        if first and second:
            yield (
                first,
                second,
                [distance, (left, right) in test],
                left.partition(".")[0],
                f"usage.txt:{left} {right}",
            )


def _forum(raw: Raw) -> Iterator[_Row]:
    """Pairs of documentation and post."""
    for number, row in enumerate(_json(raw, "pairs.json"), start=1):
        yield row["docstring"], row["text"], int(row["label"]), "", f"pairs.json:{number}"


def _related(raw: Raw) -> Iterator[_Row]:
    """Answers of pairs of questions, with their class."""
    for name, table in raw.items():
        columns = (table[column] for column in ("q1_AnswersBody", "q2_AnswersBody", "class"))
        for number, (first, second, label) in enumerate(zip(*columns, strict=True), start=2):
            yield first, second, label.strip().strip('"'), "", f"{name}:{number}"


READERS = {"usage": _usage, "forum": _forum, "related": _related}


def _json(raw: Raw, name: str) -> list[Mapping[str, str]]:
    try:
        return list(json.loads("\n".join(raw[name])))
    except ValueError as error:
        raise SeluError(f"{name} is not JSON ({error}): fetch the file again.") from None


def read(reader: str, raw: Raw, set_: str) -> pd.DataFrame:
    """Read all rows of a set.

    Raises:
        SeluError: there is no such reader, or a file is damaged.
    """
    import pandas as pd

    if reader not in READERS:
        raise nearest(reader, READERS, f"reader, named by the pin of {set_},")
    plain = {name.removesuffix(".gz"): table for name, table in raw.items()}
    rows = [(f"p{number:06d}", *row) for number, row in enumerate(READERS[reader](plain))]
    return pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)


def cut_rows(task: Task, sets: Mapping[str, pd.DataFrame]) -> TaskRows:
    """Return the rows of a task, which are all of its set; the test part of U is the authors' own."""
    (table,) = sets.values()
    if task.id != "class_usage":
        return TaskRows(table)
    labels = table["label"].tolist()
    return TaskRows(table.assign(label=[distance for distance, _ in labels]), [test for _, test in labels])
