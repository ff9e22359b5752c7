"""The effect of the authors' order on one text, compared with `sound`: counts that sum over a task."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from selu.text import masks

KINDS = ("CODE", "HASH", "URL", "USER")
_MASK = re.compile(r"\[(?:CODE|HASH|URL|USER)\]")
_WORD = re.compile(r"\w+")
_LINK = re.compile(r"(?<!!)\[([^\[\]\n]+)\]\((?:https?://|/|#|\.)[^()\s]*\)")
_HEADING = re.compile(r"\s*#{1,6}[ \t]")
_AFTER_ADDRESS = ".,;:!?'*_~`]}"


def words(text: str) -> Counter[str]:
    """Count the words of a text, masks left out."""
    return Counter(_WORD.findall(_MASK.sub(" ", text)))


def _eaten(raw: str) -> int:
    """Count characters behind an address that the authors' URL mask takes for its part, as ``.,;:!?``."""
    found = (match[0] for match in masks.URL.finditer(raw))
    return sum(len(address) - len(address.rstrip(_AFTER_ADDRESS)) for address in found)


def damage(raw: str, paper: str, sound: str) -> Mapping[str, int]:
    """Count what cleaning does to one text; every count may be summed over texts.

    Args:
        raw: the text as published.
        paper, sound: what the two pipelines made of it.

    Returns:
        texts: 1.
        changed_paper, changed_sound: 1 where the pipeline changed more than whitespace.
        differ: 1 where the two pipelines' texts differ.
        emptied_by_paper, emptied_by_sound: 1 where the raw text is not blank and the pipeline's is.
        words_lost: words of `sound` that `paper` lacks, counted with their repetitions.
        words_left: words of `paper` that `sound` lacks: markup read as text, and comments, scripts or code.
        link_words_lost: of the words of ``[text](address)`` links in the raw text, those that `sound` has
            and `paper` lacks.
        heading_swallowed: 1 where the raw text starts with a ``#`` heading and goes on behind its line: with
            the line ends gone the whole text is the heading.
        address_tails: characters ``.,;:!?'*_~`]}`` at the end of an address, in the raw text, that the
            authors' URL pattern masks along.
        code_paper, hash_paper, url_paper, user_paper, code_sound, hash_sound, url_sound, user_sound: masks.
    """
    counts = {
        "texts": 1,
        "changed_paper": int(" ".join(raw.split()) != paper),
        "changed_sound": int(" ".join(raw.split()) != sound),
        "differ": int(paper != sound),
        "emptied_by_paper": int(bool(raw.strip()) and not paper.strip()),
        "emptied_by_sound": int(bool(raw.strip()) and not sound.strip()),
    }
    in_paper, in_sound = words(paper), words(sound)
    lost = in_sound - in_paper
    counts["words_lost"] = lost.total()
    counts["words_left"] = (in_paper - in_sound).total()
    in_links = Counter(word for text in _LINK.findall(raw) for word in _WORD.findall(text))
    counts["link_words_lost"] = (in_links & lost).total()
    first, _, rest = raw.lstrip().partition("\n")
    counts["heading_swallowed"] = int(bool(_HEADING.match(first)) and bool(rest.strip()))
    counts["address_tails"] = _eaten(raw)
    for name, text in (("paper", paper), ("sound", sound)):
        for kind in KINDS:
            counts[f"{kind.lower()}_{name}"] = text.count(f"[{kind}]")
    return counts
