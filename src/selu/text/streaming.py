"""Text of an HTML page as Beautiful Soup 4.12.3 on `html.parser` gives it: one linear pass, no tree.

The rules are those of CPython 3.11's `html.parser` before its changes of 2025 (3.11.7 and its neighbours),
fixed here so that a newer patch release cannot change a cleaned text. Quirks that show are kept: a numeric
reference that does not end makes the parser start over once, and the second one turns the rest of the page into
plain text; a lone `<br>` makes a later `</br>` void; a marked section that is none refuses the whole page.

Follows the rules of Python's html.parser; see NOTICE.
"""

from __future__ import annotations

import re

from selu.text.soup import ENTITIES, RAW_TEXT, Soup, decode_character
from selu.text.tags import LETTERS, START_NAME, StartTags

_INTERESTING = re.compile("[&<]")
_CLOSING_RAW = {tag: re.compile(rf"</\s*{tag}\s*>", re.I) for tag in RAW_TEXT}
_ENTITY = re.compile("&([a-zA-Z][-.a-zA-Z0-9]*)[^a-zA-Z0-9]")
_CHARACTER = re.compile("&#(?:[0-9]+|[xX][0-9a-fA-F]+)[^0-9a-fA-F]")
_INCOMPLETE = re.compile("&[a-zA-Z#]")
_COMMENT_END = re.compile(r"--\s*>")
_SECTION_NAME = re.compile(r"[a-zA-Z][-_.a-zA-Z0-9]*\s*")
_SECTION_END = re.compile(r"]\s*]\s*>")
_OFFICE_END = re.compile(r"]\s*>")
_SECTIONS = dict.fromkeys(("temp", "cdata", "ignore", "include", "rcdata"), _SECTION_END) | dict.fromkeys(
    ("if", "else", "endif"), _OFFICE_END
)
_END_TAG = re.compile(r"</\s*([a-zA-Z][-.a-zA-Z0-9:_]*)\s*>")


class Refused(Exception):  # noqa: N818
    """`html.parser` gives up on this page."""


