"""The authors' masks and Jira substitutions, with the results of their own program in linear time.

Source: `utils/preprocessing_steps.py` and `utils/preprocessors.py` of the authors' package (commit bf7c177);
tests hold these to that program step by step, with its libraries.

Every function takes a text without line feeds where it says so: in `paper` whitespace is collapsed first.
"""

from __future__ import annotations

import re
from collections.abc import Callable

# The authors' patterns, as facts: a mask is defined by nothing else.
CODE = re.compile(r"```[\s\S]*?```")
HASH = re.compile(r"\b[a-fA-F0-9]{40}\b")
URL = re.compile(r'https?:\s*//(?:[-\w.]|(?:%[\da-fA-F]{2}))+(/[^\s"()]*)?')
USER = re.compile(r"(?<![@\w])@(\w{1,38})")

# Looking for 40 digits in a row among bytes of two kinds costs a tenth of the pattern.
_HEXADECIMAL = bytes(ord("0") if chr(code) in "0123456789abcdefABCDEF" else 32 for code in range(256))
_FORTY = b"0" * 40


def mask_code(text: str) -> str:
    """Replace text between two fences of three backticks by [CODE]."""
    return CODE.sub("[CODE]", text) if "```" in text else text


def mask_hash(text: str) -> str:
    """Replace 40 hexadecimal digits between word bounds by [HASH]."""
    if _FORTY not in text.encode("utf-8", "surrogatepass").translate(_HEXADECIMAL):
        return text
    return HASH.sub("[HASH]", text)


def mask_url(text: str) -> str:
    """Replace http and https addresses by [URL]."""
    return URL.sub("[URL]", text) if "http" in text else text


def mask_user(text: str) -> str:
    """Replace mentions by [USER]."""
    return USER.sub("[USER]", text) if "@" in text else text


def between(text: str, opening: str, closing: str, render: Callable[[str], str]) -> str:
    """Replace every ``opening ... closing`` (leftmost, shortest) by what ``render`` makes of its inside."""
    parts: list[str] = []
    done = 0
    while (start := text.find(opening, done)) >= 0:
        inner = start + len(opening)
        end = text.find(closing, inner)
        if end < 0:  # no later opening can be closed either
            break
        parts += (text[done:start], render(text[inner:end]))
        done = end + len(closing)
    return "".join((*parts, text[done:])) if parts else text


def _links(text: str) -> str:
    """Convert ``[text|address]`` to ``[text](address)``; the first bar and the first bracket after it count."""
    parts: list[str] = []
    done = 0
    while (start := text.find("[", done)) >= 0:
        bar = text.find("|", start + 1)
        end = text.find("]", bar + 1) if bar >= 0 else -1
        if end < 0:
            break
        parts += (text[done:start], "[", text[start + 1 : bar], "](", text[bar + 1 : end], ")")
        done = end + 1
    return "".join((*parts, text[done:])) if parts else text


_HEADING = re.compile(r"h([1-6])\.")


def convert_jira(text: str) -> str:
    """Apply the authors' ten substitutions of Jira markup to a text without line feeds."""
    text = between(text, "*", "*", lambda inside: f"**{inside}**")
    text = between(text, "_", "_", lambda inside: f"*{inside}*")
    text = between(text, "{{", "}}", lambda inside: f"`{inside}`")
    if found := _HEADING.search(text):
        text = text[: found.start()] + "#" * int(found[1]) + text[found.end() :]
    for marker, item in (("*", "-"), ("#", "1.")):
        stripped = text.lstrip()
        if stripped.startswith(marker):
            text = item + stripped[1:]
    text = between(text, "{quote}", "{quote}", lambda inside: "> " + inside)
    text = _links(text)
    text = between(text, "{code}", "{code}", lambda inside: f"```{inside}```")
    return between(text, "{noformat}", "{noformat}", lambda inside: f"```{inside}```")
