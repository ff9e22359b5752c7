"""The fine-tuned models behind the two leading series, and which of them the test finds worse."""

from __future__ import annotations

from collections.abc import Mapping

from selu.papers.claims import listed
from selu.papers.selu.claims._large_group import large_group
from selu.papers.selu.claims._systems import LEADING_SERIES, error, finetuned, name_of
from selu.papers.selu.material import Material


def shown(values: Mapping[str, str]) -> str:
    """Return systems with their probabilities for a sentence."""
    return listed(f"{name} ({value})" for name, value in values.items())


def followers(paper: Material) -> list[str]:
    """Return fine-tuned systems outside the two leading series, in rank order."""
    return [name for name in finetuned(paper) if paper.system(name).series not in LEADING_SERIES]


def near_the_top(paper: Material) -> list[str]:
    """List followers in V-A's large group, whose means are published as .709 and more."""
    return [name for name in large_group(paper) if paper.system(name).series not in LEADING_SERIES]


def lost_to(paper: Material, winner: str, names: list[str]) -> Mapping[str, str]:
    """Return the names that the test finds worse, or might within three Monte-Carlo errors: P and its error."""
    p = {name: paper.p_better(winner, name) for name in names if name != winner}
    return {
        name_of(paper, name): f"{value:.3f} ± {error(paper, value):.4f}"
        for name, value in p.items()
        if value + 3 * error(paper, value) >= paper.settings.threshold
    }
