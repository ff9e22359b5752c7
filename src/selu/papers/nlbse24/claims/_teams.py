"""Teams of Table 1 that several claims name, and what they share on their margins."""

from __future__ import annotations

from selu.papers.claims import rounding
from selu.papers.nlbse24.material import Material

FIRST = "Ebrahim and Joy"
SETFIT = "Kallis and Colavito"
OPEN = rounding("The digits that Table 1 leaves out could turn this.")


def spread_of_setfit(paper: Material) -> float:
    """State how far apart the two published runs of the SetFit baseline are, in average F1."""
    runs = [
        paper.number("baselines", f"{run}/overall/average", "f1") for run in ("setfit_readme", "setfit_output")
    ]
    return abs(runs[0] - runs[1])
