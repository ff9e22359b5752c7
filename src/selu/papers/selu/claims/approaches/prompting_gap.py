"""Prompted systems against fine-tuned ones: how far behind, how consistently, at what cost (VI)."""

from __future__ import annotations

from itertools import product

import numpy as np

from selu.papers.claims import claim, exceptions, finding, joined, listed, percent, rounding, unless_known
from selu.papers.selu.analysis.aggregates import HALF_WIDTH
from selu.papers.selu.claims._questions import PROMPTING
from selu.papers.selu.claims._scales import LARGE
from selu.papers.selu.claims._systems import against, error, finetuned, mean_of, name_of, named, scores_of
from selu.papers.selu.material import Material
from selu.stats.compare import BETTER
from selu.stats.effect import cohen_d
from selu.stats.rounding import reachable
from selu.vocabulary import Approach, Finding

QUESTION = PROMPTING


def _firm(paper: Material, a: str, b: str) -> bool:
    """Return whether a is the clear winner by more than three Monte-Carlo errors."""
    p = paper.p_better(a, b)
    return p - paper.settings.threshold >= 3 * error(paper, p)


@claim(
    "C096",
    "VI fourth",
    "Prompted systems are fairly consistently behind fine-tuned ones.",
    weight="conclusion",
    if_it_fails="Prompting would be an even match for fine-tuning.",
    quote="these are fairly consistently outperformed by LLMs fine-tuned on SE textual artifacts NLU tasks",
    holds="In at least 80 % of the pairs of a fine-tuned and a prompted system the fine-tuned one has the "
    "higher mean, in at least 80 % the test finds it the clear winner, and it wins at least 80 % of the "
    "comparisons task by task.",
    caveat="Pairs within 3 Monte-Carlo errors of the test's threshold, or within rounding, can bring a share "
    "below 80 %.",
    fails="One of the three shares is below 80 %.",
    thresholds={
        "80 %": "our choice: four of five, the usual cut for consistent",
        "3 Monte-Carlo errors": "our choice: chance exceeds them in 0.3 % of cases",
    },
)
def prompted_are_consistently_behind(paper: Material) -> Finding:
    """Count clear winners: posterior probabilities at the threshold of section IV-D or above."""
    fairly = 0.80
    pairs = list(product(finetuned(paper), paper.names(approach=Approach.PROMPTED)))
    behind = [pair for pair in pairs if mean_of(paper, pair[0]) > mean_of(paper, pair[1])]
    decided = [pair for pair in pairs if paper.decisions.loc[pair[0], pair[1]] == BETTER]
    won = float(np.mean([(scores_of(paper, a) > scores_of(paper, b)).mean() for a, b in pairs]))
    n = len(pairs)
    missed = [against(paper, a, b) for a, b in pairs if (a, b) not in behind]
    near = [(a, b) for a, b in decided if not _firm(paper, a, b)]
    close = [(a, b) for a, b in behind if mean_of(paper, a) - mean_of(paper, b) < 2 * HALF_WIDTH]
    least = min(len(decided) - len(near), len(behind) - len(close)) / n
    return finding(
        min(len(behind) / n, len(decided) / n, won) >= fairly,
        f"Fine-tuned models are ahead in {len(behind)} of {n} pairs by mean, in {len(decided)} as the "
        f"test's clear winner and in {percent(won)} of the comparisons task by task (not by mean: "
        f"{listed(missed)}).",
        caveat=rounding(f"Chance of the test and rounding can bring it down to {percent(least)}.")
        if least < fairly
        else None,
        ahead_by_mean=len(behind),
        decided=len(decided),
        pairs=n,
        task_by_task=won,
        not_ahead_by_mean=missed,
        not_decided={against(paper, a, b): paper.p_better(a, b) for a, b in pairs if (a, b) not in decided},
    )


def _lowest_d(paper: Material, a: str, b: str) -> float:
    """Return the smallest Cohen's d that rounding of the two systems' scores leaves possible."""
    scores = np.stack([scores_of(paper, a), scores_of(paper, b)])
    return reachable(lambda v: cohen_d(v[0], v[1]), scores, HALF_WIDTH)[0]


