"""A partition that comes with the rows, in the form of the authors' split files."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from selu.splits.algorithm import FOLDS, fold_parts
from selu.splits.published import FOLDS as SIGNS
from selu.splits.published import TEST, PublishedSplit, to_csv
from selu.vocabulary import Task


def split_of(
    task: Task, labels: Sequence[int], test: Sequence[bool], place: tuple[str, str, str], seed: int
) -> PublishedSplit:
    """Test rows as given; the validation parts of the folds are drawn from the rest, since none are given.

    Args:
        labels, test: one per row.
        place: repository, commit and path of the file that says which rows are for testing.
        seed: of the folds.
    """
    signs = np.full(len(test), TEST, dtype=object)
    train = np.flatnonzero(~np.array(test)).astype(np.int64)
    for fold, rows in enumerate(fold_parts(task.kind, train, labels, seed, FOLDS)):
        signs[rows] = SIGNS[fold]
    split = PublishedSplit(task.id, *place, FOLDS, "", "".join(signs))
    return replace(split, sha256=hashlib.sha256(to_csv(split)).hexdigest())
