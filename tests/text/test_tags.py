from __future__ import annotations

import html.parser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selu.text.tags import StartTags

TAGS = st.text("ab=='\" />\0", max_size=14).map("<a".__add__)


@pytest.mark.skipif(
    hasattr(html.parser, "commentabruptclose"), reason="this Python's html.parser has other rules"
)
@given(TAGS)
def test_tags_end_where_html_parser_ends_them(page: str) -> None:
    parser = html.parser.HTMLParser()
    parser.rawdata = page
    expected = parser.check_for_whole_start_tag(0)  # type: ignore[attr-defined]
    exact, usual = (StartTags(page).read(0, simple=simple) for simple in (False, True))
    assert exact[0] == expected
    assert usual == exact


@pytest.mark.parametrize(
    ("page", "read"),
    [
        ("<br/>x", (5, "br", True)),
        ("<A b=c d='>' e>x", (15, "a", False)),
        ("<a b=c/>x", (8, "a", False)),
        ("<a", (-1, None, False)),
        ("<a\0>", (2, None, False)),
    ],
)
def test_golden(page: str, read: tuple[int, str | None, bool]) -> None:
    assert StartTags(page).read(0, simple=False) == read
