"""What the authors' counts say: a count that is wrong would accuse the authors, or hide what they left out."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selu.papers.selu.material import Material
from selu.papers.selu.recounts import answers, beside, pairs, sentences, tables, versions
from selu.papers.selu.recounts.counts import Labels, Matrix
from selu.papers.selu.recounts.reading import Counted
from selu.papers.selu.recounts.view import view
from selu.stats.paired import mcnemar
from selu.vocabulary import Metric


def matrix(*cells: list[int]) -> Matrix:
    """A matrix whose answers all name a class."""
    return Matrix(np.array([[*row, 0] for row in cells]))


def counted(system: str, counts: Matrix | Labels, version: str = "v3", epoch: float | None = 5.0) -> Counted:
    return Counted("t", system, f"evaluation/results/finetuning/t/{version}/{system}/r.json", counts, epoch)


def files(*found: Counted) -> dict[tuple[str, str], Counted]:
    return {file.key: file for file in found}


def test_rows_that_are_left_out_count_as_wrong_where_they_are_few():
    whole = matrix([600, 0], [100, 300])
    short = counted("b", matrix([599, 0], [100, 300]))
    tenth = counted("c", matrix([60, 0], [10, 30]))
    few, many = answers.left_out(files(counted("a", whole), counted("d", whole), short, tenth))
    assert (few.system, few.counted, few.expected) == ("b", 999, 1000)
    assert few.as_wrong == pytest.approx((2 * 599 / 1299 + 600 / 700) / 2)
    assert (many.system, many.as_wrong) == ("c", None)


def test_a_training_ends_at_an_evaluation_and_after_its_patience():
    """Trainings with the preprint's 3 epochs would pass for those of 10."""
    paper, preprint = versions.Limits(10, 10, 3), versions.Limits(3, 10, 3)
    assert [epoch for epoch in (2.4, 3.0, 4.0, 6.5, 9.97, 10.0, 11.0) if paper.allows(epoch)] == [
        4.0,
        9.97,
        10.0,
    ]
    assert preprint.allows(2.4)
    assert not preprint.allows(0.9)
    found = versions.lengths([counted("a", matrix([1]), epoch=2.4)], {"t": paper}, {"t": preprint})
    assert [(training.allowed, training.older, training.last) for training in found] == [(False, True, False)]


def test_the_published_version_is_the_one_that_reads_so():
    first, second = counted("a", matrix([4, 0], [4, 0])), counted("a", matrix([4, 0], [1, 3]), "v4")
    (found,) = versions.twice([first, second], {"t": Metric.F1_MACRO}, {("t", "a"): "0.873"})
    assert (found.reads, found.constant) == ((False, True), (True, False))
    assert found.difference == pytest.approx((8 / 9 + 6 / 7) / 2 - 1 / 3)


def test_one_answer_to_all_rows_and_classes_that_nobody_answers():
    made = files(
        counted("same", matrix([3, 0, 0], [2, 0, 0], [1, 0, 0])),
        counted("dead", matrix([3, 0, 0], [0, 2, 0], [1, 0, 0])),
        counted("labels", Labels((2, 0), (3, 4), (2, None))),
        counted("empty", Labels((0, 0), (3, 4), (None, 5))),
    )
    assert [(entry.system, entry.label) for entry in answers.one_answers(made)] == [
        ("same", 0),
        ("empty", None),
    ]
    assert [(entry.system, entry.label, entry.answered) for entry in answers.dead(made)] == [
        ("dead", 2, 0),
        ("labels", 1, None),
    ]


def test_shares_of_classes_sum_to_one_and_follow_what_differs():
    found = answers.shares(files(*(counted(str(k), matrix([9, 0], [k, 9 - k])) for k in range(4))))
    assert sum(entry.share for entry in found) == pytest.approx(1)
    assert found[1].share > found[0].share > 0  # the second class is the one that is missed
    same = files(counted("a", matrix([2, 1], [1, 2])), counted("b", matrix([2, 1], [1, 2])))
    assert answers.shares(same) == []


ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=40)


@given(ROWS)
def test_mcnemar_lies_within_its_bounds_whichever_rows_are_right(drawn):
    true, first, second = (np.array(column) for column in zip(*drawn, strict=True))
    cells = [np.zeros((3, 4), dtype=np.int64) for _ in range(2)]
    for counts, chosen in zip(cells, (first, second), strict=True):
        np.add.at(counts, (true, chosen), 1)
    found = pairs.bounds("t", ("a", "b"), *map(Matrix, cells))
    assert found is not None
    first_right, second_right = first == true, second == true
    p = mcnemar(int((first_right & ~second_right).sum()), int((second_right & ~first_right).sum()))
    assert found.fewest <= int((first_right != second_right).sum()) <= found.most
    assert found.p_low - 1e-12 <= p <= found.p_high + 1e-12


