"""Model size and architecture as drivers of performance (V-A, V-B)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from selu.papers.claims import claim, joined, listed, noted, rounding, wording
from selu.papers.selu.claims._questions import SIZE
from selu.papers.selu.claims._series import BLOCKS, Association, association, epsilon_squared, spearman
from selu.papers.selu.claims._sources import ALPHA, NEAR
from selu.papers.selu.claims._systems import finetuned, mean_of, size_of
from selu.papers.selu.claims._tiers import decided_pairs
from selu.papers.selu.material import Material
from selu.stats.compare import BETTER
from selu.vocabulary import Caveat, Finding

QUESTION = SIZE
STRONG = (
    "A strong result is an association with the mean that is both significant (p below .05) and large. p comes "
    "from 9,999 random arrangements that leave series as wholes, since the models of a series are not "
    "independent."
)
LEAN = {"twice": "our choice: more than two to one is no even split"}


def _notes(paper: Material, found: Association, large: float, decided: Sequence[int]) -> Caveat | None:
    """Return why a result that is not strong is a caveat: a missing criterion, a margin, or decisions."""
    possible, sure = found.possible(paper.settings.alpha, large), found.sure(paper.settings.alpha, large)
    notes: list[Caveat] = []
    if any(sure):
        words = {(True, True): "significant and large", (True, False): "significant, but not large"}
        notes.append(wording(f"That is {words.get(sure, 'large, but not significant')}."))
    if max(decided) > 2 * min(decided):
        notes.append(wording("More than twice as many clear winners are on one side."))
    if possible != sure:
        low, high = found.p_range
        sentence = f"Within the margins of rounding and chance, p is {max(low, 0):.3f} to {high:.3f}."
        notes.append(rounding(sentence))
    return joined(notes)


@claim(
    "C068",
    "Box V-A",
    "No strong result favours a model size.",
    weight="conclusion",
    if_it_fails="Size would be a reason to choose a model.",
    quote="there is no strong results favoring specific model sizes or architectures",
    holds="Spearman's correlation of size and mean over the fine-tuned LLMs is neither significant nor large "
    "(|rho| of .5 or more), and clear winners of the test are not more than twice as often on one side, "
    f"larger or smaller models, as on the other. {STRONG}",
    fails="It is both significant and large, whatever the margins of rounding and of the random arrangements.",
    caveat="It is only one of the two, or the clear winners are mostly on one side, or a margin can turn the "
    "verdict: three Monte-Carlo errors, and the rounding of the scores where Table IV's ranks are not those of "
    "the scores.",
    thresholds={".5": "Cohen 1988: a large correlation", **ALPHA, **NEAR, **BLOCKS, **LEAN},
)
def no_size_is_favoured(paper: Material) -> Finding:
    """Permute the sizes among series with equally many models, in any order inside a series."""
    large, tuned = 0.5, finetuned(paper)
    sizes = {name: float(size_of(paper, name)) for name in tuned}
    found = association(paper, sizes, spearman)
    pairs = [(a, b) for a in tuned for b in tuned if sizes[a] > sizes[b]]
    larger = [(a, b) for a, b in pairs if str(paper.decisions.loc[a, b]) == BETTER]
    smallest = min(tuned, key=lambda name: sizes[name])
    over = sum(b == smallest for _, b in larger)
    smaller = sum(str(paper.decisions.loc[b, a]) == BETTER for a, b in pairs)
    return noted(
        not all(found.sure(paper.settings.alpha, large)),
        f"Spearman's correlation of size and mean over {len(tuned)} models has a size of |rho| = "
        f"{found.statistic:.2f} (p = {found.p:.3f}, with series as units). Of {len(pairs)} pairs, the test "
        f"finds the larger model the clear winner in {len(larger) or 'none'} ({over or 'none'} of them over "
        f"{paper.system(smallest).name}), and the smaller in {smaller or 'none'}.",
        note=_notes(paper, found, large, [len(larger), smaller]),
        spearman=found.statistic,
        p=found.p,
        p_range=list(found.p_range),
        pairs=len(pairs),
        decided_for_larger=len(larger),
        decided_for_larger_over_the_smallest=over,
        decided_for_smaller=smaller,
    )


@claim(
    "C069",
    "Box V-A",
    "No strong result favours an architecture.",
    weight="conclusion",
    if_it_fails="Architecture would be a reason to choose a model.",
    quote="there is no strong results favoring specific model sizes or architectures",
    holds="The architectures' difference in mean over the fine-tuned LLMs (Kruskal-Wallis) is neither "
    "significant nor large (epsilon squared of .14 or more), and the test finds the architecture with the best "
    f"median the clear winner no more than twice as often as the loser. {STRONG}",
    fails="It is both significant and large, whatever the margins of rounding and of the random arrangements.",
    caveat="It is only one of the two, or the clear winners are mostly on one side, or a margin can turn the "
    "verdict: three Monte-Carlo errors, and the rounding of the scores where Table IV's ranks are not those of "
    "the scores.",
    thresholds={".14": "Cohen 1988: a large share of the variance", **ALPHA, **NEAR, **BLOCKS, **LEAN},
)
def no_architecture_is_favoured(paper: Material) -> Finding:
    """Permute the architectures among the series, each of which has one."""
    large, groups = 0.14, dict[str, list[str]]()
    for name in finetuned(paper):
        groups.setdefault(str(paper.system(name).architecture), []).append(name)
    number = {name: float(i) for i, names in enumerate(groups.values()) for name in names}
    found = association(paper, number, epsilon_squared)
    medians = {key: float(np.median([mean_of(paper, name) for name in names])) for key, names in groups.items()}
    best = max(medians, key=lambda key: medians[key])
    rest = [name for key, names in groups.items() if key != best for name in names]
    (won, pairs), (lost, _) = decided_pairs(paper, groups[best], rest), decided_pairs(paper, rest, groups[best])
    units = len({paper.system(name).series for name in number})
    return noted(
        not all(found.sure(paper.settings.alpha, large)),
        f"The median mean is {listed(f'{v:.3f} ({key})' for key, v in medians.items())}. Kruskal-Wallis over "
        f"{len(number)} models gives epsilon squared = {found.statistic:.2f}, with p = {found.p:.3f} over "
        f"their {units} series. {best.capitalize()} models are the clear winner in {won or 'none'} of {pairs} "
        f"pairs and the loser in {lost or 'none'}.",
        note=_notes(paper, found, large, [won, lost]),
        epsilon_squared=found.statistic,
        p=found.p,
        p_range=list(found.p_range),
        medians=medians,
        decided_for_best=[won, pairs],
        decided_against_best=lost,
    )
