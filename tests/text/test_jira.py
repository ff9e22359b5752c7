from __future__ import annotations

import pytest

from selu.text.jira import to_markdown
from selu.text.pipelines import clean

STEPS = ("whitespace", "jira", "markdown", "url", "user")


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("h1. Head\nbody", "Head body"),
        ("before {code:java}List<String> x;{code} after", "before [CODE] after"),
        ("{noformat}\na\n{noformat}", "[CODE]"),
        ("{code}never closed", "never closed"),
        ("use {{foo()}} here", "use [CODE] here"),
        ("[the guide|https://a.example] and [https://b.example]", "the guide and [URL]"),
        ("[~ann] wrote", "[USER] wrote"),
        ("!shot.png|thumbnail! !x.jpg|alt=a door!", "a door"),
        ("{quote}said{quote} {color:red}red{color}", "said red"),
        ("* one\n** two\n# three", "one two three"),
        ("Map<String, T> stays", "Map<String, T> stays"),
        ("a\n\n    indented is no code", "a indented is no code"),
        ("see {html}<p>a &lt;\n\n<code>x</code></p>{html} <b>", "see a < [CODE] <b>"),
        ("{html}never <b>closed", "never <b>closed"),
        ("{code}{html}{code} and {html}<i>b</i>{html}", "[CODE] and b"),
        ("*bold* _slanted_", "bold slanted"),
    ],
)
def test_golden(raw: str, cleaned: str) -> None:
    assert clean(raw, STEPS, "sound") == cleaned


def test_unknown_braces_stay() -> None:
    assert to_markdown("a {b} {{}} c") == "a {b} {{}} c"
