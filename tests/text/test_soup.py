from __future__ import annotations

import pytest

from selu.text.soup import Soup, decode_character


def test_an_end_tag_is_owed_to_the_void_tag_before_it() -> None:
    soup = Soup({})
    soup.start("b", closed=False)
    soup.start("br", closed=False)
    soup.data.append(" ")
    soup.end("br")  # crossed off the list: the string goes on
    soup.data.append("x")
    soup.end("b")
    assert soup.kept == [" x"]
    assert soup.open == []


def test_masks_stand_for_all_inside_and_hidden_strings_are_no_text() -> None:
    soup = Soup({"a": "[URL]"})
    soup.start("template", closed=False)
    soup.node("hidden", visible=False)
    soup.data.append("hidden too")
    soup.start("a", closed=False)
    soup.data.append("masked")
    soup.end("template")
    soup.data.append("shown")
    soup.flush()
    assert soup.kept == ["[URL]", "shown"]


@pytest.mark.parametrize(
    ("name", "character"),
    [("65", "A"), ("x41", "A"), ("150", "\u2013"), ("129", "\x81"), ("0", "\0"), ("x110000", "\ufffd")],
)
def test_numeric_references(name: str, character: str) -> None:
    assert decode_character(name) == character
