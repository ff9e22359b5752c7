"""Which issues and pull requests a text names, by the four patterns of section 3.2.1.

The whole address, ``#12``, ``GH-12`` or ``gh-12``, and ``owner/name#12``. The text is gone through once, from
mark to mark (``#``, ``GH-``, ``://``), and around each mark at most ``WINDOW`` characters are looked at: the
time grows with the length of the text and with nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple

from selu.papers.faun_eval.pipeline.records import Place, Thread

WINDOW = 160  # characters: an owner has at most 39, a repository at most 100
_MARK = re.compile(r"#(?=[1-9])|(?:GH|gh)-(?=[1-9])|://(?=(?:www\.)?github\.com/)")
_NUMBER = re.compile(r"[1-9][0-9]{0,8}(?![0-9A-Za-z_])")
_OWNER = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})"
_NAME = r"[A-Za-z0-9_.-]{1,100}"
_BEFORE = re.compile(rf"(?<![A-Za-z0-9_./-])({_OWNER})/({_NAME})\Z")
_ADDRESS = re.compile(
    rf"://(?:www\.)?github\.com/({_OWNER})/({_NAME})/(?:issues|pull)/([1-9][0-9]{{0,8}})(?![0-9A-Za-z_])"
)
_WORD = re.compile(r"[A-Za-z0-9_]")


class Reference(NamedTuple):
    """A named issue or pull request, and where in the text its name begins."""

    place: Place
    start: int


def find(text: str, repository: str) -> Iterator[Reference]:
    """Find all that a text of a repository (OWNER/NAME) names, in their order, as often as it does."""
    for mark in _MARK.finditer(text):
        if found := _at(text, mark.start(), mark[0], repository.lower()):
            yield found


def _at(text: str, at: int, mark: str, here: str) -> Reference | None:
    """Read the text around a mark."""
    if mark == "://":
        return _address(text, at)
    before = text[max(0, at - WINDOW) : at]
    number = _NUMBER.match(text, at + len(mark), at + len(mark) + 12)
    if number is None:
        return None
    if mark != "#":
        if before and (_WORD.match(before[-1]) or before[-1] in "-/."):
            return None
        return Reference(Place(here, int(number[0])), at)
    if full := _BEFORE.search(before):
        start = at - len(before) + full.start()
        if before[: full.start()].endswith("://"):
            return None
        place = Place(f"{full[1]}/{full[2]}".lower(), int(number[0]))
        return Reference(place, start)
    if before and (_WORD.match(before[-1]) or before[-1] in "&#/.-"):
        return None
    return Reference(Place(here, int(number[0])), at)


def _address(text: str, at: int) -> Reference | None:
    scheme = next((name for name in ("https", "http") if text.endswith(name, max(0, at - 5), at)), "")
    found = _ADDRESS.match(text, at, at + 2 * WINDOW)
    start = at - len(scheme)
    if not scheme or found is None or (start and _WORD.match(text[start - 1])):
        return None
    return Reference(Place(f"{found[1]}/{found[2]}".lower(), int(found[3])), start)


def named(entry: Thread) -> list[Place]:
    """List what an entry's text names, each once in the order of the first time, itself left out."""
    found = dict.fromkeys(reference.place for reference in find(entry.text, entry.place.repository))
    return [place for place in found if place != entry.place]


@dataclass(frozen=True, slots=True)
class Checked:
    """What an entry names: confirmed by GitHub's cross-references, not confirmed, or not known there."""

    confirmed: tuple[Place, ...]
    refused: tuple[Place, ...]
    unknown: tuple[Place, ...]


def check(entry: Thread, sources: Mapping[Place, Set[Place]]) -> Checked:
    """Keep what an entry names where the cross-references to it hold the entry (Algorithm 1).

    Args:
        sources: of each issue and pull request of which they are known, those that refer to it.
    """
    found = named(entry)
    known = [place for place in found if place in sources]
    return Checked(
        tuple(place for place in known if entry.place in sources[place]),
        tuple(place for place in known if entry.place not in sources[place]),
        tuple(place for place in found if place not in sources),
    )


def sources_of(entries: Iterable[Thread]) -> Mapping[Place, Set[Place]]:
    """Return the cross-references of the entries that have them."""
    return {entry.place: entry.sources for entry in entries if entry.sources is not None}
