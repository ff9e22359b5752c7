"""A standalone page that sets raw, `paper` and `sound` side by side, changed words marked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from html import escape

#: Longest part of a text that is shown, in characters: a report is for reading.
SHOWN = 4_000

# Marks differ in line style as well as in colour (blue and orange of Okabe and Ito), so neither sight nor print
# decides whether they can be told apart.
_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 96rem; padding: 1rem; }
section { border-top: 1px solid #8888; padding: .5rem 0 1rem; }
.texts { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); }
h3 { font-size: .9rem; margin: .25rem 0; }
.text { overflow-wrap: anywhere; white-space: pre-wrap; }
del, ins { border-radius: 2px; color: inherit; padding: 0 .1em; }
del { background: #e69f0055; text-decoration: line-through 2px #e69f00; }
ins { background: #56b4e955; text-decoration: underline 2px #0072b2; }
"""
_PIECE = re.compile(r"(\s*)(\[(?:CODE|HASH|URL|USER)\]|\w+|[^\w\s])")


def _shown(text: str) -> str:
    text = text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    return text if len(text) <= SHOWN else text[:SHOWN] + " …"


def _marked(text: str, other: str, tag: str) -> str:
    """Write ``text`` as HTML, what ``other`` lacks in ``tag``."""
    pieces = _PIECE.findall(text)
    here, there = [word for _, word in pieces], [word for _, word in _PIECE.findall(other)]
    parts: list[str] = []
    for kind, first, after, _, _ in SequenceMatcher(None, here, there, autojunk=False).get_opcodes():
        run = "".join(space + word for space, word in pieces[first:after])
        body = escape(run.lstrip())
        space = run[: len(run) - len(run.lstrip())]
        parts.append(space + (body if kind == "equal" or not body else f"<{tag}>{body}</{tag}>"))
    return "".join(parts)


def _sample(name: str, raw: str, paper: str, sound: str) -> str:
    raw, paper, sound = _shown(raw), _shown(paper), _shown(sound)
    columns = (
        ("raw", escape(raw)),
        ("paper: struck through what sound lacks", _marked(paper, sound, "del")),
        ("sound: underlined what paper lacks", _marked(sound, paper, "ins")),
    )
    texts = "".join(f'<div><h3>{head}</h3><div class="text">{body}</div></div>' for head, body in columns)
    return f'<section><h2>{escape(_shown(name))}</h2><div class="texts">{texts}</div></section>\n'


def report(samples: Iterable[tuple[str, str, str, str]], title: str) -> str:
    """Render the page, one file that loads nothing else, readable on a phone.

    Args:
        samples: (name, raw, paper, sound) of each text; longer ones are cut at `SHOWN` characters.
        title: what the page is headed with.
    """
    body = "".join(_sample(*sample) for sample in samples) or "<p>No texts.</p>\n"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n"
        "<p>Words of <em>paper</em> that <em>sound</em> lacks are <del>struck through</del>; "
        "words of <em>sound</em> that <em>paper</em> lacks are <ins>underlined</ins>.</p>\n"
        f"{body}</body>\n</html>\n"
    )
