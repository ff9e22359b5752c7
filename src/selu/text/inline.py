"""mistune 3.0.2's inline markdown of one line as HTML: the same HTML, in linear time.

Only lines are read here: `paper` collapses whitespace first, so there are no line breaks, and no definition
that a reference link or footnote could name. Escaping, addresses and images go through mistune's own functions.

Follows the rules of mistune; see NOTICE.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from selu.text.lookup import Line
from selu.text.mistune_parts import (
    AUTO_EMAIL,
    AUTO_LINK,
    EMPHASIS,
    EMPHASIS_END,
    ESCAPES,
    HREF_BRACKETED,
    LABEL,
    PAREN_END,
    STRIKE_END,
    escape,
    escape_url,
    link_html,
    safe_entity,
    unescape_char,
)
from selu.text.mistune_parts import image as image_html

_ESCAPED = re.compile(r"(?:\\[!-/:-@\[-`{-~])++")
_TICKS = re.compile("`+")
_STRIKE = re.compile(r"~~(?=[^\s~])")
_LABEL = re.compile(rf"({LABEL})\]")
_FOOTNOTE = re.compile(rf"\[\^{LABEL}\]")
_OPEN_NAME = re.compile("<[A-Za-z][A-Za-z0-9-]*")
_CLOSE_TAG = re.compile(r"</[A-Za-z][A-Za-z0-9-]*\s*>")
_DECLARATION = re.compile("<![A-Z]")
_ANGLE = re.compile(">")
_INSTRUCTION_END = re.compile(r"\?>")
_SECTION_END = re.compile(r"\]\]>")
# What may stand inside a link or emphasis and reach beyond its end.
_PREC_LINK = re.compile(r"(?P<code>`+)|(?P<auto><[A-Za-z][A-Za-z\d.+-]{1,31}:)|(?P<html></?[A-Za-z]|<!|<\?)")
_PREC_EMPHASIS = re.compile(
    r"(?P<code>`+)|(?P<link>!?\[)|(?P<auto><[A-Za-z][A-Za-z\d.+-]{1,31}:)|(?P<html></?[A-Za-z]|<!|<\?)"
)
_HREF_START = re.compile(r"[ \t]*")
_HREF_END = re.compile(rf"[ \t\n]|{ESCAPES}\)")
_BEFORE_TITLE = re.compile(r"[ \t\n]+(?=[\"'])")
# Where a token can start. With an ampersand the borders of tokens decide which references are read, so all of
# mistune's count; without one only those that can start more than text.
_BORDERS = re.compile(r"[\\><!\[_*`~^$=]")
_STARTS = re.compile(r"\\|`|<|!?\[|~~|\*|\b_")
_OPENS_LINK = ("<a ", "<a>", "<A ", "<A>")
_CLOSES_LINK = ("</a ", "</a>", "</A ", "</A>")

Found = tuple[str, int] | None  # HTML and the place behind it; None where the rule does not apply


@dataclass
class Inside:
    """The context of a piece of a line."""

    image: bool = False
    link: bool = False
    emphasis: bool = False
    strong: bool = False


def _text(raw: str) -> str:
    """Write a text token as HTML."""
    return safe_entity(raw) if "&" in raw or "<" in raw or ">" in raw or '"' in raw else raw


def render(source: str, inside: Inside | None = None) -> str:
    """Convert a line to HTML.

    Raises:
        UnicodeEncodeError: an address holds a lone surrogate.
    """
    inside = inside or Inside()
    starts = _BORDERS if "&" in source else _STARTS
    if starts.search(source) is None:
        return _text(source)
    line, parts, place, size = Line(source), [], 0, len(source)
    while place < size:
        rule = _RULES.get(source[place])
        found = rule(line, place, inside) if rule else None
        if found is not None and found[1] > place:
            parts.append(found[0])
            place = found[1]
            continue
        # `found` without progress: the rule took its first character for a text of its own.
        border = starts.search(source, place + 1) if found is None else None
        after = place + 1 if found is not None else border.start() if border else size
        parts.append(_text(source[place:after]))
        place = after
    return "".join(parts)


def _refused(place: int) -> tuple[str, int]:
    """Refuse a rule that matched its start but not its rest: mistune goes on behind one character."""
    return "", place


def _escape(line: Line, place: int, _inside: Inside) -> Found:
    found = _ESCAPED.match(line.source, place)
    return (_text(unescape_char(found[0])), found.end()) if found else None


def _code(line: Line, place: int, _inside: Inside) -> Found:
    marker = _TICKS.match(line.source, place)
    if marker is None:
        return None
    start, length = marker.end(), marker.end() - marker.start()
    closing = line.closing_ticks(length, start)
    if closing < 0:
        return marker[0], start
    code = line.source[start:closing]
    if code.strip() and code.startswith(" ") and code.endswith(" "):
        code = code[1:-1]
    return f"<code>{escape(code)}</code>", closing + length


def _emphasis(line: Line, place: int, inside: Inside) -> Found:
    found = EMPHASIS.match(line.source, place)
    if found is None:
        return None
    marker, start = found[0], found.end()
    length = len(marker)
    if (length == 1 and inside.emphasis) or (length == 2 and inside.strong):
        return marker, start
    closing = line.next(EMPHASIS_END[marker], start)
    if closing is None:
        return marker, start
    end = closing.end()
    if (crossing := _crossing(line, place, start, end, _PREC_EMPHASIS, inside)) is not None:
        return crossing
    within = replace(inside, emphasis=inside.emphasis or length != 2, strong=inside.strong or length != 1)
    text = render(line.source[start : end - length], within)
    if length != 1:
        text = f"<strong>{text}</strong>"
    return (f"<em>{text}</em>" if length != 2 else text), end


def _strike(line: Line, place: int, inside: Inside) -> Found:
    found = _STRIKE.match(line.source, place)
    if found is None:
        return None
    closing = line.next(STRIKE_END, found.end())
    if closing is None:
        return _refused(place)
    text = render(line.source[found.end() : closing.end() - 2], replace(inside))
    return f"<del>{text}</del>", closing.end()


def _crossing(
    line: Line, place: int, start: int, end: int, pattern: re.Pattern[str], inside: Inside
) -> tuple[str, int] | None:
    """Read what starts first in ``start:end`` and binds tighter, if it reaches to the end or beyond."""
    first = line.next(pattern, start)
    if first is None or first.start() >= end:
        return None
    kind, at = first.lastgroup, first.start()
    found = _CROSSING[kind or ""](line, at, replace(inside))
    if found is None or found[1] < end:
        return None
    return _text(line.source[place:at]) + found[0], found[1]


def _bracket(line: Line, place: int, inside: Inside) -> Found:
    """Read what starts with ``[``."""
    if line.source.startswith("^", place + 1) and (note := _FOOTNOTE.match(line.source, place)):
        return _text(note[0]), note.end()
    return _link(line, place, inside)


def _bang(line: Line, place: int, inside: Inside) -> Found:
    return _link(line, place, inside) if line.source.startswith("[", place + 1) else None


def _link(line: Line, place: int, inside: Inside) -> Found:
    """Read a link or an image; only with an address in parentheses, since a line defines no references."""
    source = line.source
    image = source[place] == "!"
    start = place + 2 if image else place + 1
    if inside.image if image else inside.link:
        return source[place:start], start
    if label := _LABEL.match(source, start):
        text, end = label[1], label.end()
    else:
        end = line.closing_bracket(start)
        if end < 0 or end >= len(source):
            return _refused(place)
        text = source[start : end - 1]
    if (crossing := _crossing(line, place, start, end, _PREC_LINK, inside)) is not None:
        return crossing
    address = _address(line, end + 1) if source.startswith("(", end) else None
    if address is None:
        return _refused(place)
    url, title, end = address
    if image:
        return image_html(render(text, replace(inside, image=True)), url, title), end
    return link_html(render(text, replace(inside, link=True)), url, title), end


def _address(line: Line, place: int) -> tuple[str, str | None, int] | None:
    """Read (address, title, place behind the parenthesis) of a link whose parenthesis is just before."""
    source = line.source
    start = _after(_HREF_START, source, place)
    if source.startswith("<", start):
        bracketed = HREF_BRACKETED.match(source, start)
        if bracketed is None:
            return None
        href, end = bracketed[1], bracketed.end()
    else:
        stop = line.next(_HREF_END, start)
        if stop is None:
            return None
        href, end = source[start : stop.start()], stop.end() - 1
    title, title_end = None, -1
    if gap := _BEFORE_TITLE.match(source, end):
        title_end = line.title_end(gap.end())
        if title_end >= 0:
            title = unescape_char(source[gap.end() + 1 : title_end - 1])
    closing = PAREN_END.match(source, title_end if title_end >= 0 else end)
    if closing is None:
        return None
    return escape_url(unescape_char(href)), title or None, closing.end()


def _after(pattern: re.Pattern[str], source: str, place: int) -> int:
    found = pattern.match(source, place)
    return found.end() if found else place


def _angle(line: Line, place: int, inside: Inside) -> Found:
    """Read what starts with ``<``."""
    source = line.source
    found = _auto_link(line, place, inside)
    if found is None and (mail := AUTO_EMAIL.match(source, place)):
        found = _linked(mail[0], "mailto:", inside), mail.end()
    return found or _raw_html(line, place, inside)


def _linked(bracketed: str, scheme: str, inside: Inside) -> str:
    if inside.link:
        return _text(bracketed)
    return link_html(_text(bracketed[1:-1]), escape_url(scheme + bracketed[1:-1]))


def _auto_link(line: Line, place: int, inside: Inside) -> Found:
    found = AUTO_LINK.match(line.source, place)
    return (_linked(found[0], "", inside), found.end()) if found else None


def _raw_html(line: Line, place: int, inside: Inside) -> Found:
    """Pass on a tag, comment, instruction or declaration as it is."""
    end = _raw_end(line, place)
    if end < 0:
        return None
    raw = line.source[place:end]
    if raw.startswith(_OPENS_LINK):
        inside.link = True
    elif raw.startswith(_CLOSES_LINK):
        inside.link = False
    return raw, end


def _raw_end(line: Line, place: int) -> int:
    """Find the end of the raw HTML at ``place``; -1 without any."""
    source = line.source
    if opened := _OPEN_NAME.match(source, place):
        return line.tag_end(opened.end())
    if closed := _CLOSE_TAG.match(source, place):
        return closed.end()
    if source.startswith("<!--", place):
        dashes = source.find("--", place + 4)
        complete = dashes > place + 4 and source.startswith("-->", dashes)
        return dashes + 3 if complete and not source.startswith((">", "->"), place + 4) else -1
    for opening, closing, shortest in _RAW_SPANS:
        if opening.match(source, place):
            found = line.next(closing, place + shortest)
            return found.end() if found else -1
    return -1


_RAW_SPANS = (
    (re.compile(r"<\?"), _INSTRUCTION_END, 3),
    (_DECLARATION, _ANGLE, 4),
    (re.compile(r"<!\[CDATA"), _SECTION_END, 9),
)
_RULES = {
    "\\": _escape,
    "`": _code,
    "*": _emphasis,
    "_": _emphasis,
    "~": _strike,
    "[": _bracket,
    "!": _bang,
    "<": _angle,
}
_CROSSING = {"code": _code, "link": _link, "auto": _auto_link, "html": _raw_html}
