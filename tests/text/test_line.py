from __future__ import annotations

import mistune
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selu.text import line

PIECES = """
* ** *** _ __ ___ ` `` ``` ~~ ~ [ ] ( ) ]( ![ [^ [a] [a](b) ![a](b) < </ > <a> <b> </b> <br/> <div>
<pre> <!-- --> -- <!A <? ?> <![CDATA[ ]]> <http://x> <a@b.c> <x: \\ \\\\ \\* \\] & &amp; &lt; &#65;
&ampx; ; # ## - + 1. 2) = --- a b é ! " ' @ | ^ $ : [a]: ~~~
""".split()  # noqa: SIM905
LINES = st.lists(st.sampled_from([*PIECES, " ", " ", "> ", "- ", "# ", "1. "]), max_size=25).map(
    lambda parts: " ".join("".join(parts).split())
)


@given(LINES)
def test_html_is_mistunes(text: str) -> None:
    assert line.to_html(text) == mistune.html(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a *b **c** d* _e_ f_g_h",
        "> - # a `b`",
        "> > > > > > > > a",
        "- - - - - - - - a",
        "-",
        "- - -",
        "==",
        "7. a",
        '[a]: b "c"',
        "[a]: <b> c",
        "[^a]: b",
        "``` py x",
        "``` a ` b",
        "-      a",
        "<div> *a*",
        "<x-y> *a*",
        "<x-y a='b'>",
        "[a [b] c](d) [e",
        '[a](b "c\\"d") ![e](<f> \'g\')',
        "[`a](b)` *c `d* e`",
        "a&amp=b; &amp;&lt;&nbsp;",
        "# a # #",
        "~~a~~ ~~ b~~ \\~~~c~~",
        "![*a* <b>](javascript:c) [a](data:image/png;d) <a href=x>[b](c)</a>[d](e)",
        "<!-- a --> <!--> <?b?> <!C d> <![CDATA[e]]> <a@b.c> <http://d> [a][b] [^c]",
    ],
)
def test_golden_lines(text: str) -> None:
    assert line.to_html(text) == mistune.html(text)


@pytest.mark.parametrize("text", ["[a](\ud800)", "[a]: \ud800", "<http:\ud800>"])
def test_addresses_with_lone_surrogates_fail_as_in_mistune(text: str) -> None:
    with pytest.raises(UnicodeEncodeError):
        mistune.html(text)
    with pytest.raises(UnicodeEncodeError):
        line.to_html(text)


def test_a_title_of_many_escapes_is_refused_at_once() -> None:
    """There are two to the power of 5,000 ways for mistune's pattern."""
    assert "<a" not in line.to_html('[a](b "' + "\\!" * 5_000)


def test_nesting_without_end_is_no_recursion() -> None:
    assert line.to_html("> - " * 20_000 + "x").count("<blockquote>") == 20_000
