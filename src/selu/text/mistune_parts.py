"""What `paper` uses of mistune 3.0.2 as it is, with types: renderer, escaping, patterns, lists of tags."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

from mistune import HTMLRenderer, InlineParser, helpers, inline_parser, util
from mistune.plugins import formatting

_renderer = cast(Any, HTMLRenderer)(escape=False)
link_html: Callable[..., str] = _renderer.link  # (text, address, title)
safe_url: Callable[[str], str] = _renderer.safe_url  # the address, or a harmless one
code_html: Callable[..., str] = _renderer.block_code  # (code, info string)
unescape_char: Callable[[str], str] = helpers.unescape_char
escape: Callable[[str], str] = util.escape
escape_url: Callable[[str], str] = util.escape_url
safe_entity: Callable[[str], str] = util.safe_entity
unikey: Callable[[str], str] = util.unikey
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
    return f'<img src="{safe_url(url)}" alt="{escape(strip_tags(text))}"{named} />'
