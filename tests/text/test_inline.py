from __future__ import annotations

import pytest

from selu.text.inline import Inside, render


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("*a **b** c*", "<em>a <strong>b</strong> c</em>"),
        ("***a***", "<em><strong>a</strong></em>"),
        ("`` a`b ``", "<code>a`b</code>"),
        ("~~a~~", "<del>a</del>"),
        ("[a](<b c> 'd')", '<a href="b%20c" title="d">a</a>'),
        ("![*a*](b)", '<img src="b" alt="a" />'),
        ("[a][b] [^c]", "[a][b] [^c]"),
        ("<a@b.c> <http://d>", '<a href="mailto:a@b.c">a@b.c</a> <a href="http://d">http://d</a>'),
        ("<b x='*'>*y*</b> <z", "<b x='*'><em>y</em></b> &lt;z"),
        ("*a `b* c`", "*a <code>b* c</code>"),
        ('\\*a\\* &copy; & "', "*a* © &amp; &quot;"),
        ("<!-- a --> <!--> <?b?> <!C d> <![CDATA[e]]>", "<!-- a --> &lt;!--&gt; <?b?> <!C d> <![CDATA[e]]>"),
    ],
)
def test_golden(source: str, html: str) -> None:
    assert render(source) == html


def test_a_link_holds_no_link() -> None:
    assert render("[a](b)", Inside(link=True)) == "[a](b)"
    assert render("![a](b)", Inside(image=True)) == "![a](b)"
    assert render("<a href=x>[b](c)</a>[d](e)") == '<a href=x>[b](c)</a><a href="e">d</a>'
