"""The paper's four tiers, and the Bayesian test on the pairs between them (V-A, Figure 5)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps

from selu.papers.claims import Check, finding, listed, rounding
from selu.papers.selu.claims._large_group import LOW, large_group, published_mean
from selu.papers.selu.claims._systems import LEADING_SERIES, error
from selu.papers.selu.material import Material
from selu.stats.tiers import separated
from selu.vocabulary import Caveat, Finding

TIER3_LOW = 0.645  # mean that V-A gives for the lower of tier 3's two members


def named_tiers(paper: Material) -> tuple[list[str], list[str], list[str], list[str]]:
    """Return the paper's tiers by the printed means and the systems' records, each in rank order.

    1: GPT-2 and Llama 3.2. 2: the other fine-tuned models from .709 up. 3: from .645 up to that. 4: the rest.
    """
    group = large_group(paper)
    first = [name for name in group if paper.system(name).series in LEADING_SERIES]
    second = [name for name in group if name not in first]
    below = [name for name in paper.order if name not in group]
    third = [name for name in below if TIER3_LOW <= published_mean(paper, name) < LOW]
    return first, second, third, [name for name in below if name not in third]


def with_tiers(check: Check) -> Check:
    """Return a check that fails with a reason where altered printed means leave no tiers to compare."""

    @wraps(check)
    def guarded(paper: Material) -> Finding:
        sizes = [len(names) for names in named_tiers(paper)]
        if min(sizes) < 2:
            numbers = listed(str(n) for n in sizes)
            return finding(
                False, f"The published means leave {numbers} systems in the four tiers.", sizes=sizes
            )
        return check(paper)

    return guarded


def decided_pairs(paper: Material, upper: list[str], lower: list[str]) -> tuple[int, int]:
    """Return pairs with the upper system as the clear winner, and all pairs."""
    place = {name: i for i, name in enumerate(paper.order)}
    table = paper.decisions.to_numpy()
    return separated(table, [place[name] for name in upper], [place[name] for name in lower])


def near_threshold(paper: Material, upper: list[str], lower: list[str]) -> dict[str, list[float]]:
    """Return pairs within three Monte-Carlo errors of the threshold, with the probability and its error."""
    p = paper.chances(upper, lower)
    close = {pair: v for pair, v in p.items() if abs(v - paper.settings.threshold) < 3 * error(paper, v)}
    return {pair_name(paper, pair): [value, error(paper, value)] for pair, value in close.items()}


def pair_name(paper: Material, pair: tuple[str, str]) -> str:
    """Return a pair for a sentence, the first system over the second."""
    return f"{paper.system(pair[0]).name} over {paper.system(pair[1]).name}"


def by_name(paper: Material, p: Mapping[tuple[str, str], float]) -> Mapping[str, float]:
    """Return numbers of pairs under the pairs' names."""
    return {pair_name(paper, pair): value for pair, value in p.items()}


def decided_range(paper: Material, upper: list[str], lower: list[str]) -> tuple[int, int]:
    """Return pairs that the upper system clearly wins, at least and at most, by three Monte-Carlo errors."""
    near = near_threshold(paper, upper, lower)
    above = sum(p >= paper.settings.threshold for p, _ in near.values())
    wins, _ = decided_pairs(paper, upper, lower)
    return wins - above, wins + len(near) - above


def chance_of(near: Mapping[str, list[float]]) -> list[Caveat]:
    """Return the caveat on pairs near the threshold, if there are any."""
    return [rounding(f"Within three Monte-Carlo errors of the threshold: {hangs_on(near)}.")] if near else []


def hangs_on(near: Mapping[str, list[float]]) -> str:
    """Return pairs near the threshold, each with its probability and Monte-Carlo error, for a sentence."""
    return listed(f"{name} ({p:.4f} ± {error:.4f})" for name, (p, error) in near.items())
