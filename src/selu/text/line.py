"""mistune 3.0.2's HTML of a markdown text of one line, in linear time.

`paper` collapses whitespace before it parses markdown, as the authors do. What is left of markdown's blocks is
the one that starts the line, inside quotes and lists that start it too; everything else is inline.

Follows the rules of mistune; see NOTICE.
"""

from __future__ import annotations

import re

from selu.text.inline import render
from selu.text.lookup import Line
from selu.text.mistune_parts import (
    BLOCK_TAGS,
    HTML_ATTRIBUTES,
    LABEL,
    PRE_TAGS,
    code_html,
    escape_url,
    unescape_char,
    unikey,
)

_NESTED = 5  # a quote, or a list, that deep holds none of its own kind
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,}) *(.*)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?![^ ])(.*)")
_CLOSING_HASHES = re.compile(r"(\s+|^)#+\s*$")
_UNDERLINE = re.compile(r" {0,3}[=-]+ *$")
_BREAK = re.compile(r" {0,3}(?:(?:- *+){3,}+|(?:_ *+){3,}+|(?:\* *+){3,}+)$")
_QUOTE = re.compile(r" {0,3}> ?")
_ITEM = re.compile(r" {0,3}([*+-]|\d{1,9}[.)])(?![^ ])")
_FOOTNOTE = re.compile(rf" {{0,3}}\[\^({LABEL})\]: ")
_DEFINITION = re.compile(rf" {{0,3}}\[({LABEL})\]: *(?:<([^<>\\\x00]*)>|(?!<)(\S+)(?!\S))")
_TITLE = re.compile(r" +(?=[\"'])")
_RAW = re.compile(r" {0,3}<(?:(/?)([A-Za-z][A-Za-z0-9-]*)|!--|\?|![A-Z]|!\[CDATA\[)")
_ALONE = {"": re.compile(HTML_ATTRIBUTES + r" *> *$"), "/": re.compile(r" *> *$")}
_STARTERS = frozenset(" `~#=-_*+>[<")


def to_html(text: str) -> str:
    """Convert a markdown text without line breaks and with no whitespace but spaces to HTML.

    Raises:
        UnicodeEncodeError: an address holds a lone surrogate.
        IndexError: the info string of a fence is nothing but exotic spaces.
    """
    before: list[str] = []
    behind: list[str] = []
    place = depth = 0
    rules = {"quote", "list"}
    while True:
        item = _item(text, place, "list" in rules)
        if item is not None:
            rules = {"quote"} if depth >= _NESTED else {"quote", "list"}
            before.append(_list_start(item[1]))
            behind.append("</li>\n</ol>\n" if len(item[1]) > 1 else "</li>\n</ul>\n")
            place = _item_content(text, item.end())
        elif "quote" in rules and (quote := _QUOTE.match(text, place)):
            rules = {"list"} if depth >= _NESTED else {"quote", "list"}
            before.append("<blockquote>\n")
            behind.append("</blockquote>\n")
            place = quote.end()
        else:
            break
        depth += 1
    tight = bool(behind) and behind[-1].startswith("</li>")
    content = _leaf(text[place:], top=not depth)
    if content is None:
        inline = render(text[place:].strip(" "))
        content = inline if tight else f"<p>{inline}</p>\n"
    return "".join((*before, content, *reversed(behind)))


def _item(text: str, place: int, allowed: bool) -> re.Match[str] | None:
    """Match the list item that starts here. A lone dash is one even where lists are nested too deep."""
    item = _ITEM.match(text, place)
    if item is None or _BREAK.match(text, place) or not (allowed or _UNDERLINE.match(text, place)):
        return None
    return item


def _list_start(marker: str) -> str:
    if len(marker) == 1:
        return "<ul>\n<li>"
    number = int(marker[:-1])
    return "<ol>\n<li>" if number == 1 else f'<ol start="{number}">\n<li>'


def _item_content(text: str, place: int) -> int:
    """Find where an item's content starts: behind its spaces, or behind one if five or more make it code."""
    stop = place
    while text.startswith(" ", stop):
        stop += 1
    if stop == len(text):
        return stop
    return place + 1 if stop - place >= 5 else stop


def _leaf(text: str, *, top: bool) -> str | None:
    """Convert a block without inner blocks to HTML; None for a paragraph."""
    if text[:1] not in _STARTERS:
        return None if text else ""
    if not text.strip(" "):
        return ""
    if fence := _FENCE.match(text):
        marker, info = fence.groups()
        if marker[0] == "`" and "`" in info:
            return None
        return code_html("", unescape_char(info).strip() if info else None)
    if text.startswith("    "):
        return code_html(text[4:])
    if heading := _HEADING.match(text):
        level = len(heading[1])
        return f"<h{level}>{render(_CLOSING_HASHES.sub('', heading[2].strip()).strip(' '))}</h{level}>\n"
    if _BREAK.match(text):
        return "<hr />\n"
    if (top and _FOOTNOTE.match(text)) or _is_definition(text):
        return ""
    return text + "\n\n" if _is_raw(text) else None


def _is_definition(text: str) -> bool:
    """Return whether the line is nothing but the definition of a link."""
    found = _DEFINITION.match(text)
    if found is None or not unikey(found[1]):
        return False
    end = found.end()
    if title := _TITLE.match(text, end):
        closed = Line(text).title_end(title.end())
        end = closed if closed >= 0 else end
    if text[end:].strip(" "):
        return False
    escape_url(unescape_char(found[2] if found[2] is not None else found[3]))  # raises as mistune would
    return True


def _is_raw(text: str) -> bool:
    """Return whether the line is raw HTML as a whole."""
    found = _RAW.match(text)
    if found is None:
        return False
    closing, tag = found.groups()
    if tag is None or tag.lower() in BLOCK_TAGS or (not closing and tag.lower() in PRE_TAGS):
        return True
    return _ALONE[closing].match(text, found.end()) is not None
