from __future__ import annotations

import pytest

from selu.app.ranking import compare
from selu.vocabulary import SeluError


def test_a_declared_system_is_compared_by_its_benchmark(root):
    found = compare.comparison(root, "setfit-minilm", "fasttext-lines")
    assert [row["on"] for row in found["tasks"]] == ["issues"]
    assert found["sentence"].startswith("By intervals of paired differences")


def test_systems_of_the_default_paper_are_compared_by_their_published_scores(root):
    assert compare.comparison(root, "gpt2-xl", "BERT base")["posterior"]["autorank"]["decision"]


def test_an_encoder_that_is_not_trained_is_compared_with_the_trained_one(root):
    found = compare.comparison(root, "mpnet-linear", "MiniLM-L6")
    (row,) = (row for row in found["tasks"] if row["task"] == "security_requirement")
    assert row["scores"] == "ours, ours"
    assert row["difference"] == round(row["mpnet-linear"] - row["minilm-l6"], 4)
    assert "against MiniLM-L6. A system outside the paper" in found["sentence"]


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ("minilm-l6", "MiniLM-L6", "are the same system"),
        ("minilm-l6", "no such thing", "there is no system 'no such thing'"),
        ("gpt2-xl", "bert-bse", "did you mean 'bert-base'"),
    ],
)
def test_what_cannot_be_compared_is_said(a, b, message, root):
    with pytest.raises(SeluError, match=message):
        compare.comparison(root, a, b)
