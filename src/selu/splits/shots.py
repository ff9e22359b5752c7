"""Demonstrations of each test row: rows of train, stratified by label where feasible (SELU section III-B).

The authors' notebook samples without a seed and with replacement, as many rows per label as there are labels,
and takes three of these; so their shots can't be drawn again, repeat rows, and need not cover the labels.
Theirs are published as row ids in their package (evaluation/shots/<task>.csv). Here each test row has a
stream of its own, seeded by (seed, task, id), so that another test row more or less changes nothing for the
others; the three are different rows; and none is a duplicate or near duplicate of the test row or of another
shot. They are drawn from strict's train part, which lies inside train under every protocol.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from selu.splits.duplicates import Duplicates, row_texts
from selu.splits.settings import DataSettings
from selu.vocabulary import Kind, SeluError, Task

_TRIES = 8  # draws before the rows left are listed, which costs more


@dataclass(frozen=True, slots=True)
class _Pool:
    """Train rows to draw from, by stratum, and the near-duplicate cluster of every row."""

    strata: list[list[int]]
    near: list[int]
    train: list[int]


def draw(
    table: pd.DataFrame,
    split: pd.DataFrame,
    task: Task,
    duplicates: Duplicates,
    settings: DataSettings,
    texts: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Draw the shots of every test row.

    Args:
        table, split: rows and their split, in the same order.
        texts: the texts whose length in characters counts, as the model is shown them (cleaned); the
            table's own if not given.

    Returns:
        Columns id, shot_1 .. shot_k: test rows in row order, with ids of train rows in random order. Binary:
        both labels. Three labels or more: different labels. Multi-label: different label sets. Regression:
        one of each third of the train labels. Entities and masked: any rows.

    Raises:
        SeluError: train is too small to give a test row its shots.
    """
    texts = row_texts(table) if texts is None else texts
    ids = split["id"].tolist()
    train = [row for row, part in enumerate(split["strict"]) if part == "train"]
    inside = _window(train, texts, settings.shot_lengths)
    strata = _strata(table["label"].tolist(), task.kind, train, inside, settings.shots)
    pool = _Pool(strata, duplicates.near.tolist(), train)
    rows = []
    for row in (row for row, part in enumerate(split["paper"]) if part == "test"):
        shots = _shots(pool, row, stream(settings.seed, task.id, ids[row]), settings.shots)
        if len(shots) < settings.shots:
            others = len({pool.near[other] for other in train} - {pool.near[row]})
            raise SeluError(
                f"{task.id} has {len(train)} train rows with {others} different texts beside that of row "
                f"{ids[row]}, too few for {settings.shots} shots: give it more different texts, or lower "
                "shared.data.shots in params.yaml."
            )
        rows.append([ids[row], *(ids[shot] for shot in shots)])
    columns = ["id", *(f"shot_{number + 1}" for number in range(settings.shots))]
    return pd.DataFrame(rows, columns=columns, dtype=object)


def stream(seed: int, task: str, row: str) -> np.random.Generator:
    """Seed the random stream of one test row."""
    digest = hashlib.sha256(f"{seed}/{task}/{row}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "little")))


def _window(train: list[int], texts: Sequence[str], quantiles: tuple[float, float]) -> set[int]:
    """Find train rows strictly between the two quantiles of train length, as the authors' notebook does."""
    if not train:
        return set()
    lengths = [len(texts[row]) for row in train]
    low, high = np.quantile(lengths, quantiles)
    return {row for row, length in zip(train, lengths, strict=True) if low < length < high}


def _strata(
    labels: Sequence[object], kind: str, train: list[int], inside: set[int], shots: int
) -> list[list[int]]:
    """Sort train rows inside the window by stratum, strata in a fixed order.

    Where the window would leave fewer strata than shots can cover, the strata that it emptied keep all rows:
    showing every label matters more than length.
    """
    keys = _keys([labels[row] for row in train], kind)
    strata: dict[Any, list[int]] = {key: [] for key in sorted(set(keys))}
    for key, row in zip(keys, train, strict=True):
        strata[key].append(row)
    whole = list(strata.values())
    windowed = [[row for row in rows if row in inside] for rows in whole]
    if sum(map(bool, windowed)) >= min(shots, len(whole)):
        return [rows for rows in windowed if rows]
    return [rows or all_rows for rows, all_rows in zip(windowed, whole, strict=True)]


def _keys(labels: list[Any], kind: str) -> list[Any]:
    """Return what each train row is stratified by."""
    if kind is Kind.MULTI_LABEL:
        return [tuple(label) for label in labels]
    if kind is Kind.REGRESSION and labels:
        thirds = np.quantile(labels, [1 / 3, 2 / 3])
        return [int(third) for third in np.searchsorted(thirds, labels)]
    return labels if kind in (Kind.BINARY, Kind.MULTI_CLASS) else [0] * len(labels)


def _shots(pool: _Pool, row: int, random: np.random.Generator, count: int) -> list[int]:
    """Draw rows for one test row: one of each stratum in random order, then of any, until enough."""
    taken = {pool.near[row]}
    shots: list[int] = []
    order = random.permutation(len(pool.strata)).tolist()
    again = random.integers(len(pool.strata), size=count).tolist() if pool.strata else []
    for stratum in (*order, *again):
        if len(shots) == count:
            break
        _take(pool, pool.strata[stratum], taken, shots, random)
    while len(shots) < count and _take(pool, pool.train, taken, shots, random):
        pass  # the drawn strata ran out of rows
    return [shots[place] for place in random.permutation(len(shots)).tolist()]


def _take(
    pool: _Pool, rows: Sequence[int], taken: set[int], shots: list[int], random: np.random.Generator
) -> bool:
    """Add a random row whose cluster is not taken yet; False if there is none."""
    for pick in random.integers(len(rows), size=_TRIES).tolist():
        if pool.near[rows[pick]] not in taken:
            break
    else:
        rows = [row for row in rows if pool.near[row] not in taken]
        if not rows:
            return False
        pick = int(random.integers(len(rows)))
    shots.append(rows[pick])
    taken.add(pool.near[rows[pick]])
    return True
