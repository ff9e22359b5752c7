"""Results, tables and the figure over entrants of our own, with averages taken again by hand."""

from __future__ import annotations

import copy
from statistics import mean
from typing import Any

import made_results
import numpy as np
import pytest
from sklearn.metrics import f1_score

from selu.execution.grids.plan import declared
from selu.papers.nlbse24.material import Material
from selu.papers.nlbse24.rescored import NAMES
from selu.papers.nlbse24.tables import comments as tables_comments
from selu.papers.nlbse24.tables import results as tables_results


@pytest.fixture(scope="module")
def record(paper: Material) -> dict[str, Any]:
    return made_results.record(paper)


def find_entrant(record: dict[str, Any], track: str, name: str) -> dict[str, Any]:
    return next(entrant for entrant in record[track]["entrants"] if entrant["id"] == name)


def test_over_repositories_stand_means_of_five_and_not_pooled_rows(record):
    questions = made_results.issue_questions()
    entrant = made_results.entrant("fasttext-lines", questions, 0.5)
    scores = find_entrant(record, "issues", "fasttext-lines")["scores"]
    each = [
        f1_score(question.truth, entrant.answers[question.place][0], average=None) for question in questions
    ]
    for number, label in enumerate(NAMES):
        assert scores["overall"][label]["f1"] == pytest.approx(mean(f1[number] for f1 in each), abs=1e-14)
    assert scores["overall"]["average"]["f1"] == pytest.approx(np.mean(each), abs=1e-14)
    assert scores["react"]["average"]["f1"] == pytest.approx(each[0].mean(), abs=1e-14)
    pooled = f1_score(
        np.concatenate([q.truth for q in questions]),
        np.concatenate([entrant.answers[q.place][0] for q in questions]),
        average="macro",
    )
    assert scores["overall"]["average"]["f1"] != pytest.approx(pooled, abs=1e-4)
    for labels in scores.values():
        assert all(score["low"] < score["f1"] < score["high"] for score in labels.values())


def test_who_picked_on_test_rows_is_not_ranked(record):
    assert [entry["id"] for entry in record["issues"]["ranking"]] == ["tfidf-logistic*", "fasttext-lines"]
    assert record["issues"]["not_ranked"] == ["minilm-l6 paper"]
    assert find_entrant(record, "issues", "minilm-l6 paper")["scores"]["overall"]["average"]["f1"] == 1


def test_a_clear_winner_holds_the_first_rank_in_every_resample(record):
    first, second = record["issues"]["ranking"]
    assert (first["low"], first["high"], first["probabilities"], first["error"]) == (1, 1, [1.0, 0.0], 0.0)
    assert second["probabilities"] == [0.0, 1.0]
    (pair,) = record["issues"]["differences"]
    assert (pair["first"], pair["second"], pair["probability"]) == ("tfidf-logistic*", "fasttext-lines", 1.0)
    assert 0 < pair["low"] < pair["value"] < pair["high"]


def test_what_is_not_whole_has_no_mean_and_names_what_is_missing(record):
    part = find_entrant(record, "issues", "minilm-logistic")
    assert list(part["scores"]) == ["react", "tensorflow"]
    assert part["absent"][0]["task"] == "issue_vscode"
    assert "minilm-logistic" not in str(record["issues"]["ranking"])


def test_the_score_is_that_of_the_formula(record):
    best = find_entrant(record, "comments", "tfidf-logistic")
    assert best["overall"]["f1"] == 1
    assert best["runtime"]["seconds"] == pytest.approx(0.002)
    ends = best["runtime"]["fastest"], best["runtime"]["slowest"]
    assert ends == pytest.approx((0.001, 0.003))
    assert best["score"]["value"] == pytest.approx(0.75 + 0.25 * (0.005 - 0.002) / 0.005)
    assert find_entrant(record, "comments", "fasttext-lines")["score"] is None


def test_a_slow_answer_costs_more_than_the_share_of_time_unless_it_is_cut_off(paper):
    from selu.papers.nlbse24 import results

    questions = made_results.comment_questions(paper)
    slow = made_results.entrant("stacc", questions, 0.0, seconds={q.place: [0.01] for q in questions})
    score = results.comments(paper, questions, [slow], made_results.DRAWS)["entrants"][0]["score"]
    assert score["value"] == pytest.approx(0.5)
    assert score["clipped"] == pytest.approx(0.75)


def test_categories_are_won_against_the_published_f1_of_the_baseline(paper, record):
    for name in ("tfidf-logistic", "fasttext-lines"):
        entrant = find_entrant(record, "comments", name)
        won = [
            place
            for place in paper.categories.values()
            if entrant["categories"][place]["f1"] > paper.number("stacc", place, "f1")
        ]
        assert entrant["outperformed"]["categories"] == won
    assert len(find_entrant(record, "comments", "tfidf-logistic")["outperformed"]["categories"]) == 19


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.00215, "0.00215"), (1.5, "1.50000"), (0.0000123, "0.000012"), (2.34e-6, "0.0000023")],
)
def test_seconds_of_the_fastest_are_not_rounded_to_none(paper, record, seconds, shown):
    changed = copy.deepcopy(record)
    for entrant in changed["comments"]["entrants"]:
        if entrant["runtime"]:
            entrant["runtime"]["seconds"] = seconds
    frame = tables_comments.summary(paper, changed).frame
    assert shown in frame.loc[frame["Evidence"] == "re-run", "Seconds"].tolist()


def test_a_difference_is_decided_beyond_its_error(record):
    changed = copy.deepcopy(record)
    (pair,) = changed["issues"]["differences"]
    for error, decided in ((pair["low"] / 2, "yes"), (pair["low"], "no")):
        pair["error"] = error
        assert tables_results.differences(changed, "issues").frame["Decided"].tolist() == [decided]


def test_tables_name_every_declared_system_in_words(root):
    """Who reads a table of scores can't be expected to know the ids of a parameter file."""
    for id in declared(root, "nlbse24"):
        assert tables_results.system(id) != id
    assert tables_results.system("fasttext-lines*") == "FastText*"
    assert tables_results.system("minilm-l6 strict") == "fine-tuned MiniLM-L6, validation-selected"
    assert tables_results.system("bert-base paper") == "bert-base, authors' procedure"
