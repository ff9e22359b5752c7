"""Where a start tag ends and whether it is one, by the rules of `html.parser`, each place walked once.

Follows the rules of Python's html.parser; see NOTICE.
"""

from __future__ import annotations

import re

from selu.text.lookup import Next

LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
# A start tag as nearly everybody writes it; what it matches, the exact rules below match alike.
_SIMPLE = re.compile(
    r"<([a-zA-Z][a-zA-Z0-9:-]*)(?:\s+[a-zA-Z_:][-.:\w]*(?:=(?:\"[^\"]*\"|'[^']*'|[\w.#%-]+))?)*(?:\s*|\s+(/))>"
)
START_NAME = re.compile(r"([a-zA-Z][^\t\n\r\f />\x00]*)")
_SLASHES = re.compile(r"[\s/]*")
_SPACES = re.compile(r"\s*")
_GAP = re.compile(r"(?:\s|/(?!>))*")
_ATTRIBUTE_NAME = re.compile(r"(?<=['\"\s/])[^\s/>][^\s/=>]*")
_EQUALS = re.compile(r"\s*(=+)\s*")
_BARE_END = re.compile(r"[>\s]")
_NAME_END = re.compile(r"[\t\n\r\f />\x00]")


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Find the end of a match that cannot fail."""
    found = pattern.match(text, at)
    return found.end() if found else at


class StartTags:
    """The start tags of one page."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.heads: dict[int, int] = {}  # where an attribute may start -> where its tag's attributes end
        self.bare = Next(_BARE_END, page)
        self.name = Next(_NAME_END, page)

    def read(self, at: int, *, simple: bool) -> tuple[int, str | None, bool]:
        """Read the tag at ``at``: (its end, its name, whether it closes itself).

        The end is -1 where the page ends first; the name None where the characters are text after all.
        ``simple`` tries the usual form first; it must not be asked again for tags that have no end.
        """
        if simple and (usual := _SIMPLE.match(self.page, at)):
            return usual.end(), usual[1].lower(), usual[2] is not None
        end = self._whole_tag(at)
        if end < 0:
            return end, None, False
        stop, name = self._attributes_end(at, end)
        tail = self.page[stop:end].strip()
        return end, name if tail in (">", "/>") else None, tail == "/>"

    def _stop(self, ending: Next, at: int) -> int:
        """Find the first ending character at or after ``at``; the page's length without one."""
        found = ending.at(at)
        return found.start() if found else len(self.page)

    def _whole_tag(self, at: int) -> int:
        """Find where the tag at ``at`` ends; -1 if it does not."""
        page = self.page
        end = self._tag_end(at)
        following = page[end : end + 1]
        if following == ">":
            return end + 1
        if following == "/":
            return end + 2 if page.startswith("/>", end) else -1
        if not following or following in LETTERS or following == "=":
            return -1
        return end

    def _value_end(self, at: int) -> int | None:
        """Find the end of ``= value`` behind an attribute's name at ``at``; None without one."""
        page = self.page
        equals = _EQUALS.match(page, at)
        if equals is None:
            return None
        signs, start = equals.end(1), equals.end()
        quote = page[start : start + 1]
        if quote not in ("'", '"'):
            return self._stop(self.bare, start)
        closing = page.find(quote, start + 1)
        if closing >= 0:
            return closing + 1
        # Never closed: the value is empty before the space, or starts with the last of several equals signs.
        if signs < start:
            return signs
        return self._stop(self.bare, signs - 1) if len(equals[1]) > 1 else None

    def _tag_end(self, at: int) -> int:
        """Find where name and attributes of the tag at ``at`` end. Each place in the page is walked once."""
        place = _end(_SLASHES, self.page, self._stop(self.name, at + 1))
        walked = []
        while place not in self.heads:
            walked.append(place)
            name = _ATTRIBUTE_NAME.match(self.page, place)
            if name is None:
                self.heads[place] = _end(_SPACES, self.page, place)
                break
            value = self._value_end(name.end())
            place = _end(_GAP, self.page, name.end() if value is None else value)
        end = self.heads[place]
        self.heads.update(dict.fromkeys(walked, end))
        return end

    def _attributes_end(self, at: int, end: int) -> tuple[int, str]:
        """Find (where the attributes of the tag that ends at ``end`` stop, its name)."""
        name_end = self._stop(self.name, at + 1)
        place = _end(_GAP, self.page, name_end)
        while place < end:
            name = _ATTRIBUTE_NAME.match(self.page, place)
            if name is None:
                break
            value = self._value_end(name.end())
            place = _end(_GAP, self.page, name.end() if value is None else value)
        return place, self.page[at + 1 : name_end].lower()
