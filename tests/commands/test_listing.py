from __future__ import annotations

import pytest

from selu.commands import listing
from selu.vocabulary import SeluError


def test_lists_have_the_papers_counts(root):
    assert len(listing.rows(root, "tasks", [])) == 22
    assert len(listing.rows(root, "systems", [])) == 28
    cells = listing.rows(root, "cells", [])
    assert len(cells) == 616
    assert sum(row["state"] == "present" for row in cells) == 580
    assert all(row["reason"] for row in cells if row["state"] == "absent by design")


def test_filters_combine(root):
    found = listing.rows(root, "cells", ["kind=masked", "state=present"])
    assert len(found) == 7
    assert {row["architecture"] for row in found} == {"encoder-only"}


@pytest.mark.parametrize(
    ("what", "where", "message"),
    [
        ("task", [], "did you mean 'tasks'"),
        ("tasks", ["kynd=binary"], "did you mean 'kind'"),
        ("tasks", ["kind=binry"], "did you mean 'binary'"),
        ("tasks", ["binary"], "not FIELD=VALUE"),
        ("cells", ["kind=masked", "approach=prompted", "state=present"], "no value of state"),
    ],
)
def test_wrong_words_get_the_nearest_known_one(root, what, where, message):
    with pytest.raises(SeluError, match=message):
        listing.rows(root, what, where)


def test_a_cell_is_shown_with_its_place_and_neighbours(root):
    cell = listing.record(root, "smell_doc/GPT-2 xl")
    assert cell["score"] == "0.703"
    assert cell["place"] == "Table VI, row smell_doc, column GPT-2 xl"
    assert cell["rank in task"] == "2 of 28"
    assert "TF-IDF+XGBoost" in cell["best in task"]


def test_an_absent_cell_is_shown_with_its_reason(root):
    cell = listing.record(root, "se_entities/gpt2-xl")
    assert cell["state"] == "absent by design"
    assert "decoder-only" in cell["reason"]
    assert "best in task" not in cell


def test_records_of_tasks_systems_and_claims(root):
    assert listing.record(root, "sentiment")["instances"] == 13144
    assert listing.record(root, "Fasttext")["approach"] == "baseline"
    assert listing.record(root, "c028")["id"] == "C028"


@pytest.mark.parametrize("name", ["smel_doc/gpt2-xl", "smell_doc/gpt2-xll", "sentimant", "C999"])
def test_unknown_records_get_the_nearest_known_one(root, name):
    with pytest.raises(SeluError, match=r"there is no .* did you mean"):
        listing.record(root, name)


def test_comparison_holds_differences_posterior_and_a_sentence(root, material):
    found = listing.comparison(root, "gpt2-xl", "BERT base")
    ranked = [row for row in found["tasks"] if row["ranked"]]
    assert len(ranked) == 20
    mean = sum(row["difference"] for row in ranked) / 20
    assert mean == pytest.approx(material.ranked["gpt2-xl"].mean() - material.ranked["bert-base"].mean())
    p = found["posterior"]["autorank"]
    assert p["better"] + p["equal"] + p["worse"] == pytest.approx(1)
    assert p["better"] == material.p_better("gpt2-xl", "bert-base")
    assert "scores 0.039 more" in found["sentence"]
    assert "inconclusive at 95 %" in found["sentence"]


def test_comparison_covers_token_tasks_that_both_have(root):
    tasks = [row["task"] for row in listing.comparison(root, "bert-base", "codebert-base")["tasks"]]
    assert {"se_entities", "requirement_completion"} <= set(tasks)


def test_a_system_is_not_compared_with_itself(root):
    with pytest.raises(SeluError, match="same system"):
        listing.comparison(root, "gpt2-xl", "GPT-2 xl")
