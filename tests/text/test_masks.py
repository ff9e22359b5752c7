from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import authors_cleaning as reference
from selu.text import masks

JIRA = st.lists(
    st.sampled_from(
        [
            "*",
            "_",
            "{{",
            "}}",
            "{",
            "}",
            "h1.",
            "h2.",
            "#",
            "{quote}",
            "{code}",
            "{noformat}",
            "[",
            "]",
            "|",
            "a",
            " ",
            "(",
            ")",
            "{code:x}",
            "##",
            "**",
            "__",
            "\\1",
        ]
    ),
    max_size=25,
).map("".join)
MASKED = st.lists(
    st.sampled_from(
        [
            "```",
            "``",
            "`",
            "0" * 40,
            "a1" * 20,
            "A" * 39,
            "g",
            "_",
            " ",
            "\n",
            "http",
            "https:",
            "://",
            "//",
            "%",
            "%aF",
            "/",
            "(",
            ")",
            '"',
            ".",
            "-",
            "@",
            "@@",
            "ann",
            "a" * 40,
            "é",
            "\ud800",
            "\x00",
        ]
    ),
    max_size=20,
).map("".join)


@given(JIRA)
def test_jira_equals_the_plain_substitutions(text: str) -> None:
    text = reference.whitespace(text)
    assert masks.convert_jira(text) == reference.jira(text)


@given(MASKED)
def test_masks_equal_the_patterns(text: str) -> None:
    assert masks.mask_code(text) == masks.CODE.sub("[CODE]", text)
    assert masks.mask_hash(text) == masks.HASH.sub("[HASH]", text)
    assert masks.mask_url(text) == masks.URL.sub("[URL]", text)
    assert masks.mask_user(text) == masks.USER.sub("[USER]", text)


@pytest.mark.parametrize("digits", [39, 40, 41])
def test_only_forty_digits_are_a_hash(digits: int) -> None:
    assert (masks.mask_hash(f"x {'e' * digits} y") == "x [HASH] y") is (digits == 40)
