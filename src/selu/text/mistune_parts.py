"""What `paper` uses of mistune 3.0.2 as it is, with types: renderer, escaping, patterns, lists of tags."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol, cast

from mistune import HTMLRenderer, InlineParser, helpers, inline_parser, util
from mistune.plugins import formatting


class Renderer(Protocol):
    """The part of mistune's HTML renderer that has rules of its own."""

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """Write a link as HTML."""

    def safe_url(self, url: str) -> str:
        """Return the address, or a harmless one."""

    def block_code(self, code: str, info: str | None = None) -> str:
        """Write a code block as HTML."""


_Function = Callable[[str], str]

RENDERER = cast(Renderer, cast(Callable[..., object], HTMLRenderer)(escape=False))
unescape_char = cast(_Function, helpers.unescape_char)
escape = cast(_Function, util.escape)
escape_url = cast(_Function, util.escape_url)
safe_entity = cast(_Function, util.safe_entity)
unikey = cast(_Function, util.unikey)
HTML_ATTRIBUTES: str = helpers.HTML_ATTRIBUTES
BLOCK_TAGS: tuple[str, ...] = helpers.BLOCK_TAGS
PRE_TAGS: tuple[str, ...] = helpers.PRE_TAGS
ESCAPES: str = helpers.PREVENT_BACKSLASH
LABEL: str = helpers.LINK_LABEL + "+"  # possessive: the same matches, without the way back
ATTRIBUTE = re.compile(HTML_ATTRIBUTES.removeprefix("(?:").removesuffix(")*"))
BRACKETS: re.Pattern[str] = helpers._INLINE_SQUARE_BRACKET_RE
HREF_BRACKETED: re.Pattern[str] = helpers.LINK_BRACKET_RE
PAREN_END: re.Pattern[str] = helpers.PAREN_END_RE
EMPHASIS_END: dict[str, re.Pattern[str]] = inline_parser.EMPHASIS_END_RE
STRIKE_END: re.Pattern[str] = formatting._STRIKE_END
EMPHASIS = re.compile(InlineParser.SPECIFICATION["emphasis"])
AUTO_LINK = re.compile(InlineParser.SPECIFICATION["auto_link"])
AUTO_EMAIL = re.compile(InlineParser.SPECIFICATION["auto_email"])


def strip_tags(html: str) -> str:
    """Keep the text between tags and comments: mistune's `striptags` in linear time."""
    parts: list[str] = []
    done, last, comments = 0, html.rfind(">"), True
    start = html.find("<")
    while 0 <= start < last:
        end = -1
        if comments and html.startswith("<!--", start):
            end = html.find("-->", start + 4)
            comments = end >= 0
            if comments and html.find("\n", start, end) >= 0:  # a comment of several lines is none there
                end = -1
        end = end + 3 if end >= 0 else html.find(">", start) + 1
        parts.append(html[done:start])
        done, start = end, html.find("<", end)
    return "".join((*parts, html[done:]))


def image(text: str, url: str, title: str | None) -> str:
    """Write an image as mistune's HTML; its text loses its tags."""
    named = f' title="{safe_entity(title)}"' if title else ""
    return f'<img src="{RENDERER.safe_url(url)}" alt="{escape(strip_tags(text))}"{named} />'
