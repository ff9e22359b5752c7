"""Hostile texts, and how a cleaner's time grows with them. For tests and speed/cleaning.py."""

from __future__ import annotations

import gc
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from selu.text.pipelines import Pipeline, cleaner

STEPS = ("whitespace", "markdown", "code", "hash", "url", "user")
JIRA_STEPS = ("whitespace", "jira", "markdown", "url", "user")
LARGEST = 4_000_000


@dataclass(frozen=True)
class Family:
    """A text that grows with n: ``head``, n times ``unit``, ``tail``, n times ``close``."""

    name: str
    unit: str
    head: str = ""
    tail: str = ""
    close: str = ""
    jira: bool = False

    def text(self, times: int) -> str:
        """The member of the family with that many units."""
        return self.head + self.unit * times + self.tail + self.close * times

    def of_size(self, size: int) -> str:
        """The member with about that many characters."""
        return self.text(max(1, size // len(self.unit + self.close)))


FAMILIES = (
    Family("<", "<"),
    Family("</", "</", head="<p>"),
    Family("<!--", "<!--"),
    Family("<!-- in a page", "<!-- ", head="<p>"),
    Family("<?", "<?", head="<p>"),
    Family("<![CDATA[", "<![CDATA[", head="<p>"),
    Family("<a ", "<a "),
    Family("<a in a page", "<a", head="<p>"),
    Family("<a/y= in a page", "<a/y=", head="<p>"),
    Family("<a b='", "<a b='"),
    Family("nested tags", "<div>", close="</div>"),
    Family("nested <b>", "<b>", head="a "),
    Family("<b></p>", "<b></p>", head="a "),
    Family("<script>", "<script>", head="<p>"),
    Family("[", "["),
    Family("![", "!["),
    Family("[ ]", "[", close="]"),
    Family("[a](", "[a]("),
    Family("a](", "a]("),
    Family("[a](b)", "[a](b) "),
    Family("![<? > <!-- ?>", "<? > <!-- ?>", head="![", tail="](a)"),
    Family('[a](b "\\!', "\\!", head='[a](b "'),
    Family("*", "*"),
    Family("*a ", "*a "),
    Family("a*", "a*"),
    Family("*a [b", "*a [b ", tail="*"),
    Family("_a *b", "_a *b"),
    Family("_", "_"),
    Family("~~a ", "~~a "),
    Family("`", "`"),
    Family("`a``b```c", "`a``b```c"),
    Family("unclosed fence", "a\n", head="```\n"),
    Family("``` ", "``` x "),
    Family("> ", "> "),
    Family("> - ", "> - ", tail="x"),
    Family("- ", "- ", tail="x"),
    Family("# ", "# ", tail="x"),
    Family("table", "a|b\n", head="a|b\n-|-\n"),
    Family("&", "&"),
    Family("&#", "&#", head="<p>"),
    Family("&a", "&a"),
    Family("&#x1;", "&#x1;"),
    Family("\\", "\\"),
    Family("https://", "https://"),
    Family("https://a)))", ")", head="https://a"),
    Family("@", "@"),
    Family("@a", "@a "),
    Family("NUL", "\0"),
    Family("lone surrogate", "\ud800"),
    Family("spaces", " ", tail="a"),
    Family("{code}", "{code}", tail="{code} x", jira=True),
    Family("{{", "{{", jira=True),
    Family("[a|", "[a|", jira=True),
    Family("{quote", "{quote", jira=True),
    Family("!a.b", "!a.b", jira=True),
)


def _seconds(clean: Callable[[str], str], text: str, repeats: int) -> float:
    """Least processor seconds of several; memory is collected outside the clock."""
    best = float("inf")
    for _ in range(repeats):
        gc.collect()
        gc.disable()
        started = time.process_time()
        clean(text)
        best = min(best, time.process_time() - started)
        gc.enable()
    return best


def growth(clean: Callable[[str], str], family: Family, at_least: float = 0.05) -> tuple[float, float]:
    """(processor seconds for a text, those for twice the text over them); least of five.

    The text is as long as it must be to take ``at_least`` seconds, or `LARGEST` characters.
    """
    size = 32_000
    while size < LARGEST and _seconds(clean, family.of_size(size), 1) < at_least:
        size *= 2
    once, twice = family.of_size(size), family.of_size(2 * size)
    first = second = float("inf")
    for _ in range(5):  # interleaved, so that a busy moment of the machine meets both
        first = min(first, _seconds(clean, once, 1))
        second = min(second, _seconds(clean, twice, 1))
    return first, second / max(first, 1e-9)


def _growth_of(task: tuple[str, Pipeline, float]) -> tuple[float, float]:
    name, pipeline, at_least = task
    family = next(family for family in FAMILIES if family.name == name)
    steps = JIRA_STEPS if family.jira else STEPS
    return growth(cleaner(steps, pipeline), family, at_least)


def growths(
    pipeline: Pipeline, families: Sequence[Family] = FAMILIES, at_least: float = 0.05
) -> Iterator[tuple[Family, float, float]]:
    """`growth` of these families, in a process of its own whose allocator keeps what it once had.

    Without that the clock sees where the C library starts to give memory back and fetch it again, a step of its
    own at some size, and not how the cleaner's work grows.
    """
    kept = {"MALLOC_TRIM_THRESHOLD_": str(2**40), "MALLOC_MMAP_MAX_": "0"}
    before = {name: os.environ.get(name) for name in kept}
    os.environ.update(kept)
    try:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            tasks = [(family.name, pipeline, at_least) for family in families]
            for family, (took, ratio) in zip(families, pool.imap(_growth_of, tasks), strict=True):
                yield family, took, ratio
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
