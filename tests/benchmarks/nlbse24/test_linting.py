from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selu.benchmarks.nlbse24 import formulas, linting, tables
from selu.benchmarks.nlbse24.material import Track
from selu.project import load
from selu.stats.linter import Range

ROOT = Path(__file__).parents[3]
SETFIT = "Kallis and Colavito/Recall"


@pytest.fixture(scope="module")
def paper():
    return load(ROOT, "nlbse24")


@pytest.fixture(scope="module")
def entries(paper):
    return linting.lint(paper)


def test_what_is_impossible_in_tables_1_to_3(entries):
    found = {(e.row, e.column, e.rule) for e in linting.impossible(entries) if e.table in "123"}
    assert found == {
        ("Gómez-Barrera et al./F1-score", "Bug", linting.F1_OF_TABLE),
        ("Rejithkumar et al./F1-score", "Average", linting.F1_OF_TABLE),
        ("Gómez-Barrera et al./Recall", "Average", linting.MEAN_OF_LABELS),
        ("Gómez-Barrera et al./F1-score", "Average", linting.MEAN_OF_LABELS),
        ("Rejithkumar et al./Recall", "Average", linting.MEAN_OF_LABELS),
        ("Aracena et al./F1-score", "Average", linting.MEAN_OF_LABELS),
        (SETFIT, "Average", linting.MEAN_OF_LABELS),
        (SETFIT, "Average", linting.REPEATED),
        ("Alam et al./Recall", "Feature", linting.RECALL),
        ("Alam et al./Recall", "Question", linting.RECALL),
        ("Pharo/Example", "Training: Total", linting.SUM_OF_CLASSES),
        ("Pharo/Example", "Training + Testing: Total", linting.SUM_OF_PARTS),
        ("Pharo/Total", "Training: Total", linting.SUM_OF_ROWS),
    }


def test_recall_of_the_categories_is_in_the_column_of_precision(entries):
    wrong = {e.row for e in linting.impossible(entries) if e.rule == linting.RECALL_OF_CATEGORY}
    assert wrong == {
        *("pharo/keymessages", "pharo/collaborators", "pharo/classreferences"),
        *("java/deprecation", "pharo/intent"),
    }
    exchanged = (linting.SWAPPED, linting.COUNTS_SWAPPED)
    assert not [e for e in linting.impossible(entries) if e.rule in exchanged]


def test_the_arithmetic_is_shown(entries):
    shown = {(e.row, e.column, e.rule): e.arithmetic for e in entries}
    gpt = shown["Aracena et al./F1-score", "Average", linting.MEAN_OF_LABELS]
    assert "(0.832 + 0.859 + 0.732) / 3 = 0.8072 to 0.8087" in gpt
    assert "Question 0.789 to 0.797" in gpt
    assert (
        shown["Alam et al./Recall", "Feature", linting.RECALL]
        == "between 424/500 = 0.8480 and 425/500 = 0.8500"
    )
    assert shown["Pharo/Example", "Training: Total", linting.SUM_OF_CLASSES] == "596 + 812 = 1408"


def test_a_mended_entry_is_refused_no_longer(paper):
    mended = paper.with_printed("table1", SETFIT, "Average", "0.826")
    assert len(linting.impossible(linting.lint(mended))) == len(linting.impossible(linting.lint(paper))) - 2


@pytest.mark.parametrize(
    ("name", "equal", "cells"), [("table1", 19, 24), ("table2", 156, 159), ("table3", 11, 11)]
)
def test_tables_beside_print(paper, name, equal, cells):
    table = getattr(tables, name)(paper)
    assert (table.equal, table.cells) == (equal, cells)
    assert all(cell.why for cell in table.mismatches)


def test_all_published_categories_and_repositories_are_shown(paper):
    assert len(tables.per_category(paper).frame) == 19
    assert list(tables.repositories(paper).frame["overall"]) == ["0.8270", "0.8240", "0.7923", "0.7184"]


@given(st.fractions(0, 1), st.fractions(0, Fraction(1, 100)))
def test_the_score_lies_in_its_range(f1, runtime):
    score = formulas.Score(0.75, 0.25, 0.005)
    exact = score.range(Range(f1, f1), Range(runtime, runtime))
    assert exact.low == exact.high
    assert float(exact.low) == pytest.approx(score.of(float(f1), float(runtime)))


def test_formulas():
    assert formulas.weighted([0.5, 1.0], [1, 3]) == pytest.approx(0.875)
    assert formulas.weighted([0.2, 0.4, 0.9], [100] * 3) == pytest.approx(formulas.mean([0.2, 0.4, 0.9]))
    assert formulas.ranking({"a": 0.1, "b": 0.3, "c": 0.3}) == ["b", "c", "a"]


def test_the_printed_order_is_the_ranking(paper):
    assert formulas.ranking(paper.issue_f1) == paper.teams(Track.ISSUES)


def test_tasks_fit_the_tables(paper):
    issues = [task for task in paper.tasks if task.id.startswith("issue_")]
    assert [len(task.labels) for task in issues] == [3] * 6
    comments = {task.id: task.instances for task in paper.tasks if task not in issues}
    rows = {
        place.replace("/", "_"): paper.distribution(row, "Training + Testing", "Total")
        for row, place in paper.categories.items()
    }
    assert comments == rows
