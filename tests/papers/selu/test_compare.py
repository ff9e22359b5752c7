from __future__ import annotations

from pathlib import Path

import pytest

from selu.papers.selu.compare import compare
from selu.vocabulary import SeluError


def test_comparison_holds_differences_posterior_and_a_sentence(material):
    found = compare(Path(), material, "gpt2-xl", "BERT base")
    ranked = [row for row in found["tasks"] if row["ranked"]]
    assert len(ranked) == 20
    mean = sum(row["difference"] for row in ranked) / 20
    assert mean == pytest.approx(material.ranked["gpt2-xl"].mean() - material.ranked["bert-base"].mean())
    p = found["posterior"]["autorank"]
    assert p["better"] + p["equal"] + p["worse"] == pytest.approx(1)
    assert p["better"] == material.p_better("gpt2-xl", "bert-base")
    assert "scores 0.039 more" in found["sentence"]
    assert "there is no clear winner at 95 %" in found["sentence"]


def test_comparison_covers_token_tasks_that_both_have(material):
    tasks = [row["task"] for row in compare(Path(), material, "bert-base", "codebert-base")["tasks"]]
    assert {"se_entities", "requirement_completion"} <= set(tasks)


def test_a_system_is_not_compared_with_itself(material):
    with pytest.raises(SeluError, match="same system"):
        compare(Path(), material, "gpt2-xl", "GPT-2 xl")
