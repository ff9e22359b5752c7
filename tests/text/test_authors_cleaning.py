"""What the authors' cleaning gives: by their own steps, which are the oracle of other tests, and by `paper`."""

from __future__ import annotations

import pytest

from helpers import authors_cleaning as reference
from selu.text.pipelines import clean

MARKDOWN = ("whitespace", "markdown", "code", "hash", "url", "user")


@pytest.mark.parametrize(
    ("steps", "raw", "cleaned"),
    [
        (MARKDOWN, "# Title\n\ntext", "Title text"),
        (MARKDOWN, "a `b` c", "a [CODE] c"),
        (MARKDOWN, "```\nx\n```\nprose ```y``` end", "[CODE] prose [CODE] end"),
        (MARKDOWN, "see [the guide](https://a.example/b).", "see [URL]."),
        (MARKDOWN, "https://a.example. Then", "[URL] Then"),
        (MARKDOWN, "by @ann, not a@b.example", "by [USER], not a@b.example"),
        (MARKDOWN, "0123456789abcdef0123456789abcdef01234567!", "[HASH]!"),
        (MARKDOWN, "<p>a</p><p>b</p>", "ab"),
        (MARKDOWN, "![a picture](https://a.example/b.png)", ""),
        (MARKDOWN, "a &amp; b &lt;c&gt;", "a & b <c>"),
        (MARKDOWN, "<div><![unknown x]]>", ""),
        (MARKDOWN, "[a](\ud800)", ""),
        (
            ("whitespace", "jira", "markdown", "url", "user"),
            "h2. Head {{x}} *b* [t|https://a.example] {code}y{code}",
            "1.# Head [CODE] b [URL] [CODE]",
        ),
        (("whitespace", "html", "code"), "*a* <code>b</code> <a href=c>d</a> <b>e", "*a* [CODE] [URL] e"),
    ],
)
def test_plain_steps(steps: tuple[str, ...], raw: str, cleaned: str) -> None:
    assert reference.clean_plain(raw, steps) == clean(raw, steps, "paper") == cleaned
