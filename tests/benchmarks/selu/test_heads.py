"""Figure 3 from a record of heads: groups, words and the picture."""

from __future__ import annotations

from typing import Any

import pytest

from selu.benchmarks.drawing import images
from selu.benchmarks.selu import heads
from selu.benchmarks.table import to_markdown

LINEAR = {"name": "linear", "inputs": "d", "outputs": "k", "bias": True, "tied": False}
DROPOUT = {"name": "dropout", "p": 0.1}


def entry(family: str, kind: str, head: str, steps: list[dict[str, Any]]) -> dict[str, Any]:
    of = {"regression": "a number", "entities": "1 + 2 x entity types", "masked": "tokens of the vocabulary"}
    activation = {"regression": "none", "multi_label": "sigmoid"}.get(kind, "softmax")
    pool = {"entities": "each token", "masked": "each masked token"}.get(kind, "first token")
    named = {"family": family, "architecture": "encoder-only", "kind": kind, "head": head}
    more = {"stack": "encoder", "pool": pool, "steps": steps, "outputs": of.get(kind, "labels")}
    return {**named, **more, "activation": activation}


@pytest.fixture
def built() -> list[dict[str, Any]]:
    one = {**LINEAR, "outputs": "1"}
    whole = [("binary", LINEAR), ("multi_label", LINEAR), ("regression", one)]
    found = [entry(f, k, "figure3", [DROPOUT, last]) for f in ("bert", "roberta") for k, last in whole]
    found += [
        entry("bert", k, "library", [{**LINEAR, "outputs": "d"}, {"name": "tanh"}, last]) for k, last in whole
    ]
    tied = {**LINEAR, "outputs": "V", "tied": True, "bias": False}
    return [
        *found,
        entry("bert", "masked", "library", [tied]),
        entry("bert", "entities", "figure3", [DROPOUT, LINEAR]),
    ]


def test_equal_heads_stand_together(built: list[dict[str, Any]]) -> None:
    strict, paper = heads.grouped(built, "figure3"), heads.grouped(built, "library")
    assert [heads.families_text(group) for group in strict] == ["BERT, RoBERTa", "BERT", "BERT"]
    assert [group["pool"] for group in strict] == ["first token", "each token", "each masked token"]
    assert heads.outcome_texts(strict[0]) == [
        "binary: softmax, k = labels",
        "multi-label: sigmoid, k = labels",
        "regression: no activation, k = 1",
    ]
    assert [heads.step_text(step) for step in paper[0]["steps"]] == ["linear d → d", "tanh", "linear d → k"]
    assert heads.step_text(paper[1]["steps"][0]) == "linear d → V, no bias, tied"


def test_table_and_figure(built: list[dict[str, Any]]) -> None:
    table = heads.table(built)
    assert list(table.frame["Protocol"]) == ["strict"] * 3 + ["paper"] * 2
    assert table.frame.iloc[0]["Then"] == "dropout 0.1; linear d → k"
    assert "The 11 heads that are built" in to_markdown(table)
    assert images(heads.figure3(built)) == images(heads.figure3(built))
