from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selu.boards.rounding import (
    Printing,
    Range,
    behind,
    f1,
    f1_of,
    f1_of_means,
    linear,
    mean_of,
    missing_part,
    number_of_counts,
    prints_as,
    shares,
)

HOW = st.sampled_from([Printing.ROUNDED, Printing.TRUNCATED])
DIGITS = st.integers(1, 4)
UNIT = st.fractions(0, 1, max_denominator=3000)


def as_print(value: Fraction, digits: int, how: Printing) -> str:
    """By another way than the module's: whole units, then text."""
    units = value * 10**digits
    whole = math.floor(units) if how is Printing.TRUNCATED else round(units)
    return f"{whole // 10**digits}.{whole % 10**digits:0{digits}d}"


@given(UNIT, DIGITS, HOW)
def test_a_number_is_behind_its_print(value, digits, how):
    published = as_print(value, digits, how)
    for read in (how, Printing.EITHER):
        assert behind(published, read).reaches(value)
        assert prints_as(value, published, read)
    beyond = value + Fraction(3, 2) / 10**digits
    assert not prints_as(beyond, published, Printing.EITHER)


def test_ends_of_a_print():
    assert behind("0.71") == Range(Fraction(705, 1000), Fraction(715, 1000))
    assert behind("0.71", Printing.TRUNCATED) == Range(Fraction(71, 100), Fraction(72, 100))
    assert behind("0.71", Printing.EITHER) == Range(Fraction(705, 1000), Fraction(72, 100))
    assert not prints_as(Fraction(72, 100), "0.71", Printing.EITHER)
    with pytest.raises(ValueError):
        behind("-")


@settings(max_examples=50)
@given(st.integers(1, 120), st.integers(0, 120), st.integers(0, 120), DIGITS, HOW)
def test_scores_of_real_counts_are_possible(tp, fp, fn, digits, how):
    p, r = Fraction(tp, tp + fp), Fraction(tp, tp + fn)
    exact = Fraction(2 * tp, 2 * tp + fp + fn)
    assert f1(p, r) == exact
    texts = [as_print(value, digits, how) for value in (p, r, exact)]
    assert f1_of(behind(texts[0], how), behind(texts[1], how)).meets(behind(texts[2], how))
    assert tp in shares(texts[1], tp + fn, how)
    if float(texts[0]) >= 0.1:
        assert number_of_counts(*texts, tp + fn, how) >= 1


@settings(max_examples=50)
@given(st.integers(1, 12), UNIT, UNIT, UNIT, st.integers(1, 2), st.sampled_from(Printing))
def test_all_counts_are_found_and_no_others(positives, p, r, f, digits, how):
    texts = [as_print(value, digits, Printing.ROUNDED) for value in (p, r, f)]
    if float(texts[0]) < 0.3:
        return
    every = [
        fp
        for tp in range(positives + 1)
        for fp in range(5 * positives)
        if tp + fp
        and prints_as(Fraction(tp, tp + fp), texts[0], how)
        and prints_as(Fraction(tp, positives), texts[1], how)
        and prints_as(f1(Fraction(tp, tp + fp), Fraction(tp, positives)), texts[2], how)
    ]
    assert number_of_counts(*texts, positives, how) == len(every)
    few = sum(fp <= positives for fp in every)
    assert number_of_counts(*texts, positives, how, negatives=positives) == few


def test_a_published_f1_beyond_both_scores_is_refused():
    assert not f1_of(behind("0.849"), behind("0.838")).meets(behind("0.853"))
    assert f1_of(behind("0.849"), behind("0.838")).meets(behind("0.843"))
    assert f1_of(behind("0.00"), behind("0.50")).low == f1_of(behind("0.50"), behind("0.00")).low == 0
    assert f1_of(behind("1.00"), behind("1.00")).high == 1


@settings(max_examples=40)
@given(st.lists(st.tuples(UNIT, UNIT), min_size=1, max_size=6), DIGITS, HOW)
def test_means_of_real_classifiers_are_possible(pairs, digits, how):
    n = len(pairs)
    means = [
        sum(values, Fraction(0)) / n for values in (*zip(*pairs, strict=True), [f1(*pair) for pair in pairs])
    ]
    p, r, f = (behind(as_print(value, digits, how), how) for value in means)
    assert f1_of_means(p, r).meets(f)
    exact = [Range(value, value) for value in means]
    assert f1_of_means(*exact[:2]).reaches(means[2])


def test_both_ends_of_a_mean_f1_are_reached():
    half = Range(Fraction(1, 2), Fraction(1, 2))
    assert f1_of_means(half, half) == Range(Fraction(0), Fraction(1, 2))  # (1, 0) and (0, 1); twice (1/2, 1/2)
    most = Range(Fraction(4, 5), Fraction(4, 5))
    assert f1_of_means(most, most).low == Fraction(3, 5)  # (1, 0), (0, 1) and three times (1, 1)


@given(st.lists(UNIT, min_size=2, max_size=20), DIGITS, HOW)
def test_a_mean_and_its_missing_part_contain_the_real_ones(values, digits, how):
    parts = [behind(as_print(value, digits, how), how) for value in values]
    mean = sum(values, Fraction(0)) / len(values)
    assert mean_of(parts).reaches(mean)
    published = behind(as_print(mean, digits, how), how)
    assert mean_of(parts).meets(published)
    assert missing_part(published, parts[1:]).reaches(values[0])


@given(st.lists(st.tuples(st.integers(-50, 50), UNIT, UNIT), max_size=4), st.integers(-3, 3))
def test_a_linear_sum_has_its_ends_at_corners(terms, constant):
    ranges = [(weight, Range(*sorted((a, b)))) for weight, a, b in terms]
    corners = [Fraction(constant)]
    for weight, part in ranges:
        corners = [c + weight * end for c in corners for end in part]
    assert linear(ranges, constant) == (min(corners), max(corners))


@settings(max_examples=40)
@given(st.integers(1, 300), UNIT, DIGITS)
def test_shares_are_exactly_those_that_print_so(whole, value, digits):
    published = as_print(value, digits, Printing.ROUNDED)
    for how in Printing:
        every = [k for k in range(whole + 1) if prints_as(Fraction(k, whole), published, how)]
        assert shares(published, whole, how) == every


def test_nothing_has_no_mean_and_no_share():
    with pytest.raises(ValueError, match="nothing"):
        mean_of([])
    with pytest.raises(ValueError, match="share of 0"):
        shares("0.5", 0)


def test_without_true_positives_all_scores_are_zero():
    assert number_of_counts("0.0", "0.0", "0.0", 3) == 1
    assert number_of_counts("0.50", "0.00", "0.00", 3) == 0


def test_counts_of_a_precision_of_zero_are_counted_without_a_list():
    assert number_of_counts("0.0", "0.5", "0.0", 3) == 0
    most = number_of_counts("0.00", "0.50", "0.00", 1000)  # a slip of the pen that once ran for hours
    assert most > 10**9
    assert 0 < number_of_counts("0.00", "0.50", "0.00", 1000, negatives=200_000) < 10 * 200_000
    assert number_of_counts("0.00", "0.50", "0.00", 1000, negatives=50_000) == 0
