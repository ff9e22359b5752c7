"""The authors' way to split a task, for rows whose published split is not public (SELU section III-B).

Binary and multi-class: stratified hold-out, then stratified folds inside the rest. Multi-label: iterative
stratification. Regression: the same without strata. Entities and masked: the list is shuffled and cut. Seed,
calls and order of rows are those of the authors' scripts, so that for single-label tasks the published files
come out again. Their multi-label draw sets no seed, so no seed can bring it back; ours is seeded.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selu.vocabulary import Kind, SeluError, Target

FOLDS = 5  # of the authors' scripts for most tasks; 10 for their larger ones
Positions = NDArray[np.int64]

_STRATIFIED = (Kind.BINARY, Kind.MULTI_CLASS)
_FOLDED = (*_STRATIFIED, Kind.MULTI_LABEL, Kind.REGRESSION)  # all other kinds are shuffled and cut


def hold_out(kind: str, labels: Sequence[Target], share: float, seed: int) -> tuple[Positions, Positions]:
    """Draw train and test positions, in the order of the draw.

    A label with a single row can't be stratified; its row goes to train. With fewer rows than strata need, the
    draw is random.
    """
    rows = np.arange(len(labels), dtype=np.int64)
    if len(rows) < 2:
        return rows, rows[:0]
    if kind not in _FOLDED:
        return _shuffled(rows, 1 - share, seed)
    if kind is Kind.MULTI_LABEL:
        from iterstrat.ml_stratifiers import MultilabelStratifiedShuffleSplit

        splitter = MultilabelStratifiedShuffleSplit(n_splits=1, test_size=share, random_state=seed)
        train, test = next(splitter.split(rows, np.asarray(list(labels))))
        return train, test
    if kind is Kind.REGRESSION:
        return _plain(rows, share, seed)
    return _stratified(rows, np.asarray(labels), share, seed)


def validation_part(
    kind: str, train: Positions, labels: Sequence[Target], share: float, seed: int, folds: int = FOLDS
) -> Positions:
    """Pick the positions of ``train`` (in drawn order) that the authors' first fold validates on.

    For entities and masked, where the authors have no folds: the given share of train, shuffled and cut.
    """
    if kind not in _FOLDED:
        return _shuffled(train, 1 - share, seed)[1]
    if len(train) < folds:
        return train[:0]
    return next(iter(fold_parts(kind, train, labels, seed, folds)))


def fold_parts(kind: str, train: Positions, labels: Sequence[Target], seed: int, folds: int) -> list[Positions]:
    """Draw the validation positions of each of the authors' folds, first to last.

    Raises:
        SeluError: there are fewer train rows than folds.
    """
    from iterstrat.ml_stratifiers import MultilabelStratifiedKFold
    from sklearn.model_selection import KFold, StratifiedKFold

    if len(train) < folds:
        raise SeluError(
            f"{len(train)} rows to train on are too few for {folds} folds: give the task more rows."
        )
    targets = np.asarray([labels[row] for row in train])
    way: Any = KFold
    if kind is Kind.MULTI_LABEL:
        way = MultilabelStratifiedKFold
    elif kind in _STRATIFIED and np.unique(targets, return_counts=True)[1].max() >= folds:
        way = StratifiedKFold  # scikit-learn refuses when no label has a row for each fold
    splitter = way(n_splits=folds, shuffle=True, random_state=seed)
    return [train[part] for _, part in splitter.split(train, targets)]


def _stratified(
    rows: Positions, labels: NDArray[np.generic], share: float, seed: int
) -> tuple[Positions, Positions]:
    _, number, count = np.unique(labels, return_inverse=True, return_counts=True)
    alone = rows[count[number] < 2]
    rest = rows[count[number] >= 2]
    classes = int((count >= 2).sum())
    tested = int(np.ceil(share * len(rest)))
    if min(tested, len(rest) - tested) < classes or not classes:
        return _plain(rows, share, seed)  # too few rows for one of every label on both sides
    train, test = _plain(rest, share, seed, labels[rest])
    return np.concatenate([train, alone]), test


def _plain(
    rows: Positions, share: float, seed: int, strata: NDArray[np.generic] | None = None
) -> tuple[Positions, Positions]:
    from sklearn.model_selection import train_test_split

    train, test = train_test_split(rows, test_size=share, random_state=seed, stratify=strata)
    return train, test


def _shuffled(rows: Positions, share: float, seed: int) -> tuple[Positions, Positions]:
    """Shuffle with Python's own generator, as the authors do, and cut after this share."""
    drawn = [int(row) for row in rows]
    random.Random(seed).shuffle(drawn)
    cut = int(len(drawn) * share)
    return np.array(drawn[:cut], dtype=np.int64), np.array(drawn[cut:], dtype=np.int64)
