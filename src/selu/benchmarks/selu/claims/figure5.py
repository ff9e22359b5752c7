"""The posterior matrices as a whole (V-A, Figure 5)."""

from __future__ import annotations

from itertools import combinations, pairwise

from selu.benchmarks.claims import claim, finding, listed, noted, percent
from selu.benchmarks.selu.claims._systems import error
from selu.benchmarks.selu.claims._tiers import decided_pairs, named_tiers, near_threshold, with_tiers
from selu.benchmarks.selu.material import Material
from selu.stats.compare import EQUAL
from selu.stats.tiers import tiers
from selu.vocabulary import Finding


@claim("C071", "V-A, Figure 5 (implied)", "The test finds pairs of systems that are practically equivalent.")
def some_pairs_are_equivalent(m: Material) -> Finding:
    """At least one pair with P(equal) at the threshold; fewer than one in a hundred pairs is a caveat."""
    p = {(a, b): m.p_equal(a, b) for a, b in combinations(m.order, 2)}
    found = [(a, b) for a, b in p if str(m.decisions.loc[a, b]) == EQUAL]
    top = sorted(p, key=lambda pair: -p[pair])[:5]
    shown = {f"{m.system(a).name} and {m.system(b).name}": p[a, b] for a, b in top}
    near = [pair for pair in p if abs(p[pair] - m.knobs.threshold) < 3 * error(m, p[pair])]
    caveat = (
        f"That is {percent(len(found) / len(p))} of the pairs; within three Monte-Carlo errors of the "
        f"threshold: {len(near)}."
    )
    return finding(
        bool(found),
        f"{len(found)} of {len(p)} pairs are decided as equivalent; the highest probabilities are "
        f"{listed(f'{percent(value)} ({name})' for name, value in list(shown.items())[:3])}.",
        caveat=caveat if len(found) < len(p) / 100 else None,
        equivalent=[list(pair) for pair in found],
        pairs=len(p),
        highest=shown,
        near_the_threshold=[list(pair) for pair in near],
        error_of_highest=error(m, p[top[0]]),
    )


@claim("C072", "V-A (implied)", "The matrices set four tiers of systems apart.")
@with_tiers
def matrices_show_four_tiers(m: Material) -> Finding:
    """Apart: all pairs of neighbouring tiers decided; more than half of each is a caveat.

    Beside it, a grouping by decisions alone: a tier ends where its first system is decided to be better.
    """
    groups = named_tiers(m)
    won = {
        f"{i} and {i + 1}": decided_pairs(m, upper, lower)
        for i, (upper, lower) in enumerate(pairwise(groups), 1)
    }
    inside = {str(i): decided_pairs(m, names, names)[0] for i, names in enumerate(groups, 1)}
    greedy = [[m.order[i] for i in rows] for rows in tiers(m.decisions.to_numpy())]
    same = greedy == [list(names) for names in groups]
    undecided = sum(n - wins for wins, n in won.values())
    near = [near_threshold(m, upper, lower) for upper, lower in pairwise(groups)]
    close = sum(len(pairs) for pairs in near)
    note = f"{undecided} pairs of neighbouring tiers are not decided" + (
        f"; within three Monte-Carlo errors of the threshold: {close}." if close else "."
    )
    return noted(
        all(2 * wins > n for wins, n in won.values()),
        "Neighbouring tiers are decided apart in "
        + listed(f"{wins} of {n} pairs ({which})" for which, (wins, n) in won.items())
        + f"; {sum(inside.values())} pairs inside a tier are decided, and decisions alone give {len(greedy)} "
        f"tiers of {listed(str(len(names)) for names in greedy)} systems against the paper's "
        f"{listed(str(len(names)) for names in groups)}.",
        note=note if undecided else None,
        named=[list(names) for names in groups],
        by_decisions=greedy,
        same=same,
        decided_between={which: list(counts) for which, counts in won.items()},
        decided_inside=inside,
        near_the_threshold=near,
    )
