from __future__ import annotations

import hashlib
from dataclasses import replace

from selu import registry
from selu.splits.published import parse, split_of, to_csv, to_text

TASK = next(task for task in registry.tasks("nlbse24") if task.id == "pharo_intent")
PLACE = ("someone/data", "0" * 40, "rows.csv")


def test_test_rows_are_the_given_ones_and_each_other_row_is_in_one_fold() -> None:
    test = [row % 4 == 0 for row in range(200)]
    split = split_of(TASK, [row % 2 for row in range(200)], test, PLACE, 42)
    assert [split.is_test(row) for row in range(200)] == test
    folds = [[row for row in range(200) if split.is_validation(row, fold)] for fold in range(1, 6)]
    assert sorted(row for fold in folds for row in fold) == [row for row in range(200) if not test[row]]
    assert [len(fold) for fold in folds] == [30] * 5


def test_it_has_the_form_of_the_authors_files_and_hangs_on_the_seed() -> None:
    labels, test = [row % 3 == 0 for row in range(90)], [row > 70 for row in range(90)]
    one, other = (split_of(TASK, [int(x) for x in labels], test, PLACE, seed) for seed in (1, 2))
    assert parse(to_text(one), TASK.id) == one
    halves = replace(one, folds=2, signs=one.signs.translate(str.maketrans("345", "121")))
    halves = replace(halves, sha256=hashlib.sha256(to_csv(halves)).hexdigest())
    assert parse(to_text(halves), TASK.id) == halves
    assert one.signs != other.signs
