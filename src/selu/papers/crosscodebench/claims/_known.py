"""Shared by the claims: weights, kinds, and the wording of counts and lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from selu.papers.claims import portion as portion  # read from here by the claims
from selu.papers.crosscodebench.material import Column, Material

CONCLUSION, METHOD, DETAIL = "conclusion", "method", "detail"
IMPLIED, CHECK = "implied", "our check"


def besides(names: Sequence[str]) -> str:
    """Return what is not as stated, to end a sentence with; empty if all is."""
    return f"; not so: {', '.join(names)}" if names else ""


def named(columns: Iterable[Column]) -> str:
    """List columns of Table 5, each as split and metric."""
    return ", ".join(f"{split} ({metric})" for split, metric in columns) or "none"


def counted(paper: Material, better: Sequence[tuple[str, str]]) -> tuple[int, int]:
    """Count how often the first row of a pair has the higher score, and how many comparisons there are."""
    wins = [
        paper.score(higher, column) > paper.score(lower, column)
        for higher, lower in better
        for column in paper.columns
    ]
    return sum(wins), len(wins)
