"""Shared by the claims: weights and kinds, lists of names, and checks of averages and changes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from selu.papers.claims import listed, rounding
from selu.papers.claims import portion as portion  # read from here by the claims
from selu.papers.faun_eval.material import Material
from selu.vocabulary import Caveat

CONCLUSION, METHOD, DETAIL = "conclusion", "method", "detail"
OURS = "our check"
QA_SET, FIX_SET = "FAUN-Eval-QA", "FAUN-Eval-fix"
TOP = 3


def names(paper: Material, section: str, what: str) -> list[str]:
    """Split a list of the text at its commas and at 'and'."""
    return [name for name in re.split(r", and |, | and ", paper.published("text", section, what)) if name]


def all_but(wrong: Sequence[str], count: int, what: str) -> str:
    """State for how many of all it is true, and name those for which it is not."""
    return f"{portion(count - len(wrong), count)} {what}.{f' Not so: {listed(wrong)}.' if wrong else ''}"


def placed(scores: Mapping[str, float], model: str) -> int:
    """Return a model's place by score, 1 for the best; equal ones share the better place."""
    return 1 + sum(score > scores[model] for score in scores.values())


def joined_scores(values: Mapping[str, float]) -> str:
    """Join scores for a sentence."""
    return ", ".join(f"{name} {value:.4f}" for name, value in values.items())


def changes(values: Mapping[str, float]) -> str:
    """Join changes in percent for a sentence."""
    return ", ".join(f"{name} {value:+.2f} %" for name, value in values.items())


def is_mean_of(average: str, scores: Sequence[str]) -> bool:
    """Return whether a published average is the mean of the published scores at its digits, without ties."""
    published = Decimal(average)
    mean = sum(map(Decimal, scores), Decimal(0)) / len(scores)
    half = Decimal(1).scaleb(int(published.as_tuple().exponent)) / 2
    return abs(mean - published) < half


def only_rounded(names: Sequence[str]) -> Caveat | None:
    """Name the averages that only the rounding of their scores explains."""
    return rounding(f"Only the rounding of the scores explains {listed(names)}.") if names else None


def without(paper: Material, metric: str, part: str) -> Mapping[str, float]:
    """Return of each model of Table 5 how a score changes without a part of the input, in percent.

    Models that score 0 on the full input are left out.
    """
    row = paper.without(metric, part)
    found = {model: paper.change(row, model) for model in paper.ablated}
    return {model: change for model, change in found.items() if change == change}
