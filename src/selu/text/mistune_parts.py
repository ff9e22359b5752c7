"""What `paper` uses of mistune 3.0.2 as it is, with types: renderer, escaping, lists of tags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, cast

from mistune import HTMLRenderer, helpers, util


class Renderer(Protocol):
    """The part of mistune's HTML renderer that has rules of its own."""

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """HTML of a link."""

    def safe_url(self, url: str) -> str:
        """The address, or a harmless one."""

    def block_code(self, code: str, info: str | None = None) -> str:
        """HTML of a code block."""


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


def strip_tags(html: str) -> str:
    """The text between tags and comments: mistune's `striptags` in linear time."""
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
    """mistune's HTML of an image; its text loses its tags."""
    named = f' title="{safe_entity(title)}"' if title else ""
    return f'<img src="{RENDERER.safe_url(url)}" alt="{escape(strip_tags(text))}"{named} />'
