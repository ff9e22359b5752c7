"""Generated sparse matrices on which trees must be the same on cut columns as on all, to the last bit.

``python matrices.py COUNT`` compares generated cases and prints a line of JSON. It is a process of its own:
what it looks for also kills.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np
import plain
from scipy.sparse import csr_matrix

from selu.systems.baseline import tfidf_xgboost
from selu.systems.baseline.tfidf_squared_error import TfidfSquaredError
from selu.systems.baseline.tfidf_xgboost import TfidfXgboost

KINDS = ("regression", "binary", "multi_class", "multi_label", "squared_error")
COLUMNS = ("dense", "rare", "half", "empty")
MIXES = (COLUMNS, ("dense",), ("dense", "rare"), ("dense", "empty"), ("rare", "empty"), ("half", "rare"))
WEIGHTS = (0, 0.5, 1, 3, 5, 7, 12, 1e6)
TREES = 10


@dataclass(frozen=True)
class Case:
    """Features whose words are stored in a random or a rising order, targets, and a point of a grid."""

    kind: str
    mix: tuple[str, ...]
    ordered: bool
    train: csr_matrix
    asked: csr_matrix
    targets: np.ndarray
    depth: int
    weight: float
    threads: int


def case(seed: int) -> Case:
    """Draw one case; neighbouring seeds differ in kind, in mix of columns and in order."""
    numbers = np.random.default_rng(seed)
    kind, mix = KINDS[seed % len(KINDS)], MIXES[seed // len(KINDS) % len(MIXES)]
    ordered = bool(seed // len(KINDS) // len(MIXES) % 2)
    rows, width = int(numbers.integers(20, 61)), int(numbers.integers(1, 13))
    columns = [_column(numbers, rows, str(numbers.choice(mix))) for _ in range(width)]
    train, asked = (_matrix(numbers, np.stack(c, axis=1), ordered) for c in zip(*columns, strict=True))
    weight, threads = float(numbers.choice(WEIGHTS)), 1 + (numbers.random() < 0.1)
    targets = _targets(numbers, kind, train.toarray())
    return Case(kind, mix, ordered, train, asked, targets, int(numbers.integers(1, 9)), weight, threads)


def _column(numbers: np.random.Generator, rows: int, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Values of train rows and of 25 others; NaN is not stored, a zero is."""
    count = {"dense": rows, "rare": int(numbers.integers(1, 9)), "half": rows // 2, "empty": 0}[column]
    values = np.full(rows, np.nan)
    stored = numbers.choice(rows, count, replace=False)
    values[stored] = numbers.random(count) * (numbers.random(count) > 0.1)
    return values, np.where(numbers.random(25) < 0.5, numbers.random(25), np.nan)


def _matrix(numbers: np.random.Generator, values: np.ndarray, ordered: bool) -> csr_matrix:
    """CSR of all but NaN, each row's columns in rising or in random order."""
    orders = [np.flatnonzero(~np.isnan(row)) for row in values]
    if not ordered:
        orders = [numbers.permutation(order) for order in orders]
    data = [row[order] for row, order in zip(values, orders, strict=True)]
    starts = np.cumsum([0, *(len(order) for order in orders)])
    return csr_matrix((np.concatenate(data), np.concatenate(orders), starts), shape=values.shape)


def _targets(numbers: np.random.Generator, kind: str, values: np.ndarray) -> np.ndarray:
    exact = values @ numbers.normal(size=values.shape[1]) + 0.2 * numbers.normal(size=len(values))
    if kind == "regression":
        return exact
    if kind == "multi_label":
        labels = [exact > np.median(exact), numbers.permutation(len(exact)) % 2 == 0]
        return np.stack(labels, axis=1).astype(int)
    classes = 4 if kind == "multi_class" else 2
    return np.argsort(np.argsort(exact)) * classes // len(exact)


def numbers_of(of: Case, train: csr_matrix, asked: csr_matrix) -> np.ndarray:
    """What trees on these features give, before anything is rounded to a class: on train and on other rows."""
    from xgboost import XGBClassifier, XGBRegressor

    settings: dict[str, Any] = {"max_depth": of.depth, "min_child_weight": of.weight, "n_jobs": of.threads}
    settings |= {"n_estimators": TREES, "random_state": 42}
    if of.kind == "squared_error":
        settings["objective"] = "reg:squarederror"
    found = []
    for targets in of.targets.T if of.kind == "multi_label" else [of.targets]:
        trees = (XGBRegressor if of.kind == "regression" else XGBClassifier)(**settings).fit(train, targets)
        found += [trees.predict(rows, output_margin=True) for rows in (train, asked)]
    return np.concatenate(found)


def equal(of: Case) -> bool:
    """Whether what the learner grows its trees on gives the same numbers as all columns do."""
    learner, curvature = TfidfXgboost, tfidf_xgboost._CURVATURE.get(of.kind, 1.0)
    if of.kind == "squared_error":
        learner = TfidfSquaredError
    vectorizer = mock.Mock()
    vectorizer.fit_transform.return_value, vectorizer.transform.return_value = of.train.copy(), of.asked.copy()
    with mock.patch("sklearn.feature_extraction.text.TfidfVectorizer", return_value=vectorizer):
        cut = learner(plain.whole("binary", 1))._cut(of.weight, curvature)
    train, asked = of.train.copy(), of.asked.copy()
    if train.nnz == np.prod(train.shape):  # no column has a gap: XGBoost itself would mix them
        train.sort_indices()
    return np.array_equal(numbers_of(of, *cut), numbers_of(of, train, asked))


if __name__ == "__main__":
    import xgboost

    count = int(sys.argv[1])
    unlike = [seed for seed in range(count) if not equal(case(seed))]
    print(json.dumps({"xgboost": xgboost.__version__, "compared": count, "differing": unlike}))
