from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mistune.helpers import LINK_TITLE_RE, parse_link_text

from selu.text.lookup import Line, Next

BRACKETS = st.text("[]\\a", max_size=20)
TITLES = st.text("\"'\\!a\0", max_size=10)


@given(BRACKETS)
def test_closing_brackets_are_those_of_a_walk_from_every_place(source: str) -> None:
    line = Line(source)
    for opened in re.finditer(r"\[", source):
        place = opened.end()
        walked = parse_link_text(source, place)[1]
        if source[: opened.start()].endswith("\\"):
            continue  # never asked: an escape is read first
        assert line.closing_bracket(place) == (walked or -1)


@given(TITLES, st.sampled_from("\"'"))
def test_titles_end_where_the_pattern_ends(inside: str, quote: str) -> None:
    source = quote + inside
    expected = LINK_TITLE_RE.match(" " + source)
    assert Line(source).title_end(0) == (expected.end() - 1 if expected else -1)


def test_a_title_of_many_escapes_is_refused_at_once() -> None:
    assert Line('"' + "\\!" * 5_000).title_end(0) == -1  # two to the power of 5,000 ways for the pattern


@given(st.text("ab", max_size=30), st.lists(st.integers(0, 30), max_size=8))
def test_the_next_match_is_right_in_any_order_of_questions(source: str, places: list[int]) -> None:
    pattern = re.compile("ab+")
    upcoming = Next(pattern, source)
    for place in places:
        found, expected = upcoming.at(place), pattern.search(source, place)
        assert (found and found.span()) == (expected and expected.span())


@pytest.mark.parametrize(
    ("rest", "end"),
    [(">", 1), (" b=c/>", 6), (" b='>'>", 7), (' b="x">', 7), (" b='x", -1), (" =>", -1), ("b", -1)],
)
def test_tags_end(rest: str, end: int) -> None:
    assert Line(rest).tag_end(0) == end


def test_ticks_close_only_with_a_run_of_their_length() -> None:
    line = Line("`a``b`c``")
    assert [line.closing_ticks(length, 1) for length in (1, 2, 3)] == [5, 2, -1]
