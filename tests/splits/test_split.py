from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selu.splits import published
from selu.splits.duplicates import Duplicates, find, row_texts
from selu.splits.split import COLUMNS, drift, keep_together, split
from selu.vocabulary import Kind, SeluError

SPLITS = Path(__file__).parents[2] / "data" / "pins" / "selu" / "splits"
KINDS = list(Kind)


def table_of(texts, labels, ids=None) -> pd.DataFrame:
    ids = ids or [f"p{row:06d}" for row in range(len(texts))]
    return pd.DataFrame({"id": ids, "text": texts, "label": labels, "group": "", "source": ""})


def apart(count: int) -> Duplicates:
    """No row repeats another."""
    return Duplicates(np.arange(count), np.arange(count))


@pytest.fixture
def incivility() -> published.PublishedSplit:
    return published.read(SPLITS / "incivility.txt")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [1, 9, 40, 301])
@pytest.mark.filterwarnings("ignore::UserWarning")  # labels with fewer rows than folds
def test_the_parts_of_every_protocol(kind: Kind, rows: int, make: Callable, of_kind, settings):
    table = make(kind, rows, labels=5)
    same = find(row_texts(table), settings)
    parts = split(table, of_kind[kind], None, same, settings)
    assert tuple(parts) == COLUMNS
    assert parts["id"].tolist() == table["id"].tolist()
    assert set(parts["paper"]) <= {"train", "test"}
    assert ((parts["paper"] == "test") == (parts["strict"] == "test")).all()
    assert not ((parts["grouped"] == "test") & (parts["strict"] != "test")).any()
    assert not ((parts["grouped"] == "validation") & (parts["strict"] == "train")).any()
    assert parts.groupby(same.near)["grouped"].nunique().max() == 1
    if rows > 40:
        assert abs((parts["paper"] == "test").sum() - 0.2 * rows) <= 4
        assert abs((parts["strict"] == "validation").sum() - 0.16 * rows) <= 4
        assert (parts["grouped"] == "test").sum() < (parts["strict"] == "test").sum()


def test_follows_the_published_file_by_position(incivility, tasks, settings):
    table = table_of(["x"] * 1546, [0, 1] * 773)
    parts = split(table, tasks["incivility"], incivility, apart(1546), settings)
    signs = np.array(list(incivility.signs))
    assert ((parts["strict"] == "test") == (signs == ".")).all()
    assert ((parts["strict"] == "validation") == (signs == "1")).all()
    assert parts["grouped"].equals(parts["strict"])


def test_rows_without_a_published_place_are_split_among_themselves(incivility, tasks, settings):
    """As in a partial set: some rows know their position, the others have none."""
    known = [position for position in range(1546) if position % 3]
    ids = [f"p{position:06d}" for position in known] + [f"x{number:06d}" for number in range(200)]
    table = table_of(["x"] * len(ids), [0, 1] * (len(ids) // 2) + [0] * (len(ids) % 2), ids)
    parts = split(table, tasks["incivility"], incivility, apart(len(ids)), settings)
    for row, position in enumerate(known):
        assert (parts["paper"][row] == "test") == incivility.is_test(position)
    own = table[len(known) :].reset_index(drop=True)
    alone = split(own, tasks["incivility"], None, apart(200), settings)
    assert parts["strict"][len(known) :].tolist() == alone["strict"].tolist()
    assert Counter(alone["strict"]) == {"train": 128, "validation": 32, "test": 40}


def test_synthetic_rows_take_no_published_place(incivility, tasks, make, settings):
    table = make(Kind.BINARY, 300)
    with_file = split(table, tasks["incivility"], incivility, apart(300), settings)
    assert with_file.equals(split(table, tasks["incivility"], None, apart(300), settings))


@pytest.mark.parametrize(
    ("ids", "says"),
    [
        ([*range(1546), 1546], "has no row p001546"),
        (range(1545), "has row p001545 and 0 more that the table of 1545 rows lacks"),
        (range(3, 1546), "has row p000000 and 2 more"),
        ([*range(1545), 7], "has 1 ids twice, first p000007"),
    ],
)
def test_refuses_rows_that_do_not_fit_the_published_file(ids, says: str, incivility, tasks, settings):
    names = [f"p{number:06d}" for number in ids]
    table = table_of(["x"] * len(names), [0] * len(names), names)
    with pytest.raises(SeluError, match=f"incivility.*{says}.*prepare its rows again"):
        split(table, tasks["incivility"], incivility, apart(len(names)), settings)


def test_refuses_the_split_of_another_task(incivility, tasks, settings):
    table = table_of(["x"] * 510, [0] * 510)
    with pytest.raises(SeluError, match="split of incivility was given for security_requirement"):
        split(table, tasks["security_requirement"], incivility, apart(510), settings)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["train", "validation", "test"]), st.integers(0, 6)), max_size=40))