class Reader:
    """`html.parser` over one page, feeding a `Soup`. First as if more could follow, then to the end."""

    def __init__(self, page: str, soup: Soup) -> None:
        self.page, self.size, self.soup = page, len(page), soup
        self.raw: str | None = None  # the open script or style
        self.last = False  # the second run, which takes what the first left
        self.at = 0
        self.last_angle = page.rfind(">")
        self.nowhere: set[re.Pattern[str]] = set()  # patterns known not to follow any more
        self.tags = StartTags(page)

    def run(self) -> None:
        """Read the page.

        Raises:
            Refused: a marked section that is none.
            ValueError: a numeric reference of thousands of digits.
        """
        self._run_once()
        self.last = True
        self._run_once()
        if self.at < self.size and self.raw is None:
            self.soup.data.append(self.page[self.at :])
        self.soup.flush()

    def _run_once(self) -> None:
        page, size, data = self.page, self.size, self.soup
        while self.at < size:
            pattern = _CLOSING_RAW[self.raw] if self.raw else _INTERESTING
            found = pattern.search(page, self.at)
            if found is None and self.raw:
                return
            start = found.start() if found else size
            if self.at < start:
                data.data.append(page[self.at : start])
            self.at = start
            if found and not (self._markup(start) if page[start] == "<" else self._reference(start)):
                return

    def _markup(self, at: int) -> bool:
        """Read what starts with ``<``. False ends the run."""
        end = self._one_markup(at)
        if end == at:  # a lone "<" at the end of the page
            return False
        if end < 0:
            if not self.last:
                return False
            end = self.page.find(">", at + 1) + 1 if at < self.last_angle else 0
            if not end:
                end = self.page.find("<", at + 1)
                end = end if end >= 0 else at + 1
            self.soup.data.append(self.page[at:end])
        self.at = end
        return True

    def _one_markup(self, at: int) -> int:
        """Find the end of the markup at ``at``; -1 if it has none, ``at`` if it is the page's end."""
        page = self.page
        second = page[at + 1 : at + 2]
        if second in LETTERS:
            return self._start_tag(at)
        if second == "/":
            return self._end_tag(at)
        if second == "!":
            return self._declaration(at)
        if second == "?":
            return self._until_angle(at)
        if not second:
            return at
        self.soup.data.append("<")
        return at + 1

    def _reference(self, at: int) -> bool:
        """Read what starts with ``&``. False ends the run."""
        page, soup = self.page, self.soup
        numeric = page.startswith("&#", at)
        found = (_CHARACTER if numeric else _ENTITY).match(page, at)
        if found:
            name = found[0][2:-1] if numeric else found[1]
            soup.data.append(decode_character(name) if numeric else ENTITIES.get(name, "&" + name))
            self.at = found.end() if page[found.end() - 1] == ";" else found.end() - 1
            return True
        if numeric:
            if page.find(";", at) >= 0:
                soup.data.append("&#")
                self.at = at + 2
            return False
        if _INCOMPLETE.match(page, at):
            if self.last and at + 2 == self.size:  # the ampersand of a last "&x" is lost
                self.at = at + 1
            return False
        if at + 1 == self.size:
            return False
        soup.data.append("&")
        self.at = at + 1
        return True

    def _search(self, pattern: re.Pattern[str], at: int) -> re.Match[str] | None:
        """Find the next match; after a failure, do not search again."""
        if pattern in self.nowhere:
            return None
        found = pattern.search(self.page, at)
        if found is None:
            self.nowhere.add(pattern)
        return found

    def _until_angle(self, at: int) -> int:
        """Read an invisible node up to the next ``>``: instruction, document type, bogus comment."""
        end = self.page.find(">", at + 2) if self.last_angle >= at + 2 else -1
        if end < 0:
            return -1
        self.soup.node("-", visible=False)
        return end + 1

    def _declaration(self, at: int) -> int:
        page = self.page
        if page.startswith("<!--", at):
            if (found := self._search(_COMMENT_END, at + 4)) is None:
                return -1
            self.soup.node("-", visible=False)
            return found.end()
        if page.startswith("<![", at):
            return self._section(at)
        if page[at : at + 9].lower() == "<!doctype":
            end = page.find(">", at + 9) if self.last_angle >= at + 9 else -1
            if end >= 0:
                self.soup.node("-", visible=False)
            return end + 1 if end >= 0 else -1
        return self._until_angle(at)

    def _section(self, at: int) -> int:
        """Read a marked section ``<![name...]]>``; only CDATA is text."""
        if at + 3 == self.size:
            return -1
        name = _SECTION_NAME.match(self.page, at + 3)
        if name is None:
            raise Refused
        if name.end() == self.size:
            return -1
        closing = _SECTIONS.get(name[0].strip().lower())
        if closing is None:
            raise Refused
        found = self._search(closing, at + 3)
        if found is None:
            return -1
        inside = self.page[at + 3 : found.start()]
        cdata = inside.upper().startswith("CDATA[")
        self.soup.node(inside[6:] if cdata else "-", visible=cdata)
        return found.end()

    def _end_tag(self, at: int) -> int:
        page = self.page
        angle = page.find(">", at + 1) if self.last_angle > at else -1
        if angle < 0:
            return -1
        found = _END_TAG.match(page, at)
        name = found[1].lower() if found else None
        if self.raw is not None and name != self.raw:
            self.soup.data.append(page[at : angle + 1])
            return angle + 1
        if name is not None:
            self.soup.end(name)
            self.raw = None
            return angle + 1
        tolerant = START_NAME.match(page, at + 2)
        if tolerant:
            self.soup.end(tolerant[1].lower())
            return angle + 1
        return at + 3 if angle == at + 2 else self._until_angle(at)

    def _start_tag(self, at: int) -> int:
        end, name, closed = self.tags.read(at, simple=not self.last)
        if end < 0:
            return end
        if name is None:
            self.soup.data.append(self.page[at:end])
            return end
        self.soup.start(name, closed=closed)
        if not closed and name in RAW_TEXT:
            self.raw = name
        return end


def soup_text(page: str, keep_links: bool = False) -> str | None:
    """Read the text of an HTML page, stripped, each outermost ``code`` as [CODE] and ``a`` as [URL].

    Args:
        page: any string.
        keep_links: leave the text of links instead.

    Returns:
        The text; None where `html.parser` refuses the page.
    """
    soup = Soup({"code": "[CODE]"} if keep_links else {"code": "[CODE]", "a": "[URL]"})
    try:
        Reader(page, soup).run()
    except (Refused, ValueError):
        return None
    return "".join(soup.kept).strip()