def test_both_bounds_of_mcnemar_can_be_met():
    """A bound that no rows meet would leave pairs open that the matrices decide."""
    a, b = matrix([3, 2], [0, 4]), matrix([2, 3], [1, 3])
    found = pairs.bounds("t", ("a", "b"), a, b)
    assert found is not None
    seen = {
        sum(x != y for x, y in zip(first + fourth, second + other, strict=True))
        for first, second in product(_patterns(5, 3), _patterns(5, 2))
        for fourth, other in product(_patterns(4, 4), _patterns(4, 3))
    }
    assert (found.fewest, found.most) == (min(seen), max(seen)) == (2, 6)
    assert pairs.bounds("t", ("a", "b"), a, matrix([2, 2], [1, 3])) is None


def _patterns(n: int, right: int) -> list[tuple[bool, ...]]:
    return [pattern for pattern in product((True, False), repeat=n) if sum(pattern) == right]


def test_cells_are_compared_with_those_of_our_run():
    score = {"task": "t", "system": "a", "run": "paper-s1", "rows": 4}
    single = {**score, "scores": {"confusion_matrix": [[2, 0], [1, 1]], "invalid": 0}}
    (_, missed, _, _) = beside.parts(
        files(counted("a", matrix([1, 1], [1, 1]))), "a", {"t": "t/a/paper-s1"}, [single]
    )
    assert (missed.label, missed.answer, missed.theirs, missed.ours, missed.shift) == (0, 1, 1, 0, -0.25)
    several = {**score, "scores": {"confusion_matrices": [[[1, 1], [0, 2]]]}}
    theirs = Labels((1,), (2,), (1,), rows=4)
    found = beside.parts(files(counted("a", theirs)), "a", {"t": "t/a/paper-s1"}, [several])
    assert [(part.has, part.answer, part.theirs, part.ours) for part in found] == [
        (True, 1, 1, 2),
        (True, 0, 1, 0),
        (False, 1, 0, 1),
        (False, 0, 2, 1),
    ]


def _entry(
    system: str, version: str, cells: list[list[int]], epoch: float, wrong: list[str]
) -> dict[str, object]:
    path = f"evaluation/results/finetuning/bug_issue/{version}/{system}/test_results.json"
    return {
        "task": "bug_issue", "system": system, "path": path, "matrix": [[*row, 0] for row in cells],
        "labels": None, "contradictions": wrong, "epoch": epoch,
    }  # fmt: skip


def test_tables_and_sentences_follow_from_the_counts(quick: Material, tmp_path: Path):
    recounts = [
        _entry("bert-base", "v3", [[8, 0], [2, 0]], 2.4, []),
        _entry("bert-base", "v4", [[7, 1], [0, 2]], 10, ["f1_macro"]),
        _entry("bert-large", "v3", [[7, 1], [1, 1]], 6, []),
        _entry("t5-base", "v3", [[7, 1], [1, 0]], 6, []),
    ]
    recounted = [
        {"task": "bug_issue", "system": file["system"], "path": file["path"], "published": "0.864"}
        for file in recounts[1:]
    ]
    found = view(quick, recounts, recounted, [], tmp_path)
    findings = sentences.findings(found)
    assert "1 counts 9 of 10 (T5 base)" in findings[0]
    assert findings[1].startswith(
        "1 of 4 result files contradicts itself: BERT base on bug issue (its field f1_macro; "
    )
    assert "1 first training gives" in findings[3]
    assert findings[4].startswith(
        "3 of 4 trainings end where the paper's settings allow it, 1 of them at the last"
    )
    assert "all of these fit the settings of the preprint" in findings[4]
    made = {table.name: table for table in (make(found) for make in tables.SHOWN)}
    assert made["counts_left_out"].frame["System"].tolist() == ["T5 base"]
    assert made["counts_pairs"].frame.to_dict("records")[0]["Pairs"] == "1"  # T5 base has other rows
    assert made["counts_per_class"].frame["BERT base"].tolist() == ["0.933", "0.800"]
    nothing = view(quick, [], [], [], tmp_path)
    assert len(sentences.findings(nothing)) > 5
    assert all(len(make(nothing).frame.columns) for make in tables.SHOWN)


def test_intervals_of_our_runs_are_as_wide_as_those_of_independent_labels(tmp_path: Path):
    folder = tmp_path / "results" / "selu" / "t" / "s" / "strict-s1"
    folder.mkdir(parents=True)
    record = {
        "task": "t", "system": "s", "run": "strict-s1", "protocol": "strict", "rows": 400,
        "scores": {"confusion_matrices": [[[250, 50], [40, 60]]]},
        "intervals": {"f1_macro": {"low": 0.49, "high": 0.64}}, "bootstrap": {"seed": 1, "level": 0.95},
    }  # fmt: skip
    (folder / "scores.json").write_text(json.dumps(record))
    (found,) = beside.widths(beside.own_scores(tmp_path))
    assert found.ratio == pytest.approx(1, abs=0.15)
