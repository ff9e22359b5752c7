from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import authors_cleaning as reference
from selu.text import masks

JIRA = """
* ** _ __ {{ }} { } h1. h2. # ## {quote} {code} {code:x} {noformat} [ ] | a ( ) \\1
""".split()  # noqa: SIM905
MASKED = """
``` `` ` g _ http https: :// // % %aF / ( ) " . - @ @@ ann é
""".split()  # noqa: SIM905
DIGITS = ["0" * 40, "a1" * 20, "A" * 39, "a" * 40]


def made_of(*pieces: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(pieces), max_size=25).map("".join)


@given(made_of(*JIRA, " "))
def test_jira_equals_the_plain_substitutions(text: str) -> None:
    text = reference.whitespace(text)
    assert masks.convert_jira(text) == reference.jira(text)


@given(made_of(*MASKED, *DIGITS, " ", "\n", "\ud800", "\0"))
def test_masks_equal_the_patterns(text: str) -> None:
    assert masks.mask_code(text) == masks.CODE.sub("[CODE]", text)
    assert masks.mask_hash(text) == masks.HASH.sub("[HASH]", text)
    assert masks.mask_url(text) == masks.URL.sub("[URL]", text)
    assert masks.mask_user(text) == masks.USER.sub("[USER]", text)


@pytest.mark.parametrize("digits", [39, 40, 41])
def test_only_forty_digits_are_a_hash(digits: int) -> None:
    assert (masks.mask_hash(f"x {'e' * digits} y") == "x [HASH] y") is (digits == 40)
