"""Jira's wiki markup to markdown, for pipeline `sound`. One pass over the lines, linear."""

from __future__ import annotations

import re

_TEXT_MARKERS = re.compile(
    r"\{(?:quote|color|panel|anchor|section|column|info|note|tip|warning)(?:[:=][^{}\n]*)?\}"
)
_BLOCK = re.compile(r"(?<!\{)\{(code|noformat|html)(?::[^{}\n]*)?\}(?!\})")
_INLINE = re.compile(
    r"\{\{(?P<code>[^{}\n]+)\}\}"
    r"|\[~(?P<user>[^\[\]|\n]+)\]"
    r"|\[\^(?P<file>[^\[\]|\n]+)\]"
    r"|\[(?P<text>[^\[\]|\n]+)\|(?P<target>[^\[\]\n]+)\]"
    r"|\[(?P<address>(?:https?|ftp|mailto):[^\[\]|\s]+)\]"
    r"|!(?P<image>[^\s!|][^!|\n]{0,200}\.(?:png|jpe?g|gif|bmp|svg))(?:\|(?P<options>[^!\n]*))?!",
    re.I,
)
_LINE_START = re.compile(r"^[ \t]*(?:h[1-6]\.[ \t]*|bq\.[ \t]*|[*#-]+[ \t]+)?", re.M)
_ALT = re.compile(r"\balt=([^,|]+)")


def _inline(found: re.Match[str]) -> str:
    kind = found.lastgroup if found.lastgroup != "options" else "image"
    if found["code"] is not None:
        return f"`{found['code']}`" if "`" not in found["code"] else "[CODE]"
    if found["user"] is not None:
        return "@" + found["user"]
    if kind == "image":
        alternative = _ALT.search(found["options"] or "")
        return alternative[1].strip() if alternative else ""
    return found["file"] or found["text"] or found["address"] or ""


def _prose(text: str) -> str:
    """Clean prose between code blocks: what only marks goes, Jira has no HTML and no indented code."""
    text = _TEXT_MARKERS.sub("\n", text)
    text = _LINE_START.sub("", text)
    return _INLINE.sub(_inline, text).replace("<", "&lt;")


def to_markdown(text: str) -> str:
    """Convert Jira's wiki markup to markdown.

    Code and noformat blocks become [CODE] paragraphs, ``{{monospaced}}`` inline code, links their text (a bare
    one its address), mentions ``@name``, images their alternative text; headings, quotes, bullets and colours
    lose their marks; html blocks stay as they are. An unclosed block is prose.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    parts: list[str] = []
    done = 0
    opened: re.Match[str] | None = None
    for marker in _BLOCK.finditer(text):
        if opened is None:
            opened = marker
        elif marker[1] == opened[1]:
            # A blank line would end the HTML as markdown sees it.
            inside = text[opened.end() : marker.start()].replace("\n", " ") if opened[1] == "html" else "[CODE]"
            parts += (_prose(text[done : opened.start()]), f"\n\n{inside}\n\n")
            done, opened = marker.end(), None
    return "".join((*parts, _prose(_BLOCK.sub("\n", text[done:]))))
