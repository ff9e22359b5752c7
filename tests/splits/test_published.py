from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from selu import registry
from selu.splits import published
from selu.vocabulary import SeluError

SPLITS = Path(__file__).parents[2] / "data" / "pins" / "selu" / "splits"
WITHOUT = {"issue_type", "se_entities", "requirement_completion"}  # no file published, or not to be had
TASK = next(task for task in registry.tasks("nlbse24") if task.id == "pharo_intent")
PLACE = ("someone/data", "0" * 40, "rows.csv")
NAMES = sorted(path.stem for path in SPLITS.glob("*.txt"))


def test_the_tasks_with_a_published_split(tasks):
    splits = {name: published.read(SPLITS / f"{name}.txt") for name in NAMES}
    assert set(splits) == set(tasks) - WITHOUT
    assert len(splits) == 19
    assert {name: split.rows for name, split in splits.items()} == {n: tasks[n].instances for n in splits}


@pytest.mark.parametrize("task", NAMES)
def test_gives_back_the_authors_file_byte_for_byte(task: str, authors_csv: Callable[[str], bytes]):
    split, theirs = published.read(SPLITS / f"{task}.txt"), authors_csv(task)
    assert published.to_csv(split) == theirs
    assert hashlib.sha256(theirs).hexdigest() == split.sha256


def test_signs_mean_what_the_authors_columns_say(authors_csv: Callable[[str], bytes]):
    split = published.read(SPLITS / "sentiment.txt")
    for position, line in enumerate(authors_csv("sentiment").decode().splitlines()[1:]):
        fields = line.split(",")
        assert split.is_test(position) == (fields[0] == "2")
        assert [fold for fold in range(1, 11) if split.is_validation(position, fold)] == [
            number for number, field in enumerate(fields, start=1) if field == "0"
        ]


@pytest.mark.parametrize(
    ("pattern", "by", "says"),
    [
        ("rows: 1000", "rows: 1001", "has not the 1001 rows"),
        ("folds: 5", "folds: 6", "rows give"),
        ("folds: 5", "folds: 4", "'5' means no fold"),
        ("folds: 5", "folds: 11", "'11' where 2 to 10"),
        ("task: smell_doc", "task: sentiment", "split of 'sentiment'"),
        ("sha256: .", "sha256: g", "has sha256 g"),
        ("folds: 5\n", "", "first lines"),
        (r"5\n\Z", "4\n", "rows give"),
        (r"5\n\Z", "5", "in lines of 100 signs"),
        (r"5\n\Z", "\n5\n", "in lines of 100 signs"),
    ],
)
def test_refuses_a_damaged_file(pattern: str, by: str, says: str, tmp_path: Path):
    text = (SPLITS / "smell_doc.txt").read_text("ascii")
    path = tmp_path / "smell_doc.txt"
    path.write_text(re.sub(pattern, by, text, count=1))
    assert path.read_text() != text
    with pytest.raises(SeluError, match=rf"smell_doc\.txt is damaged.*{says}.*git checkout"):
        published.read(path)


def test_refuses_any_flipped_bit_and_any_truncation(tmp_path: Path):
    whole = (SPLITS / "incivility.txt").read_bytes()
    draw, path = random.Random(3), tmp_path / "incivility.txt"
    start = whole.index(b"rows:")  # what stands above says where the file came from
    for place in [draw.randrange(start, len(whole)) for _ in range(300)]:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << draw.randrange(8)
        path.write_bytes(damaged)
        with pytest.raises(SeluError, match=r"incivility\.txt is damaged"):
            published.read(path)
    for length in [draw.randrange(len(whole)) for _ in range(50)]:
        path.write_bytes(whole[:length])
        with pytest.raises(SeluError, match="damaged"):
            published.read(path)


def test_a_missing_file_and_another_alphabet_are_named(tmp_path: Path):
    with pytest.raises(SeluError, match=r"bug_issue\.txt can't be read \(No such file"):
        published.read(tmp_path / "bug_issue.txt")
    (tmp_path / "bug_issue.txt").write_bytes(b"task: \xff\n\n.\n")
    with pytest.raises(SeluError, match="damaged at byte 6"):
        published.read(tmp_path / "bug_issue.txt")


def test_test_rows_are_the_given_ones_and_each_other_row_is_in_one_fold():
    test = [row % 4 == 0 for row in range(200)]
    split = published.split_of(TASK, [row % 2 for row in range(200)], test, PLACE, 42)
    assert [split.is_test(row) for row in range(200)] == test
    folds = [[row for row in range(200) if split.is_validation(row, fold)] for fold in range(1, 6)]
    assert sorted(row for fold in folds for row in fold) == [row for row in range(200) if not test[row]]
    assert [len(fold) for fold in folds] == [30] * 5


def test_it_has_the_form_of_the_authors_files_and_hangs_on_the_seed():
    labels, test = [row % 3 == 0 for row in range(90)], [row > 70 for row in range(90)]
    first, second = (published.split_of(TASK, [int(x) for x in labels], test, PLACE, seed) for seed in (1, 2))
    assert published.parse(published.to_text(first), TASK.id) == first
    halves = replace(first, folds=2, signs=first.signs.translate(str.maketrans("345", "121")))
    halves = replace(halves, sha256=hashlib.sha256(published.to_csv(halves)).hexdigest())
    assert published.parse(published.to_text(halves), TASK.id) == halves
    assert first.signs != second.signs
