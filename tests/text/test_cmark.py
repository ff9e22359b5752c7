from __future__ import annotations

from pathlib import Path

import pytest

from selu.text.cmark import to_html


def test_tables_strikethrough_and_raw_html() -> None:
    assert to_html(b"a | b\n-|-\n1 | 2").count(b"<td>") == 2
    assert to_html(b"~~a~~ <b>c</b>") == b"<p><del>a</del> <b>c</b></p>\n"


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc to read the memory in use from")
def test_trees_and_strings_are_freed() -> None:
    def pages() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1])

    text = b"*a* b `c`\n\n" * 500  # leaked, a call would cost half a megabyte
    for _ in range(20):
        to_html(text)
    before = pages()
    for _ in range(200):
        to_html(text)
    assert (pages() - before) * 4096 < 20_000_000
