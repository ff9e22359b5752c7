from __future__ import annotations

import dataclasses
import itertools
import re
import time
from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selu.splits.duplicates import bands, find, first_positions, row_texts
from selu.vocabulary import Kind


def sets_of(texts: Sequence[str], length: int = 3) -> list[set[tuple[str, ...]]]:
    words = [re.findall(r"\w+", text.casefold()) for text in texts]
    return [{tuple(found[at : at + length]) for at in range(len(found) - length + 1)} for found in words]


def similar_pairs(texts: Sequence[str], threshold: float) -> set[tuple[int, int]]:
    """The oracle: every pair that shares a shingle, compared in full, in plain Python."""
    shingles, holders = sets_of(texts), defaultdict(list)
    for row, found in enumerate(shingles):
        for shingle in found:
            holders[shingle].append(row)
    shared = {pair for rows in holders.values() for pair in itertools.combinations(rows, 2)}
    return {
        (a, b)
        for a, b in shared
        if len(shingles[a] & shingles[b]) >= threshold * len(shingles[a] | shingles[b])
    }


def components(pairs: set[tuple[int, int]], rows: int) -> list[int]:
    """Smallest row reachable from each row, by repeated relaxation."""
    group = list(range(rows))
    changed = True
    while changed:
        changed = False
        for a, b in pairs:
            low = min(group[a], group[b])
            if group[a] != low or group[b] != low:
                group[a] = group[b] = low
                changed = True
    return group


def exact_pairs(texts: Sequence[str]) -> set[tuple[int, int]]:
    first = first_positions(" ".join(text.casefold().split()) for text in texts).tolist()
    return {(head, row) for row, head in enumerate(first) if head != row}


@pytest.mark.ci
@pytest.mark.parametrize("task", ["issue_intention", "incivility"])
def test_finds_exactly_the_clusters_that_brute_force_finds(task: str, real: Callable, settings):
    """Recall and precision 1 over all pairs of real sentences (20 million for issue_intention)."""
    texts = real(task)[0]
    pairs = similar_pairs(texts, 0.8) | exact_pairs(texts)
    assert len(pairs) > 50
    assert find(texts, settings).near.tolist() == components(pairs, len(texts))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.sampled_from("abcde"), max_size=12).map(" ".join), max_size=40))
def test_clusters_are_sound_whatever_the_texts(settings, texts: list[str]):
    found = find(texts, settings)
    expected = components(similar_pairs(texts, 0.8) | exact_pairs(texts), len(texts))
    # Sound: no cluster joins what brute force keeps apart. At these sizes a miss is as good as impossible.
    assert found.near.tolist() == expected
    assert all(found.near[row] == found.near[head] for row, head in enumerate(found.exact.tolist()))


def test_exact_means_equal_but_for_case_and_whitespace(settings):
    texts = ["Fix  the\tbug", "fix the bug ", "fix the bug!", "no", "No", "no.", "", "  "]
    texts += ["STRASSE x", "straße x"]
    found = find(texts, settings)
    assert found.exact.tolist() == [0, 0, 2, 3, 3, 5, 6, 6, 8, 8]
    # "fix the bug!" has the words of the first; "no." has too few words to be more than itself.
    assert found.near.tolist() == [0, 0, 0, 3, 3, 5, 6, 6, 8, 8]


def test_strange_text_does_no_harm(settings):
    lone = "\ud800 lone surrogate here"
    texts = ["\x00 \x00 \x00", lone, lone, "😀 😀 😀 😀", "漢字 漢字 漢字 漢字"]
    assert find(texts, settings).near.tolist() == [0, 1, 1, 3, 4]
    assert find([], settings).near.tolist() == []


def test_a_kind_with_several_texts_is_compared_by_all_of_them():
    table = pd.DataFrame({"id": ["r1"], "question": ["Why?"], "answer": ["So."], "label": [1], "group": ["g"]})
    assert row_texts(table) == ["Why? So."]


def test_tokens_are_compared_as_text(make: Callable, settings):
    table = make(Kind.ENTITIES, 60)
    texts = row_texts(table)
    assert texts[3].split(" ") == table["tokens"][3]
    assert (find(texts, settings).exact != np.arange(60)).sum() >= 8


@pytest.mark.parametrize("threshold", [0.05, 0.3, 0.5, 0.8, 0.9, 1.0])
@pytest.mark.parametrize("permutations", [16, 128, 256])
def test_bands_fit_and_miss_little(threshold: float, permutations: int):
    count, rows = bands(threshold, permutations)
    assert count >= 2
    assert count * rows <= permutations
    missed = (1 - threshold**rows) ** count
    assert missed <= 0.001 or rows == 1


@pytest.mark.parametrize("threshold", [0.5, 1.0])
def test_the_threshold_is_the_setting(threshold: float, settings):
    texts = ["one two three four five six seven", "one two three four five six eight", "alpha beta gamma"]
    found = find(texts, dataclasses.replace(settings, near_duplicate=threshold))
    assert found.near.tolist() == ([0, 0, 2] if threshold == 0.5 else [0, 1, 2])  # 4 of 6 shingles shared


@pytest.mark.ci
def test_a_thousand_copies_cost_no_thousand_squared(settings):
    base = " ".join(f"w{number}" for number in range(60))
    texts = [f"{base} end{number}" for number in range(1500)]
    start = time.process_time()
    assert set(find(texts, settings).near.tolist()) == {0}
    assert time.process_time() - start < 8