@claim(
    "C100",
    "VI-A",
    "The gap between prompting and fine-tuning is large enough to avoid prompting where it matters.",
    weight="conclusion",
    if_it_fails="Prompting would be good enough where results matter.",
    quote="Unless the gap in performance does not matter or additional development and maintenance effort "
    "is not feasible, proprietary LLMs should be avoided.",
    holds="The test finds the best fine-tuned model the clear winner against every prompted system, and "
    "Cohen's d is 0.8 or more against each.",
    caveat="On some tasks a prompted system is at least as good, or the test's chance (3 Monte-Carlo errors) "
    "or rounding can turn a result.",
    fails="Against one prompted system there is no clear winner, or the effect is smaller.",
    thresholds={
        "0.8": "Cohen 1988, large; the cut of Table IV's last column",
        "3 Monte-Carlo errors": "our choice: chance exceeds them in 0.3 % of cases",
    },
)
def the_prompting_gap_is_large(paper: Material) -> Finding:
    """Compare the best system, by mean over the tasks of Table IV, with the prompted ones."""
    best, prompted = finetuned(paper)[0], paper.names(approach=Approach.PROMPTED)
    d = {name: cohen_d(scores_of(paper, best), scores_of(paper, name)) for name in prompted}
    undecided = [name for name in prompted if paper.decisions.loc[best, name] != BETTER]
    gap = paper.ranked[best] - paper.ranked[prompted].max(axis=1)
    none = {str(task): float(value) for task, value in gap.items() if value <= 0}
    weak = [name for name in prompted if not _firm(paper, best, name) or _lowest_d(paper, best, name) < LARGE]
    behind = f"On {listed(none)} a prompted system is at least as good as {name_of(paper, best)}."
    narrow = f"Against {named(paper, weak)}, chance of the test or rounding can turn the result."
    caveats = [exceptions(behind)] if none else []
    caveats += [rounding(narrow)] if weak else []
    return finding(
        not undecided and min(d.values()) >= LARGE,
        f"{name_of(paper, best)} (M = {mean_of(paper, best):.3f}) is the clear winner against "
        f"{len(prompted) - len(undecided)} of {len(prompted)} prompted systems, d from {min(d.values()):.2f} "
        f"to {max(d.values()):.2f}.",
        caveat=joined(caveats),
        d=d,
        gap_by_task_to_the_best_prompted={str(task): float(value) for task, value in gap.items()},
    )


@claim(
    "C101",
    "VI-A",
    "Prompted systems may be weaker and less cost-effective than small models that are fine-tuned with care.",
    weight="conclusion",
    if_it_fails="Prompting would be worth its cost beside small fine-tuned models.",
    quote="they may not achieve the same performance or cost-effectiveness compared to running inferences "
    "on smaller open-source LLMs fine-tuned carefully on specific tasks",
    holds="Each prompted system costs more per text than some fine-tuned model with a higher mean.",
    caveat="Some fine-tuned model costs as much as a prompted system or more.",
    fails="A prompted system costs no more than any fine-tuned model with a higher mean.",
)
def prompting_costs_more(paper: Material) -> Finding:
    """Compare costs; needs table ``costs``: rows are system names, column ``per 1000 texts``, any currency."""
    table, column = "costs", "per 1000 texts"
    pairs = list(product(finetuned(paper), paper.names(approach=Approach.PROMPTED)))
    ahead = sum(mean_of(paper, a) > mean_of(paper, b) for a, b in pairs)
    halves = (
        f"The half about performance is checked by C096 (fine-tuned models have the higher mean in {ahead} of "
        f"{len(pairs)} pairs), the half about cost can't be: the paper gives no cost of any system"
    )
    if missing := unless_known(paper, table, halves):
        return missing
    listed_systems = [s for s in paper.systems if (s.name, column) in paper.tables[table]]
    costs = {s.id: paper.number(table, s.name, column) for s in listed_systems}
    prompted = [s.id for s in listed_systems if s.approach is Approach.PROMPTED]
    tuned = [s.id for s in listed_systems if s.approach is Approach.FINETUNED]
    beaten = [
        p
        for p in prompted
        if any(costs[model] < costs[p] and mean_of(paper, model) > mean_of(paper, p) for model in tuned)
    ]
    dearer = [model for model in tuned if any(costs[model] >= costs[p] for p in prompted)]
    return finding(
        bool(prompted) and len(beaten) == len(prompted),
        f"{len(beaten)} of {len(prompted)} prompted systems cost more per 1,000 texts than some fine-tuned "
        "model with a higher mean.",
        caveat=exceptions(f"Not than every one: {named(paper, dearer)} cost as much or more.")
        if dearer
        else None,
        costs=costs,
    )
