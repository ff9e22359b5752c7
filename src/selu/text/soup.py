"""The part of Beautiful Soup's tree that decides a page's text: open tags, current string, kept strings.

Follows the rules of Beautiful Soup; see NOTICE.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from bs4.dammit import EntitySubstitution

ENTITIES: dict[str, str] = EntitySubstitution.HTML_ENTITY_TO_CHARACTER
_VOID = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "keygen", "link", "menuitem", "meta", "param",
    "source", "track", "wbr", "basefont", "bgsound", "command", "frame", "image", "isindex", "nextid", "spacer",
})  # fmt: skip
RAW_TEXT = frozenset({"script", "style"})
_PRESERVED = frozenset({"pre", "textarea"})
_HIDDEN = frozenset({"rt", "rp", "style", "script", "template"})
_ASCII_SPACES = " \n\t\f\r"


class Soup:
    """The part of Beautiful Soup's tree that decides the text: open tags, current string, kept strings."""

    def __init__(self, masked: Mapping[str, str]) -> None:
        self.masked = masked
        self.kept: list[str] = []
        self.data: list[str] = []
        self.open: list[str] = []
        self.count: Counter[str] = Counter()
        self.preserved = self.hidden = 0
        self.mask_depth = 0  # height of the stack at the outermost masked tag, 0 without one
        self.closed_void: Counter[str] = Counter()

    def flush(self, *, visible: bool | None = None) -> None:
        """End the string being read. Blank ones shrink to one character; some kinds are not text."""
        if not self.data:
            return
        text = "".join(self.data)
        self.data = []
        if not self.preserved and not text.strip(_ASCII_SPACES):
            text = "\n" if "\n" in text else " "
        if not self.mask_depth and (not self.hidden if visible is None else visible):
            self.kept.append(text)

    def node(self, text: str, *, visible: bool) -> None:
        """Add a node of its own: a comment, declaration, instruction (invisible), a CDATA section (visible)."""
        self.flush()
        self.data.append(text)
        self.flush(visible=visible)

    def start(self, name: str, *, closed: bool) -> None:
        """Handle a start tag; ``closed`` if it ends in a slash."""
        self.flush()
        self.open.append(name)
        self.count[name] += 1
        self.preserved += name in _PRESERVED
        self.hidden += name in _HIDDEN
        if name in self.masked and not self.mask_depth:
            self.kept.append(self.masked[name])
            self.mask_depth = len(self.open)
        if closed:
            self.end(name)
        elif name in _VOID:
            self.flush()
            self._pop_to(name)
            self.closed_void[name] += 1

    def end(self, name: str) -> None:
        """Close up to the nearest open tag of an end tag's name, unless owed to an earlier void tag."""
        if self.closed_void[name]:
            self.closed_void[name] -= 1
            return
        self.flush()
        self._pop_to(name)

    def _pop_to(self, name: str) -> None:
        if not self.count[name]:
            return
        while True:
            popped = self.open.pop()
            self.count[popped] -= 1
            self.preserved -= popped in _PRESERVED
            self.hidden -= popped in _HIDDEN
            if len(self.open) < self.mask_depth:
                self.mask_depth = 0
            if popped == name:
                return


def decode_character(name: str) -> str:
    """Decode a numeric reference; below 256 it is read as windows-1252.

    Raises:
        ValueError: more decimal digits than Python converts.
    """
    number = int(name[1:], 16) if name[0] in "xX" else int(name)
    if number < 256:
        try:
            return bytes([number]).decode("windows-1252")
        except UnicodeDecodeError:
            return chr(number)
    try:
        return chr(number)
    except (ValueError, OverflowError):
        return "\ufffd"