def test_grouped_moves_clusters_to_the_side_nearest_training(rows: list[tuple[str, int]]):
    strict = np.array([part for part, _ in rows], dtype=object)
    heads: dict[int, int] = {}
    near = np.array([heads.setdefault(group, row) for row, (_, group) in enumerate(rows)], dtype=np.int64)
    grouped = keep_together(strict, Duplicates(near, near)).tolist()
    for group in {group for _, group in rows}:
        before = {part for part, mine in rows if mine == group}
        after = {part for part, (_, mine) in zip(grouped, rows, strict=True) if mine == group}
        expected = next(part for part in ("train", "validation", "test") if part in before)
        assert after == {expected}


def test_drift_counts_rows_that_carry_a_label_and_is_empty_without_labels(make: Callable, of_kind):
    task = of_kind[Kind.MULTI_LABEL]
    table = make(Kind.MULTI_LABEL, 10, labels=len(task.labels))
    over = drift(table, ["test"] * 3 + ["train"] * 7, task, 0.2)
    signs = np.array(table["label"].tolist())
    assert list(over.values()) == pytest.approx((signs[:3].sum(axis=0) - 0.2 * signs.sum(axis=0)).tolist())
    assert drift(make(Kind.REGRESSION, 10), ["test"] * 10, of_kind[Kind.REGRESSION], 0.2) == {}


CHILD = """
import importlib.util, sys
from pathlib import Path
spec = importlib.util.spec_from_file_location("made", sys.argv[1])
made = importlib.util.module_from_spec(spec); spec.loader.exec_module(made)
from selu import registry
from selu.files import to_json
from selu.splits import duplicates, files, shots
from selu.splits.audit import audit
from selu.splits.settings import DataSettings
from selu.splits.split import split
from selu.vocabulary import Kind
settings = DataSettings(42, 0.2, 3, (0.1, 0.9), 0.8, 3, 128, (), 40)
names = ("incivility", "issue_intention", "smell_doc", "story_points", "se_entities", "requirement_completion")
tasks = {task.kind: task for task in registry.tasks("selu") if task.id in names}
for kind, task in tasks.items():
    table = made.made_up(kind, 300, labels=5)
    same = duplicates.find(duplicates.row_texts(table), settings)
    parts = split(table, task, None, same, settings)
    drawn = shots.draw(table, parts, task, same, settings)
    facts = to_json(audit(table, duplicates.row_texts(table), parts, same, task, settings)).encode()
    print(kind, *(files.sha256(content) for content in (files.to_bytes(parts), files.to_bytes(drawn), facts)))
"""


@pytest.mark.ci
def test_same_bytes_in_every_environment(tmp_path: Path):
    environments = [
        ({"PYTHONHASHSEED": "random", "LC_ALL": "C", "OMP_NUM_THREADS": "1", "TZ": "UTC"}, "/"),
        (
            {"PYTHONHASHSEED": "77", "LC_ALL": "tr_TR.UTF-8", "OMP_NUM_THREADS": "2", "TZ": "Asia/Tokyo"},
            tmp_path,
        ),
    ]
    command = [sys.executable, "-W", "ignore", "-c", CHILD, str(Path(__file__).with_name("conftest.py"))]
    children = [
        subprocess.Popen(command, env=os.environ | env, cwd=folder, stdout=subprocess.PIPE, text=True)
        for env, folder in environments
    ]
    outputs = [child.communicate(timeout=120)[0] for child in children]
    assert all(child.returncode == 0 for child in children)
    assert len(outputs[0].splitlines()) == 6
    assert len(set(outputs)) == 1
