from __future__ import annotations

import html.parser
import random
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from helpers.authors_cleaning import clean_plain
from selu.text.pipelines import PIPELINES, clean

MARKDOWN = ("whitespace", "markdown", "code", "hash", "url", "user")
JIRA = ("whitespace", "jira", "markdown", "url", "user")
HTML = ("whitespace", "html", "code", "hash", "url", "user")
PIECES = """
* ** *** _ __ ` ``` ~~ ~~~ [ ] ( ) ]( ![ [^ [a] [a](b) < </ > /> <a> </a> <b> </b> <br> <br/> <div>
</div> <pre> </pre> <code> </code> <script> </script> <td> <!-- --> -- <! <? ?> <![CDATA[ ]]>
<http://x> <a@b.c> \\ \\\\ & &# &amp; &lt; &#65; &#x41 &#150; &foo; ; # ## = --- a b é ! ' " | {code}
{code:x} {noformat} {quote} {{ }} h1. !x.png! [~a] {color} https:// http://a.b/c @ @ann
0123456789abcdef0123456789abcdef01234567 . -
""".split()  # noqa: SIM905
ODD = ["\x00", "\x1b", "\x85", "\ud800", "\u2028"]
BLOCKS = ["    ", "> ", "- ", "1. ", "# ", "```\n", "| a | b |\n"]  # what starts a line
SPACES = [" ", " ", "\t", "\n", "\n\n", "\r\n", *("\n" + start for start in BLOCKS)]
ALPHABET = [*PIECES, *ODD, *SPACES]
CHOICES = [MARKDOWN, MARKDOWN, JIRA, HTML]
MARKUP = st.lists(st.sampled_from(ALPHABET), max_size=30).map("".join)
TEXTS = st.one_of(MARKUP, MARKUP, st.text(st.characters(), max_size=80))
STEPS = st.sampled_from(CHOICES)
CHANGED = hasattr(html.parser, "commentabruptclose")
FUZZ = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


def check(text: str, steps: tuple[str, ...]) -> None:
    for pipeline in PIPELINES:
        cleaned = clean(text, steps, pipeline)
        assert cleaned == clean(text, steps, pipeline)
        if pipeline == "sound":
            assert cleaned == " ".join(cleaned.split())
            assert not any(0xD800 <= ord(letter) <= 0xDFFF for letter in cleaned)
            assert "\0" not in cleaned


@pytest.mark.ci
@settings(FUZZ, max_examples=1_500)
@given(TEXTS, STEPS)
def test_no_text_crashes(text: str, steps: tuple[str, ...]) -> None:
    check(text, steps)


@pytest.mark.ci
@pytest.mark.skipif(CHANGED, reason="this Python's html.parser follows the rules of 2025")
@settings(FUZZ, max_examples=1_500)
@given(TEXTS, STEPS)
def test_paper_is_the_plain_steps(text: str, steps: tuple[str, ...]) -> None:
    assume(text.count("\\") < 8)  # an unclosed title of escapes takes mistune exponential time
    assert clean(text, steps, "paper") == clean_plain(text, steps)


def drawn(count: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Texts like those above; a strategy takes 15 times as long to draw one as we to clean it."""
    draw = random.Random(20)
    for _ in range(count):
        if draw.random() < 2 / 3:
            text = "".join(draw.choices(ALPHABET, k=draw.randrange(31)))
        else:  # a letter of ASCII, of the plane most scripts are in, or of any
            ends = draw.choices([0x80, 0x10000, 0x110000], k=draw.randrange(81))
            text = "".join(chr(draw.randrange(end)) for end in ends)
        yield text, draw.choice(CHOICES)


@pytest.mark.slow
def test_no_text_of_forty_thousand_crashes() -> None:
    for text, steps in drawn(40_000):
        try:
            check(text, steps)
        except Exception as error:
            raise AssertionError(f"{steps}: {text!r}") from error
