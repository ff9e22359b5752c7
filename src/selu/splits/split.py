"""Which row is for training, validation and test, under three protocols.

``paper``: the published split, or the authors' algorithm where they published none; training uses everything
that is not test. ``strict``: the same test rows; validation is the authors' own first fold inside the rest.
``grouped``: ``strict`` without near-duplicates on two sides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from selu.splits.algorithm import hold_out, validation_part
from selu.splits.duplicates import Duplicates
from selu.splits.published import PublishedSplit
from selu.splits.settings import DataSettings
from selu.vocabulary import Kind, SeluError, Target, Task

PARTS = ("train", "validation", "test")
PROTOCOLS = ("paper", "strict", "grouped")
COLUMNS = ("id", *PROTOCOLS)

_POSITION = re.compile(
    r"p([0-9]{6,})"
)  # the letter keeps spreadsheets and readers of csv from taking it for a number


def split(
    table: pd.DataFrame,
    task: Task,
    published: PublishedSplit | None,
    duplicates: Duplicates,
    settings: DataSettings,
) -> pd.DataFrame:
    """Split the rows of a task.

    Args:
        table: rows table; ids such as ``p000123`` are positions in published order, others (``x...``,
            ``s...``) have none and are split among themselves by the authors' algorithm.
        published: the authors' split file, or None where there is none.
        duplicates: groups of the same rows, for ``grouped``.

    Returns:
        Columns id, paper, strict, grouped; one row per row of the table, in its order. Values are ``train``,
        ``validation`` (never in paper) and ``test``.

    Raises:
        SeluError: ids are repeated, or don't match the published split.
    """
    ids = [str(name) for name in table["id"]]
    labels = table["label"].tolist()
    repeated = [name for name, count in Counter(ids).items() if count > 1]
    if repeated:
        raise SeluError(
            f"{task.id} has {len(repeated)} ids twice, first {repeated[0]}: prepare its rows again."
        )
    strict = np.full(len(ids), "train", dtype=object)
    placed = _published_rows(ids, task.id, published)
    if published is not None:
        for row, position in placed.items():
            if published.is_test(position):
                strict[row] = "test"
            elif published.is_validation(position):
                strict[row] = "validation"
    rest = [row for row in range(len(ids)) if row not in placed]
    _draw(strict, rest, labels, task.kind, settings)
    return pd.DataFrame(
        {
            "id": ids,
            "paper": np.where(strict == "test", "test", "train").astype(object),
            "strict": strict,
            "grouped": keep_together(strict, duplicates),
        }
    )


def keep_together(strict: NDArray[np.object_], duplicates: Duplicates) -> NDArray[np.object_]:
    """Move every cluster of near-duplicates that is on several sides to one: train before validation.

    Rows only ever leave test and validation, never enter test. So the test rows are a subset of the
    published ones, and published predictions can be scored again on rows that nothing in training gives away;
    a fresh grouped draw would have test rows that no published system was ever asked.
    """
    rank = np.array([PARTS.index(part) for part in strict], dtype=np.int64)
    first = np.full(len(rank), len(PARTS), dtype=np.int64)
    np.minimum.at(first, duplicates.near, rank)
    return np.array(PARTS, dtype=object)[first[duplicates.near]] if len(rank) else strict.copy()


def drift(table: pd.DataFrame, parts: Sequence[str], task: Task, share: float) -> Mapping[str, float]:
    """Count for each label the test rows beyond its share: test count - share x count, in rows.

    Stratification keeps it within one row for binary and multi-class tasks. Multi-label tasks count rows that
    carry the label; tasks without labels give an empty record.
    """
    names = [label.name for label in task.labels]
    test = np.array([part == "test" for part in parts], dtype=bool)
    if task.kind is Kind.MULTI_LABEL:
        carries = np.array(table["label"].tolist(), dtype=bool).reshape(len(table), len(names))
    elif task.kind in (Kind.BINARY, Kind.MULTI_CLASS):
        carries = np.array(table["label"])[:, None] == np.arange(len(names))
    else:
        return {}
    over = carries[test].sum(axis=0) - share * carries.sum(axis=0)
    return {name: float(value) for name, value in zip(names, over, strict=True)}


def _published_rows(ids: Sequence[str], task: str, published: PublishedSplit | None) -> Mapping[int, int]:
    """Map rows of the table to positions in the published split, for the rows that have one there."""
    if published is None:
        return {}
    if published.task != task:
        raise SeluError(f"the split of {published.task} was given for {task}: give each task its own.")
    placed = {row: int(found[1]) for row, name in enumerate(ids) if (found := _POSITION.fullmatch(name))}
    source = f"the published split of {task} ({published.rows} rows)"
    extra = [ids[row] for row, position in placed.items() if position >= published.rows]
    if extra:
        raise SeluError(f"{source} has no row {extra[0]} ({len(extra)} such ids): prepare its rows again.")
    if len(placed) == len(ids) != published.rows and ids:
        # Rows without a position mark a set that is known to be partial; any other must be whole.
        missing = sorted(set(range(published.rows)) - set(placed.values()))
        raise SeluError(
            f"{source} has row p{missing[0]:06d} and {len(missing) - 1} more that the table of {len(ids)} rows "
            "lacks: prepare its rows again."
        )
    return placed


def _draw(
    strict: NDArray[np.object_], rest: list[int], labels: Sequence[Target], kind: str, settings: DataSettings
) -> None:
    """Split the rows without a published place by the authors' algorithm, in place."""
    if not rest:
        return
    rows = np.array(rest, dtype=np.int64)
    own = [labels[row] for row in rest]
    train, test = hold_out(kind, own, settings.test_share, settings.seed)
    strict[rows[test]] = "test"
    part = validation_part(kind, train, own, settings.test_share, settings.seed)
    strict[rows[part]] = "validation"
