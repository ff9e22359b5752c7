from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from selu.splits import published
from selu.vocabulary import SeluError

SPLITS = Path(__file__).parents[2] / "data" / "pins" / "selu" / "splits"
WITHOUT = {"issue_type", "se_entities", "requirement_completion"}  # no file published, or not to be had
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
        ("rows: 1000", "rows: 1001", "has 1000 rows where 1001"),
        ("rows: 1000", "rows: many", "where many are declared"),
        ("folds: 5", "folds: 6", "rows give"),
        ("folds: 5", "folds: 4", "'5' stands for no fold"),
        ("folds: 5", "folds: 11", "'11' where 2 to 10"),
        ("task: smell_doc", "task: sentiment", "split of 'sentiment'"),
        ("sha256: .", "sha256: g", "has sha256 g"),
        ("folds: 5\n", "", "first lines"),
        ("folds: 5\n", "folds: 5\nseed: 42\n", "first lines"),
        (r"5\n\Z", "4\n", "rows give"),
        (r"\n\n", "\n", "cut short"),
        (r"5\n\Z", "5", "cut short"),
        (r"5\n\Z", "x\n", "'x' stands for no fold"),
        (r"5\n\Z", "\n5\n", "not 100 signs long"),
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
