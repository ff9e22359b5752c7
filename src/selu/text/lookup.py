"""Questions a markdown parser asks again and again about one line, answered in linear time altogether.

Follows the rules of mistune; see NOTICE.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right

from selu.text.mistune_parts import ATTRIBUTE, BRACKETS

_TICKS = re.compile("`+")
_TAG_END = re.compile(r"\s*/?>")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class Next:
    """The next match of a pattern, remembered: asked from ever later places, the line is searched once."""

    __slots__ = ("asked", "found", "pattern", "source")

    def __init__(self, pattern: re.Pattern[str], source: str) -> None:
        self.pattern, self.source = pattern, source
        self.asked = len(source) + 1
        self.found: re.Match[str] | None = None

    def at(self, place: int) -> re.Match[str] | None:
        """Find the first match that starts at or after ``place``."""
        if place < self.asked or (self.found is not None and self.found.start() < place):
            self.asked, self.found = place, self.pattern.search(self.source, place)
        return self.found


class Line:
    """One line of markdown and what is known about it."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.known: dict[re.Pattern[str], Next] = {}
        self.ticks: dict[int, list[int]] | None = None
        self.levels: tuple[array[int], array[int], array[int]] | None = None
        self.titles: dict[str, bytearray] = {}
        self.no_tag: set[int] = set()

    def next(self, pattern: re.Pattern[str], place: int) -> re.Match[str] | None:
        """Find the first match of ``pattern`` at or after ``place``."""
        known = self.known.get(pattern)
        if known is None:
            known = self.known[pattern] = Next(pattern, self.source)
        return known.at(place)

    def closing_ticks(self, length: int, place: int) -> int:
        """Find where the next run of exactly ``length`` backticks starts behind ``place``; -1 without one."""
        if self.ticks is None:
            self.ticks = {}
            for run in _TICKS.finditer(self.source):
                self.ticks.setdefault(run.end() - run.start(), []).append(run.start())
        starts = self.ticks.get(length, [])
        index = bisect_right(starts, place)
        return starts[index] if index < len(starts) else -1

    def closing_bracket(self, place: int) -> int:
        """Find where the bracket opened just before ``place`` is closed (behind it); -1 if it is not.

        An escaped bracket does not count, and one behind escaped backslashes counts as opening whatever it is:
        mistune's own reading.
        """
        if self.levels is None:
            self.levels = self._match_brackets()
        starts, ends, closed_by = self.levels
        index = closed_by[bisect_left(starts, place)]
        return ends[index] if index >= 0 else -1

    def _match_brackets(self) -> tuple[array[int], array[int], array[int]]:
        """Find (starts, ends, for each bracket the one that closes what was opened just before it, or -1)."""
        starts, ends, closed_by = array("q"), array("q"), array("q", [-1])
        # Per level the last place that waits to be closed, and for each place the one that waits with it.
        waiting, before = array("q", [0]), array("q", [-1])
        for index, bracket in enumerate(BRACKETS.finditer(self.source)):
            start, end = bracket.span()
            starts.append(start)
            ends.append(end)
            closed_by.append(-1)
            before.append(-1)
            if end - start == 1 and self.source[start] == "]":
                place = waiting.pop()
                while place >= 0:
                    closed_by[place] = index
                    place = before[place]
                before[index + 1] = waiting.pop() if waiting else -1
            waiting.append(index + 1)
        return starts, ends, closed_by

    def tag_end(self, place: int) -> int:
        """Find the end of an opening tag whose name ends at ``place``; -1 if the rest is malformed."""
        walked = []
        while place not in self.no_tag:
            walked.append(place)
            attribute = ATTRIBUTE.match(self.source, place)
            if attribute is None:
                if end := _TAG_END.match(self.source, place):
                    return end.end()
                break
            place = attribute.end()
        self.no_tag.update(walked)
        return -1

    def title_end(self, place: int) -> int:
        """Find the end of the quoted title that starts at ``place``; -1 if it is never closed.

        A backslash escapes the quote, unless no other quote follows that could close the title.
        """
        source, quote = self.source, self.source[place]
        reaches = self.titles.get(quote)
        if reaches is None:
            reaches = self.titles[quote] = self._closable(quote)
        place += 1
        while reaches[place]:
            if source[place] == quote:
                return place + 1
            pair = source[place] == "\\" and source[place + 1 : place + 2] in _PUNCTUATION
            place += 2 if pair and reaches[place + 2] else 1
        return -1

    def _closable(self, quote: str) -> bytearray:
        """Return for each place whether a title that continues from there is closed."""
        source = self.source
        reaches = bytearray(len(source) + 3)
        for place in range(len(source) - 1, -1, -1):
            letter = source[place]
            if letter == quote:
                reaches[place] = 1
            elif letter == "\\" and source[place + 1 : place + 2] in _PUNCTUATION:
                reaches[place] = reaches[place + 2] or reaches[place + 1]
            elif letter != "\0":
                reaches[place] = reaches[place + 1]
        return reaches
