from __future__ import annotations

import io
import math

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selu.execution import protocols
from selu.vocabulary import Kind

PARTS = st.lists(st.sampled_from(["train", "validation", "test"]), min_size=1, max_size=30)


def rows(parts: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"id": range(len(parts)), "part": parts})


def ids(table: pd.DataFrame, *parts: str) -> list[int]:
    return [number for number, part in zip(table["id"], table["part"], strict=True) if part in parts]


@pytest.mark.ci
@given(PARTS)
def test_paper_answers_test_rows_and_strict_validation_rows(parts):
    table = rows(parts)
    fit, asked = protocols.candidates(table, "strict")
    assert (fit["id"].tolist(), asked["id"].tolist()) == (ids(table, "train"), ids(table, "validation"))
    fit, asked = protocols.candidates(table, "paper")
    assert (fit["id"].tolist(), asked["id"].tolist()) == (ids(table, "train", "validation"), ids(table, "test"))


@pytest.mark.ci  # no row is learnt from and asked
@given(PARTS)
def test_whatever_is_picked_learns_from_all_rows_but_those_of_test(parts):
    table = rows(parts)
    fit, test = protocols.picked(table)
    assert (fit["id"].tolist(), test["id"].tolist()) == (ids(table, "train", "validation"), ids(table, "test"))


@given(st.lists(st.integers(0, 5).map(float), min_size=1, max_size=12))
def test_the_first_of_the_best_is_picked(scores):
    best = protocols.pick(scores, "highest")
    assert scores[best] == max(scores)
    assert max(scores[:best], default=-1) < scores[best]
    lowest = protocols.pick(scores, "lowest")
    assert scores[lowest] == min(scores)
    assert min(scores[:lowest], default=9) > scores[lowest]


@pytest.mark.parametrize(
    ("kind", "answers", "form"),
    [
        (Kind.BINARY, [0, 1, -1], "int32"),
        (Kind.MULTI_CLASS, [5, 0, 2], "int32"),
        (Kind.MULTI_LABEL, [[0, 1], [1, 1], [0, 0]], "list<element: int8>"),
        (Kind.REGRESSION, [0.1, 1 / 3, math.pi], "double"),
    ],
)
def test_predictions_read_back_to_the_bit_and_have_the_same_bytes(kind, answers, form):
    names = ["p1", "p2", "x000003"]
    content = protocols.to_parquet(names, answers, kind)
    assert content == protocols.to_parquet(names, answers, kind)
    table = pq.read_table(io.BytesIO(content))
    assert table.to_pydict() == {"id": names, "prediction": answers}
    assert str(table.schema.field("prediction").type) == form
    assert str(table.schema.field("id").type) == "string"
