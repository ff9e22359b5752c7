"""The authors' cleaning, step by step with their libraries: the oracle that `paper` must equal.

Source: `utils/preprocessing_steps.py` and `utils/preprocessors.py` of the authors' package (commit bf7c177).
mistune is pinned to 3.0.2 and Beautiful Soup to 4.12.3. Neither is linear in the length of a hostile text; use
`selu.text.pipelines`, which is, for anything but a comparison.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence

import mistune
from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning
from bs4 import MarkupResemblesLocatorWarning as LocatorWarning

from selu.text.masks import CODE, HASH, URL, USER
from selu.text.steps import check_steps

_JIRA: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\*(.*?)\*"), r"**\1**"),
    (re.compile(r"_(.*?)_"), r"*\1*"),
    (re.compile(r"\{\{(.*?)\}\}"), r"`\1`"),
    (re.compile(r"h([1-6])\.(.*)"), lambda found: "#" * int(found[1]) + found[2]),
    (re.compile(r"^\s*\*(.*)", re.M), r"-\1"),
    (re.compile(r"^\s*#(.*)", re.M), r"1.\1"),
    (re.compile(r"\{quote\}(.*?)\{quote\}", re.S), r"> \1"),
    (re.compile(r"\[(.*?)\|(.*?)\]"), r"[\1](\2)"),
    (re.compile(r"\{code\}(.*?)\{code\}", re.S), r"```\1```"),
    (re.compile(r"\{noformat\}(.*?)\{noformat\}", re.S), r"```\1```"),
)


def whitespace(text: str) -> str:
    """Strip, then every run of whitespace becomes one space. Comes first: line structure is lost here."""
    return re.sub(r"\s+", " ", text.strip())


def jira(text: str) -> str:
    """Jira markup to markdown by ten substitutions, in this order."""
    for pattern, replacement in _JIRA:
        text = pattern.sub(replacement, text)
    return text


def html(text: str) -> str:
    """The text of an HTML document, code and links masked.

    Where Beautiful Soup refuses the markup the authors' code yields a missing text (None); here the empty one.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LocatorWarning)
            warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)
            soup = BeautifulSoup(text, "html.parser")
        for tag, mask in (("code", "[CODE]"), ("a", "[URL]")):
            for found in soup.find_all(tag):
                found.replace_with(mask)
        return str(soup.get_text().strip())
    except Exception:
        return ""


def markdown(text: str) -> str:
    """Markdown to HTML to text.

    Where mistune itself fails (a lone surrogate in a link's address, an info string of only exotic spaces) the
    authors' code stops with its exception; here the empty string.
    """
    try:
        rendered = mistune.html(text)
    except Exception:
        return ""
    return html(str(rendered))


_REFERENCE: dict[str, Callable[[str], str]] = {
    "whitespace": whitespace,
    "jira": jira,
    "markdown": markdown,
    "html": html,
    "code": lambda text: CODE.sub("[CODE]", text),
    "hash": lambda text: HASH.sub("[HASH]", text),
    "url": lambda text: URL.sub("[URL]", text),
    "user": lambda text: USER.sub("[USER]", text),
}


def clean_plain(text: str, steps: Sequence[str]) -> str:
    """The plain steps of `paper`, one after the other.

    Raises:
        ValueError: see `selu.text.steps.check_steps`.
    """
    for step in check_steps(steps, "paper"):
        text = _REFERENCE[step](text)
    return text
