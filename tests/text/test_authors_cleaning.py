from __future__ import annotations

import pytest

from helpers import authors_cleaning as reference

MARKDOWN = ("whitespace", "markdown", "code", "hash", "url", "user")


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("# Title\n\ntext", "Title text"),
        ("a `b` c", "a [CODE] c"),
        ("```\nx\n```\nprose ```y``` end", "[CODE] prose [CODE] end"),
        ("see [the guide](https://a.example/b).", "see [URL]."),
        ("https://a.example. Then", "[URL] Then"),
        ("by @ann, not a@b.example", "by [USER], not a@b.example"),
        ("0123456789abcdef0123456789abcdef01234567!", "[HASH]!"),
        ("<p>a</p><p>b</p>", "ab"),
        ("![a picture](https://a.example/b.png)", ""),
        ("a &amp; b &lt;c&gt;", "a & b <c>"),
        ("<div><![unknown x]]>", ""),
        ("[a](\ud800)", ""),
    ],
)
def test_plain_steps(raw: str, cleaned: str) -> None:
    assert reference.clean_plain(raw, MARKDOWN) == cleaned


def test_jira_comes_before_markdown() -> None:
    steps = ("whitespace", "jira", "markdown", "url", "user")
    raw = "h2. Head {{x}} *b* [t|https://a.example] {code}y{code}"
    assert reference.jira(raw) == "1.# Head `x` **b** [t](https://a.example) ```y```"
    assert reference.clean_plain(raw, steps) == "1.# Head [CODE] b [URL] [CODE]"


def test_html_needs_no_markdown() -> None:
    steps = ("whitespace", "html", "code")
    assert reference.clean_plain("*a* <code>b</code> <a href=c>d</a> <b>e", steps) == "*a* [CODE] [URL] e"
