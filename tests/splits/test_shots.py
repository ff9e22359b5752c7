from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selu.splits import shots
from selu.splits.duplicates import Duplicates, find, row_texts
from selu.splits.split import split
from selu.vocabulary import Kind, SeluError

KINDS = list(Kind)


def drawn(table: pd.DataFrame, task, settings, same=None):
    same = same or find(row_texts(table), settings)
    parts = split(table, task, None, same, settings)
    return shots.draw(table, parts, task, same, settings), parts, same


def by_row(found: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    return {row[0]: row[1:] for row in found.itertuples(index=False, name=None)}


@pytest.mark.ci
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_test_row_has_three_train_rows_that_give_nothing_away(
    kind: Kind, seed: int, make, of_kind, settings
):
    table = make(kind, 500, seed=seed)
    found, parts, same = drawn(table, of_kind[kind], settings)
    place = {name: row for row, name in enumerate(table["id"])}
    assert list(found["id"]) == parts.loc[parts["paper"] == "test", "id"].tolist()
    for row, picks in by_row(found).items():
        assert len(picks) == 3
        assert {parts["strict"][place[pick]] for pick in picks} == {"train"}
        clusters = [same.near[place[name]] for name in (row, *picks)]
        assert len(set(clusters)) == 4, "a shot repeats the test row or another shot"


def test_labels_are_covered_by_kind(make: Callable, of_kind, settings):
    covered = {Kind.BINARY: 2, Kind.MULTI_CLASS: 3, Kind.MULTI_LABEL: 3}
    for kind, distinct in covered.items():
        table = make(kind, 500)
        label = {n: str(v) for n, v in zip(table["id"], table["label"], strict=True)}
        rows = by_row(drawn(table, of_kind[kind], settings)[0])
        assert {len({label[pick] for pick in picks}) for picks in rows.values()} == {distinct}
        firsts = Counter(label[picks[0]] for picks in rows.values())
        assert len(firsts) == len(set(label.values())), "the order of the shots is not random"
        if kind is Kind.BINARY:
            alike = [label[picks[0]] == label[picks[1]] for picks in rows.values()]
            assert 0.1 < sum(alike) / len(alike) < 0.6, "the label that comes twice is always last"


def test_regression_takes_one_of_each_third(make: Callable, of_kind, settings):
    table = make(Kind.REGRESSION, 600)
    found, parts, _ = drawn(table, of_kind[Kind.REGRESSION], settings)
    low, high = np.quantile(table.loc[parts["strict"] == "train", "label"], [1 / 3, 2 / 3])
    value = dict(zip(table["id"], table["label"], strict=True))
    for picks in by_row(found).values():
        assert sorted(int(value[pick] > low) + int(value[pick] > high) for pick in picks) == [0, 1, 2]


def test_lengths_lie_between_the_quantiles_of_train(make: Callable, of_kind, settings):
    table = make(Kind.BINARY, 600)
    found, parts, same = drawn(table, of_kind[Kind.BINARY], settings)
    length = dict(zip(table["id"], table["text"].str.len(), strict=True))
    train = [length[name] for name in parts.loc[parts["strict"] == "train", "id"]]
    low, high = np.quantile(train, [0.1, 0.9])
    taken = [length[pick] for picks in by_row(found).values() for pick in picks]
    assert low < min(taken) <= max(taken) < high
    assert min(train) < low < high < max(train)
    # The texts that count can be given: the cleaned ones.
    other = ["x" * (10 + row) for row in range(600)]
    again = shots.draw(table, parts, of_kind[Kind.BINARY], same, settings, texts=other)
    places = np.array([int(pick[1:]) for picks in by_row(again).values() for pick in picks])
    assert 50 < places.min() < places.max() < 550


def test_a_label_outside_the_window_is_shown_all_the_same(make: Callable, of_kind, settings):
    """The rare label has only very long texts; both labels matter more than length."""
    texts = [f"short text number {row} of many" for row in range(190)]
    texts += [f"long {row} " + " ".join(f"w{row}x{n}" for n in range(50)) for row in range(10)]
    table = pd.DataFrame(
        {"id": [f"s{n:06d}" for n in range(200)], "text": texts, "label": [0] * 190 + [1] * 10}
    )
    found, _, _ = drawn(table, of_kind[Kind.BINARY], settings)
    for picks in by_row(found).values():
        assert len({int(pick[1:]) >= 190 for pick in picks}) == 2


def test_a_test_row_more_changes_nothing_for_the_others(make: Callable, of_kind, settings):
    table = make(Kind.MULTI_CLASS, 400)
    task = of_kind[Kind.MULTI_CLASS]
    found, parts, same = drawn(table, task, settings)
    kept = (parts["paper"] != "test") | (np.arange(400) % 2 == 0)
    fewer = Duplicates(same.exact[kept], same.near[kept])
    less = shots.draw(
        table[kept].reset_index(drop=True), parts[kept].reset_index(drop=True), task, fewer, settings
    )
    whole = by_row(found)
    assert 20 < len(less) < len(found)
    assert all(whole[row] == picks for row, picks in by_row(less).items())


def test_seed_and_task_change_the_draw(make: Callable, of_kind, tasks, settings):
    table = make(Kind.BINARY, 300)
    found, parts, same = drawn(table, tasks["incivility"], settings)
    other = shots.draw(table, parts, tasks["incivility"], same, dataclasses.replace(settings, seed=43))
    third = shots.draw(table, parts, tasks["bug_issue"], same, settings)
    assert found.equals(shots.draw(table, parts, tasks["incivility"], same, settings))
    assert not found.equals(other)
    assert not found.equals(third)


def test_shots_are_drawn_evenly(make: Callable, of_kind, settings):
    """Every row of a stratum has the same chance: chi-square over 60 rows, 4,000 draws."""
    from scipy.stats import chisquare

    rows = 60
    table = pd.DataFrame({"id": [f"s{n:06d}" for n in range(rows + 4000)], "label": 0})
    table["tokens"] = [[f"word{n}"] * (10 if n >= rows else 1 + n % 10) for n in range(rows + 4000)]
    parts = pd.DataFrame({"id": table["id"], "paper": "test", "strict": "test"})
    parts.loc[: rows - 1, ["paper", "strict"]] = "train"
    apart = Duplicates(np.arange(len(table)), np.arange(len(table)))
    wide = dataclasses.replace(settings, shot_lengths=(0.0, 1.0), shots=1)
    texts = ["x" * 5 if 1 < n < rows else "x" * (4 + 2 * (n == 0)) for n in range(len(table))]
    found = shots.draw(table, parts, of_kind[Kind.MASKED], apart, wide, texts=texts)
    counts = Counter(found["shot_1"])
    assert len(counts) == rows - 2, "the shortest and the longest lie on the quantiles, not between"
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_rows_outside_the_window_fill_up_all_shots_that_the_strata_leave(of_kind, settings):
    """One of six train rows lies inside the window: two more are taken of the others, one after another."""
    table = pd.DataFrame({"id": [f"s{n}" for n in range(7)], "label": 0})
    parts = pd.DataFrame({"id": table["id"], "paper": ["train"] * 6 + ["test"]})
    parts["strict"] = parts["paper"]
    apart = Duplicates(np.arange(7), np.arange(7))
    narrow = dataclasses.replace(settings, shot_lengths=(0.3, 0.5), shots=3)
    texts = ["x" * length for length in (10, 20, 30, 40, 50, 60, 5)]
    found = shots.draw(table, parts, of_kind[Kind.MASKED], apart, narrow, texts=texts)
    ((_, *picks),) = found.itertuples(index=False, name=None)
    assert "s2" in picks
    assert len(set(picks)) == 3


def test_rows_that_are_few_among_copies_are_found_and_drawn_evenly(of_kind, settings):
    """Of 206 train rows 200 are copies of the test rows: a search that gave up would find no shots."""
    from scipy.stats import chisquare

    count, own, tests = 200, 6, 40
    size = count + own + tests
    table = pd.DataFrame({"id": [f"s{n}" for n in range(size)], "label": 0})
    parts = pd.DataFrame({"id": table["id"], "paper": ["train"] * (count + own) + ["test"] * tests})
    parts["strict"] = parts["paper"]
    clusters = np.array([0] * count + list(range(1, own + 1)) + [0] * tests)
    copies = Duplicates(clusters, clusters)
    found = shots.draw(table, parts, of_kind[Kind.MASKED], copies, settings, texts=["x"] * size)
    picks = Counter(pick for _, *row in found.itertuples(index=False, name=None) for pick in row)
    assert sum(picks.values()) == settings.shots * tests
    assert set(picks) == {f"s{n}" for n in range(count, count + own)}
    assert chisquare(list(picks.values())).pvalue > 0.001


@settings(max_examples=60, deadline=None)
@given(
    clusters=st.lists(st.integers(0, 9), min_size=6, max_size=40),
    labels=st.lists(st.integers(0, 2), min_size=40, max_size=40),
    seed=st.integers(0, 99),
)
def test_gives_shots_whenever_there_are_three_other_clusters(clusters, labels, seed, of_kind, settings):
    """Heavily repeated rows: shots are drawn exactly when train holds three clusters beside the test row's."""
    rows = len(clusters)
    heads: dict[int, int] = {}
    near = np.array([heads.setdefault(cluster, row) for row, cluster in enumerate(clusters)], dtype=np.int64)
    table = pd.DataFrame(
        {"id": [f"s{n:06d}" for n in range(rows)], "text": [f"t{c}" for c in clusters], "label": labels[:rows]}
    )
    part = ["test" if row % 4 == 0 else "train" for row in range(rows)]
    parts = pd.DataFrame({"id": table["id"], "paper": part, "strict": part})
    same = Duplicates(near, near)
    train = {clusters[row] for row in range(rows) if row % 4}
    enough = all(len(train - {clusters[row]}) >= 3 for row in range(0, rows, 4))
    seeded = dataclasses.replace(settings, seed=seed)
    if enough:
        found = shots.draw(table, parts, of_kind[Kind.MULTI_CLASS], same, seeded)
        assert len(found) == len(range(0, rows, 4))
        for row, picks in by_row(found).items():
            assert len({clusters[int(name[1:])] for name in (row, *picks)}) == 4
    else:
        with pytest.raises(
            SeluError,
            match=r"\d+ train rows with [012] different texts beside that of row s\d+, too few for 3 shots",
        ):
            shots.draw(table, parts, of_kind[Kind.MULTI_CLASS], same, seeded)
