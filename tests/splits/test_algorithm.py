from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selu.splits import published
from selu.splits.algorithm import fold_parts, hold_out, validation_part
from selu.vocabulary import Kind

SPLITS = Path(__file__).parents[2] / "data" / "pins" / "selu" / "splits"
REGENERATED = {
    "functional_requirement": Kind.BINARY,
    "quality_requirement": Kind.BINARY,
    "security_requirement": Kind.BINARY,
    "incivility": Kind.BINARY,
    "tone_bearing": Kind.BINARY,
    "issue_intention": Kind.MULTI_CLASS,
    "question_quality": Kind.MULTI_CLASS,
    "story_points": Kind.REGRESSION,
}


@pytest.mark.parametrize("task", sorted(REGENERATED))
def test_the_algorithm_gives_the_published_file_again(task: str, real: Callable):
    """Test rows and all folds, sign by sign, from labels in published order and seed 42."""
    kind, labels = REGENERATED[task], real(task)[1]
    split = published.read(SPLITS / f"{task}.txt")
    train, test = hold_out(kind, labels, 0.2, 42)
    signs = np.full(len(labels), "?")
    signs[test] = published.TEST
    for sign, part in zip(published.FOLDS, fold_parts(kind, train, labels, 42, split.folds), strict=False):
        signs[part] = sign
    assert "".join(signs) == split.signs


@pytest.mark.parametrize("kind", [Kind.ENTITIES, Kind.MASKED])
@pytest.mark.parametrize("rows", [5, 12, 2718])
def test_token_tasks_are_shuffled_and_cut_as_the_authors_do(kind: Kind, rows: int):
    random.seed(42)
    drawn = list(range(rows))
    random.shuffle(drawn)
    cut = int(rows * (1 - 0.2))
    train, test = hold_out(kind, [["O"]] * rows, 0.2, 42)
    assert (train.tolist(), test.tolist()) == (drawn[:cut], drawn[cut:])
    inner = validation_part(kind, train, [["O"]] * rows, 0.2, 42)
    assert set(inner.tolist()) < set(train.tolist())
    assert len(inner) == len(train) - int(len(train) * 0.8)


@settings(max_examples=60, deadline=None)
@given(
    labels=st.lists(st.integers(0, 4), max_size=80),
    kind=st.sampled_from([Kind.BINARY, Kind.MULTI_CLASS, Kind.REGRESSION, Kind.ENTITIES]),
    seed=st.integers(0, 2**32 - 1),
    share=st.sampled_from([0.2, 0.5]),
)
def test_every_row_lands_on_one_side_whatever_the_labels(
    labels: list[int], kind: Kind, seed: int, share: float
):
    train, test = hold_out(kind, labels, share, seed)
    assert sorted([*train.tolist(), *test.tolist()]) == list(range(len(labels)))
    assert len(labels) < 2 or min(len(train), len(test)) > 0 or kind is Kind.ENTITIES
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # labels with fewer rows than folds
        part = validation_part(kind, train, labels, share, seed)
    assert set(part.tolist()) <= set(train.tolist())
    if kind is Kind.MULTI_CLASS and min(Counter(labels).values(), default=0) >= 5:
        held = Counter(labels[row] for row in test)
        assert all(abs(held[label] - share * count) < 1 for label, count in Counter(labels).items())


@pytest.mark.parametrize(
    ("labels", "share", "sizes"), [([0, 1], 0.2, (1, 1)), ([0, 0, 1, 1, 2, 2], 0.6, (2, 4))]
)
def test_rows_too_few_for_strata_are_drawn_plainly(labels: list[int], share: float, sizes: tuple[int, int]):
    train, test = hold_out(Kind.MULTI_CLASS, labels, share, 42)
    assert (len(train), len(test)) == sizes


def test_a_label_with_one_row_goes_to_train():
    labels = [0] * 20 + [1] * 20 + [2]
    train, test = hold_out(Kind.MULTI_CLASS, labels, 0.2, 42)
    assert 40 in train
    assert Counter(labels[row] for row in test) == {0: 4, 1: 4}


def test_multi_label_keeps_the_share_of_every_label(make: Callable):
    labels = make(Kind.MULTI_LABEL, 1000, seed=5)["label"].tolist()
    signs = np.array(labels)
    train, test = hold_out(Kind.MULTI_LABEL, labels, 0.2, 42)
    assert np.abs(signs[test].sum(axis=0) - 0.2 * signs.sum(axis=0)).max() <= 2
    parts = fold_parts(Kind.MULTI_LABEL, train, labels, 42, 5)
    assert sorted(np.concatenate(parts).tolist()) == sorted(train.tolist())
    for part in parts:
        assert np.abs(signs[part].sum(axis=0) - 0.2 * signs[train].sum(axis=0)).max() <= 3


def test_folds_hold_each_label_alike_and_are_drawn_plainly_where_none_has_a_row_for_each():
    parts = fold_parts(Kind.BINARY, np.arange(50), [0] * 40 + [1] * 10, 42, 5)
    assert [int((part >= 40).sum()) for part in parts] == [2] * 5
    few = fold_parts(Kind.MULTI_CLASS, np.arange(8), [0, 1, 2, 3] * 2, 42, 5)
    assert sorted(np.concatenate(few).tolist()) == list(range(8))
