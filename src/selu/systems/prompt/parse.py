"""The meaning of a reply: its answer, or the reason why there is none (SELU section IV-C).

The paper validates replies with regular expressions, counts invalid ones as errors and logs their rates, but
does not print the expressions. ``parse`` is ours: the whole reply has to be an answer, with nothing beside it
but dressing. Dressing is, in up to eight layers:

- white space, a code fence, a pair of quotation marks, backticks, asterisks or underscores, a final full stop;
- one of the frames "label: X", "**label:** X", "the label is X", where for "label" stands a word of ``_NOUN``,
  and before it may stand "the" or "my" and a word such as "final";
- around each of several labels, a bullet ("-", "*", "1.") and the same dressing again.

Labels are distinguished whatever their case, with a run of white space, underscores and hyphens as one space.
Several stand between commas, semicolons or line ends; empty places count nothing, "and" separates nothing.
A number is one as JSON writes it, or with a plus sign or leading zeros, and perhaps "points" or "story points"
behind; whether it lies in the task's range is not asked. All else is invalid: sentences, explanations, ranges.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from selu.metrics.checks import INVALID
from selu.metrics.regression import LARGEST

KINDS = ("binary", "multi_class", "multi_label", "regression")
LONGEST = 2000  # characters: no answer is longer, however dressed, so that nothing slow is done with more

Answer = int | list[int] | float

_LAYERS = 8  # of dressing
_NONE = -1  # means the answer that no label applies
_SAME = ("**", "*", "__", "_", "`", '"', "'")
_PAIRS = (*((mark, mark) for mark in _SAME), ("“", "”"), ("‘", "’"), ("«", "»"))
_FENCE = "```"
_LANGUAGES = ("", "text", "txt", "plaintext", "plain", "json", "markdown", "md")  # of a code fence
_NOUN = (
    "(?:labels?|class(?:es)?|categor(?:y|ies)|classification|type|answer|prediction|output|result"
    "|(?:story )?points?|(?:story points? )?(?:estimate|estimation))"
)
_WHICH = "(?:final|correct|best|most likely|predicted|estimated|applicable)"
_FRAME = re.compile(
    rf"(?P<mark>\*\*|__|\*|_|)(?:(?:the|my) )?(?:{_WHICH} )?{_NOUN}"
    r"""(?:(?P=mark) ?:|: ?(?P=mark)| (?:is|are):?(?P=mark)(?=[\s"'`“‘«*_]))""",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\A(?:[-–*+•]|[0-9]{1,2}[.)]) ")
_BLANK = re.compile(r"[^\S\n]+")
_GAP = re.compile(r"[\s_\-\u2010\u2011\u2013]+")
_BETWEEN = re.compile(r"[,;\n]")
_JOINT = re.compile(r"[,;\n/|&]|\b(?:and|or|vs)\b", re.IGNORECASE)
_NUMBER = re.compile(r"([+-]?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)(?: ?(?:story )?points?)?", re.IGNORECASE)
_HEAD = 200  # characters that show whether a text declines
_DECLINES = re.compile(
    r"""["'`*_“‘«]*(?:"""
    r"(?:i'm |i am |we're |we are )?(?:so |very |truly )?sorry\b|(?:i|we) apologi|my apologies\b"
    r"|(?:unfortunately,? )?(?:"
    r"as an? (?:ai|artificial intelligence|(?:large )?language model)\b"
    r"|(?:i|we) (?:can't|cannot|can not|couldn't|could not|won't|will not|wouldn't|would not|refuse\b|decline\b"
    r"|(?:must|have to) decline\b|(?:don't|do not) (?:have enough|feel comfortable)\b)"
    r"|(?:i'm|i am|we're|we are) (?:unable|not (?:able|allowed|comfortable))\b))"
)


class Reason(StrEnum):
    """Why a reply holds no valid answer."""

    EMPTY = "empty"
    REFUSAL = "refusal"
    SEVERAL = "several labels"
    OUTSIDE = "outside the set"
    NOT_A_NUMBER = "not a number"
    TRUNCATED = "truncated"
    MISSING = "no reply"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A valid answer, or the reason why there is none: exactly one of the two is None.

    Attributes:
        answer: label index; for several labels zeros and ones, one per label; or a number.

    Raises:
        ValueError: both or none are given.
    """

    answer: Answer | None
    reason: Reason | None

    def __post_init__(self) -> None:
        if (self.answer is None) == (self.reason is None):
            raise ValueError(f"an outcome is an answer or a reason, not {self.answer!r} and {self.reason!r}")


def parse(
    reply: str | None, kind: str, labels: Sequence[str], cut: bool = False, refused: bool = False
) -> Outcome:
    """Read what a reply means under protocol ``strict``; the grammar is above.

    The same label twice is one label. ``none`` means that no label of several applies, unless one is called so;
    beside labels it contradicts them and counts as ``SEVERAL``. A text that begins as refusals do counts as
    ``REFUSAL``, whatever was asked. What is longer than ``LONGEST`` holds no valid answer.

    Args:
        reply: text of the reply, or None where there is none.
        kind: one of ``KINDS``.
        labels: names in index order; not read for a number.
        cut: the reply ended for its limit of tokens. It is never valid then, whole as it may look: "functional"
            may have been about to go on with "is not what I would call this", "1" with "3".
        refused: the provider says that the model or a filter refused. It comes before all else.

    Raises:
        ValueError: another kind, no labels, or one that even a reply of nothing else would not be read as.
    """
    names = _names(kind, tuple(labels))
    if refused:
        return Outcome(None, Reason.REFUSAL)
    if reply is None:
        return Outcome(None, Reason.MISSING)
    if cut:
        return Outcome(None, Reason.TRUNCATED)
    text = reply.strip()
    found = _read(text, kind, len(labels), names) if len(text) <= LONGEST else _otherwise(text, kind)
    return Outcome(None, found) if isinstance(found, Reason) else Outcome(found, None)


def stored(outcome: Outcome, kind: str, labels: Sequence[str]) -> Answer:
    """Write an outcome as predictions keep it: metrics take -1, a row of -1, or NaN for an invalid answer.

    Raises:
        ValueError: as ``parse``.
    """
    _names(kind, tuple(labels))
    if outcome.answer is not None:
        return outcome.answer
    if kind == "regression":
        return math.nan
    return [INVALID] * len(labels) if kind == "multi_label" else INVALID


def as_authors(reply: str | None, kind: str, labels: Sequence[str]) -> Answer | None:
    """Read what a reply means under protocol ``paper``, as the authors' preprint scripts do.

    A label is given if its name is part of the lower-cased reply. Known of the scripts is that much, and that
    missing replies are dropped, invalid numbers become 0 and invalid answers of several labels no label at all.
    Not known, and decided here:

    - Of several classes that occur the first declared counts, but none whose name is part of another's that
      occurs: taking plainly the first would read every "non-technical" as "technical", and the scores that the
      preprint's package has for tone_bearing (.563, .569) are not those of one answer to everything.
    - No class at all is an error (-1), as the paper counts invalid replies.
    - A number is what Python's ``float`` takes whole; one that metrics take for invalid becomes 0.

    Returns:
        an answer in the form of ``stored``, or None where the row is dropped.

    Raises:
        ValueError: as ``parse``.
    """
    _names(kind, tuple(labels))
    if reply is None:
        return None
    if kind == "regression":
        return _float(reply)
    text, names = reply.lower(), [label.lower() for label in labels]
    occur = [index for index, name in enumerate(names) if name in text]
    if kind == "multi_label":
        return [int(index in occur) for index in range(len(names))]
    for index in occur:
        if not any(names[index] in names[other] for other in occur if other != index):
            return index
    return INVALID


@lru_cache(maxsize=64)
def _names(kind: str, labels: tuple[str, ...]) -> Mapping[str, int]:
    """Index of each label by its folded name, and of ``none`` where it is an answer."""
    if kind not in KINDS:
        raise ValueError(f"replies to a task of kind '{kind}' can't be read: choose one of {', '.join(KINDS)}")
    if kind == "regression":
        return {}
    if not labels:
        raise ValueError("replies can't be read without labels")
    found = {_folded(label.strip()): index for index, label in enumerate(labels)}
    for index, label in enumerate(labels):
        if _listed(_bare(label), _BETWEEN, found) != {index}:
            raise ValueError(f"label {label!r} would not be read back: it is like another, a list, or dressed")
    if kind == "multi_label":
        found.setdefault("none", _NONE)
    return found


def _folded(name: str) -> str:
    return _GAP.sub(" ", name.casefold())


def _read(text: str, kind: str, count: int, names: Mapping[str, int]) -> Answer | Reason:
    bare = _bare(_BLANK.sub(" ", text))
    if kind == "regression":
        found: Answer | Reason | None = _number(bare)
    elif kind == "multi_label":
        found = _several(bare, count, names)
    else:
        found = _single(bare, names)
    if found is not None:
        return found
    return _otherwise(bare, kind) if bare else Reason.EMPTY


def _otherwise(text: str, kind: str) -> Reason:
    """Return why a text is not an answer if its form does not show it."""
    if _DECLINES.match(" ".join(text[:_HEAD].replace("’", "'").casefold().split())):
        return Reason.REFUSAL
    return Reason.NOT_A_NUMBER if kind == "regression" else Reason.OUTSIDE


def _number(bare: str) -> float | None:
    found = _NUMBER.fullmatch(bare)
    value = float(found[1]) if found else math.inf
    return value if abs(value) <= LARGEST else None


def _single(bare: str, names: Mapping[str, int]) -> int | Reason | None:
    found = _listed(bare, _BETWEEN, names)
    if found is None:
        found = _listed(bare, _JOINT, names)
        return Reason.SEVERAL if found and len(found) > 1 else None
    return found.pop() if len(found) == 1 else Reason.SEVERAL


def _several(bare: str, count: int, names: Mapping[str, int]) -> list[int] | Reason | None:
    found = _listed(bare, _BETWEEN, names)
    if found is not None and _NONE in found and len(found) > 1:
        return Reason.SEVERAL
    return None if found is None else [int(index in found) for index in range(count)]


def _listed(bare: str, between: re.Pattern[str], names: Mapping[str, int]) -> set[int] | None:
    """Return the indices of the labels that a text lists; None if it lists nothing or anything else, too."""
    found = set()
    for item in between.split(bare):
        if name := _bare(_BULLET.sub("", item.strip())):
            index = names.get(_folded(name))
            if index is None:
                return None
            found.add(index)
    return found or None


def _bare(text: str) -> str:
    """Strip all formatting around a text."""
    for _ in range(_LAYERS):
        inner = _peeled(text).strip()
        if inner == text:
            break
        text = inner
    return text


def _peeled(text: str) -> str:
    """Strip the outermost layer of a text, unless its mark occurs inside, too, and so may belong to others."""
    if len(text) > 5 and text.startswith(_FENCE) and text.endswith(_FENCE) and text.count(_FENCE) == 2:
        first, end, rest = text[3:-3].partition("\n")
        return rest if end and first.strip() in _LANGUAGES else text[3:-3]
    for left, right in _PAIRS:
        if text.startswith(left) and text.endswith(right):
            inside = text[len(left) : -len(right)]
            if len(text) >= len(left) + len(right) and left not in inside and right not in inside:
                return inside
    if text.endswith(".") and not text.endswith(".."):  # dots say that more was to come
        return text[:-1]
    frame = _FRAME.match(text)
    return text[frame.end() :] if frame else text


def _float(reply: str) -> float:
    try:
        value = float(reply)
    except ValueError:
        return 0.0
    return value if abs(value) <= LARGEST else 0.0
