from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from selu.text.pipelines import clean

MARKDOWN = ("whitespace", "markdown", "code", "hash", "url", "user")
PLAIN = ("whitespace", "code", "hash", "url", "user")


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("# Head\n\nSee [the guide](https://a.example/b).", "Head See the guide."),
        ("<https://a.example> https://b.example/c_(d). (https://e.example)", "[URL] [URL]. ([URL])"),
        ("```\ncode\n```\nprose\n```\nmore\n```", "[CODE] prose [CODE]"),
        ("    indented\n\ninline `code`", "[CODE] inline [CODE]"),
        ("<pre><code>a <b>b</b></code></pre>x", "[CODE]x"),
        ("![a door](https://a.example/b.png) <img src=x alt='a wall'>", "a door a wall"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a b"),
        ("a | b\n--|--\n1 | 2", "a b 1 2"),
        ("a<br>b <!-- hidden --> <script>x</script><style>y</style>c", "a b c"),
        ("<details><summary>a</summary>b</details>", "a b"),
        ("<frameset>a</frameset>b", "ab"),
        ("by @ann-b, not a@b.example nor @scope/package", "by [USER], not a@b.example nor @scope/package"),
        ("0123456789abcdef0123456789abcdef01234567 x0123456789abcdef0123456789abcdef01234567", None),
        ("caf&eacute; &amp; &lt;p&gt; &#1;", "café & <p>"),
        ("a\0b\x1bc\u0085d \ud800 \ud83d\ude00", "abc d \ufffd \U0001f600"),
        ("", ""),
        (" \n ", ""),
    ],
)
def test_golden(raw: str, cleaned: str | None) -> None:
    cleaned = "[HASH] " + raw.split()[1] if cleaned is None else cleaned
    assert clean(raw, MARKDOWN, "sound") == cleaned


def test_without_markdown_only_fences_are_code() -> None:
    raw = "# kept ```x = 1``` and\n```py\ny\n```\n<b> *z*\n``` open"
    assert clean(raw, PLAIN, "sound") == "# kept [CODE] and [CODE] <b> *z* ``` open"


def test_html_alone() -> None:
    steps = ("whitespace", "html", "code", "url")
    raw = "<p>*a* <code>b</code> <a href='https://c.example'>d</a></p><p>https://e.example</p>"
    assert clean(raw, steps, "sound") == "*a* [CODE] d [URL]"


def test_thousands_of_tags_take_the_streaming_way() -> None:
    raw = "<b>" * 5_000 + "deep `code` [link](https://a.example)" + "</b>" * 5_000
    assert clean(raw, MARKDOWN, "sound") == "deep [CODE] link"


PIECES = "https:// http://a.b FTP://x @ann @ / ) ( . ``` ` a [URL] [USER] ] :// - _ é".split()  # noqa: SIM905
ODD = [" ", "\n", "0" * 40, "\x80", "\ud800"]


@given(st.lists(st.sampled_from([*PIECES, *ODD]), max_size=15).map("".join))
def test_plain_steps_change_nothing_the_second_time(text: str) -> None:
    assume(not re.search(r"\w(?:https?|ftp)://", text, re.I))  # a word's end is not a scheme until it is masked
    steps = ("whitespace", "hash", "url", "user")
    once = clean(text, steps, "sound")
    assert clean(once, steps, "sound") == once


@given(st.text())
def test_whitespace_alone_keeps_every_printable_character(text: str) -> None:
    cleaned = clean(text, ("whitespace",), "sound")
    assert [c for c in cleaned if c.isprintable() and c != " "] == [
        c for c in text if c.isprintable() and c != " "
    ]
    assert clean(cleaned, ("whitespace",), "sound") == cleaned == cleaned.strip()
