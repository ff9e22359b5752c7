from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from mistune import HTMLRenderer
from mistune.util import striptags

from selu.text.mistune_parts import image, strip_tags

PAGES = st.lists(st.sampled_from(["<", ">", "<!--", "-->", "a", "<b>", "--", "\n", "!"]), max_size=14).map(
    "".join
)


@given(PAGES)
def test_tags_are_stripped_as_in_mistune(page: str) -> None:
    assert strip_tags(page) == striptags(page)


@given(
    PAGES, st.sampled_from(["a", "javascript:b", "data:image/png;c"]), st.sampled_from([None, "", 'd"e&amp;'])
)
def test_images_are_mistunes(text: str, url: str, title: str | None) -> None:
    assert image(text, url, title) == HTMLRenderer(escape=False).image(text, url, title)
