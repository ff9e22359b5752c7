"""Each metric against a value counted by hand, and against what must hold of any pair of texts."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selu.papers.crosscodebench import metrics

GIVEN, EXPECTED = "a b c d e", "a b c x e"
WORDS = st.lists(st.sampled_from("abc"), max_size=8).map(" ".join)


def test_bleu_of_a_sentence_is_the_one_counted_by_hand():
    # runs in common: 4 of 5 words, 2 of 4 pairs, 1 of 3 triples, 0 of 2 fours
    version_a = math.prod([5 / 6, 3 / 5, 2 / 4, 1 / 3]) ** 0.25
    version_b = math.prod([4 / 5, 3 / 5, 2 / 4, 1 / 3]) ** 0.25
    assert metrics.sentence_bleu([GIVEN], [EXPECTED]) == pytest.approx([100 * version_a])
    assert metrics.normalised_bleu([GIVEN], [EXPECTED]) == pytest.approx([100 * version_b])
    assert metrics.corpus_bleu([GIVEN], [EXPECTED]) == 0.0
    assert metrics.corpus_bleu([GIVEN, "f g h i"], [EXPECTED, "f g h i"]) == pytest.approx(
        100 * math.prod([8 / 9, 5 / 7, 3 / 5, 1 / 3]) ** 0.25
    )


def test_a_short_answer_is_punished_and_a_long_one_is_not():
    assert metrics.corpus_bleu(["a b c d"], ["a b c d e"]) == pytest.approx(100 * math.exp(1 - 5 / 4))
    assert metrics.sentence_bleu(["a b c d"], ["a b c d e"]) == pytest.approx([100 * math.exp(1 - 5 / 4)])
    assert metrics.normalised_bleu(["a b c d"], ["a b c d e"]) == pytest.approx([100 * math.exp(1 - 6 / 5)])
    assert metrics.sentence_bleu(["a b c d e"], ["a b c d"])[0] > 60


def test_marks_and_capitals_are_told_apart_by_one_version_only():
    given, expected = ["Return(x)"], ["return ( x )"]
    assert metrics.normalised_bleu(given, expected) == pytest.approx([100.0])
    assert metrics.sentence_bleu(given, expected)[0] < 50
    assert metrics.exact_match([" x "], ["x"]) == [100.0]


def test_empty_texts():
    assert metrics.sentence_bleu(["", "", "a"], ["", "a", ""]) == [100.0, 0.0, 0.0]
    assert metrics.rouge_l(["", "a"], ["a", ""]) == [0.0, 0.0]
    assert metrics.corpus_bleu([""], ["a"]) == 0.0


def test_rouge_is_that_of_the_longest_common_subsequence():
    precision, recall = 4 / 5, 4 / 6
    f = 2.44 * precision * recall / (recall + 1.44 * precision)
    assert metrics.rouge_l(["a b c d e"], ["a x b c y e"]) == pytest.approx([100 * f])


@given(WORDS, WORDS)
def test_common_subsequences_are_as_long_as_those_found_one_by_one(first, second):
    a, b = first.split(), second.split()
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1][j + 1] = table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
    assert metrics._common(a, b) == table[-1][-1]


@given(WORDS.filter(bool), WORDS)
def test_every_metric_lies_between_nothing_and_the_same_text(reference, answer):
    for metric in metrics.BY_ROW.values():
        assert metric([reference], [reference])[0] == pytest.approx(100.0) or len(reference.split()) < 4
        assert 0 <= metric([answer], [reference])[0] <= 100.0 + 1e-9
