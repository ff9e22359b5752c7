"""Tier 1, GPT-2 and Llama 3.2, against the other systems (V-A)."""

from __future__ import annotations

from collections.abc import Container, Mapping

from selu.papers.claims import claim, exceptions, finding, joined, listed, noted, percent, rounding
from selu.papers.selu.claims._questions import TIERS
from selu.papers.selu.claims._sources import CHANCE, DECIDED, MOST, NEAR, NEARLY_ALL, NO_TIERS
from selu.papers.selu.claims._systems import error
from selu.papers.selu.claims._tiers import (
    by_name,
    chance_of,
    decided_pairs,
    decided_range,
    hangs_on,
    named_tiers,
    near_threshold,
    pair_name,
    with_tiers,
)
from selu.papers.selu.material import Material
from selu.vocabulary import Finding

QUESTION = TIERS


def _near(paper: Material, p: Mapping[tuple[str, str], float], bar: float) -> Mapping[str, list[float]]:
    """Pairs within three Monte-Carlo errors of a bar, with the probability and its error."""
    close = {pair: value for pair, value in p.items() if abs(value - bar) < 3 * error(paper, value)}
    return {pair_name(paper, pair): [value, error(paper, value)] for pair, value in close.items()}


@claim(
    "C052",
    "V-A tier 1",
    "It is very unlikely that any other model is better than a given model of tier 1.",
    weight="conclusion",
    if_it_fails="A model outside tier 1 could well be the better choice than one inside it.",
    quote="is it very unlikely that other models are better",
    holds="For every pair of a system outside tier 1 and a model of tier 1, the probability that the former is "
    "better is at most .05.",
    fails=f"For at least one pair it is higher. {NO_TIERS}",
    caveat="It is higher, but in every such pair by less than three Monte-Carlo errors; or it is lower by less "
    "than that.",
    thresholds={".05": "section IV-D: what is left of the .95 of a conclusion", **NEAR},
)
@with_tiers
def others_hardly_beat_tier_1(paper: Material) -> Finding:
    """Compare with every model of tier 1; the top-ranked model alone is shown beside it."""
    unlikely = 1 - paper.settings.threshold
    best, first = paper.order[0], named_tiers(paper)[0]
    p = paper.chances([name for name in paper.order if name not in first], first)
    likely = {pair: value for pair, value in p.items() if value > unlikely}
    top = max(p, key=lambda pair: p[pair])
    top_best = max((pair for pair in p if pair[1] == best), key=lambda pair: p[pair], default=top)
    even = sum(value > 0.5 for value in p.values())
    near = _near(paper, p, unlikely)
    return noted(
        all(value <= unlikely or pair_name(paper, pair) in near for pair, value in p.items()),
        f"In {len(likely) or 'none'} of {len(p)} pairs the other system is better with a probability above "
        f"{percent(unlikely)}, in {even or 'none'} above 50 %. The highest probability is {percent(p[top])} "
        f"({pair_name(paper, top)}). Against the top-ranked model alone it is {percent(p[top_best])} "
        f"({pair_name(paper, top_best)}).",
        note=rounding(f"Within three Monte-Carlo errors of {percent(unlikely)}: {hangs_on(near)}.")
        if near
        else None,
        pairs=len(p),
        above_5_percent=by_name(paper, likely),
        near_5_percent=near,
        highest_against_the_top_ranked_model=by_name(paper, {top_best: p[top_best]}),
        error_of_highest=error(paper, p[top]),
    )


@claim(
    "C053",
    "V-A tier 1",
    "The test confirms the GPT-2 and Llama 3.2 models as the best.",
    weight="conclusion",
    if_it_fails="GPT-2 and Llama 3.2 could not be called the best on the strength of the test, only first "
    "by their means.",
    quote="The Bayesian signed-rank test confirms that these models are the best performing",
    holds="In every pair of a model of tier 1 and another system, the test finds tier 1 the clear winner "
    "(probability of .95 or more).",
    fails=f"It does so in fewer than 95 of 100 of all these pairs, or of those with tier 2. {NO_TIERS}",
    caveat=f"It finds no clear winner in some pairs, but in no more than that. {CHANCE}",
    thresholds=DECIDED | MOST,
)
@with_tiers
def test_confirms_tier_1(paper: Material) -> Finding:
    """Count the pairs tier by tier."""
    first, second, third, fourth = named_tiers(paper)
    others = [*second, *third, *fourth]
    won = {f"tier {i}": decided_pairs(paper, first, low) for i, low in enumerate((second, third, fourth), 2)}
    wins, pairs = decided_pairs(paper, first, others)
    lost = decided_pairs(paper, others, first)[0]
    near = near_threshold(paper, first, others)
    others_won = f"In {pairs - wins} of {pairs} pairs tier 1 is not the clear winner."
    notes = [exceptions(others_won)] if wins < pairs else []
    notes += chance_of(near)
    return noted(
        decided_range(paper, first, others)[1] >= NEARLY_ALL * pairs
        and decided_range(paper, first, second)[1] >= NEARLY_ALL * won["tier 2"][1],
        "The test finds tier 1 the clear winner in "
        + listed(f"{w} of {n} pairs with {tier}" for tier, (w, n) in won.items())
        + f", and the loser in {lost or 'none'}.",
        note=joined(notes),
        decided={tier: list(counts) for tier, counts in won.items()},
        decided_against_tier_1=lost,
        near_the_threshold=near,
    )


@claim(
    "C054",
    "V-A tier 1",
    "GPT-2 xl is better than most models of tier 2 with a probability above 90 %.",
    weight="detail",
    quote="the posterior probability that GPT-2 xl outperforms the LLMs in the second tier is above 90% "
    "for most of them",
    holds="The probability is above 90 % for more than half of the models of tier 2, by three Monte-Carlo "
    "errors or more.",
    fails=f"It is above 90 % for at most half of them, whatever the Monte-Carlo error. {NO_TIERS}",
    caveat="Models within three Monte-Carlo errors of 90 % can turn the verdict.",
    thresholds={"half": "our choice: the meaning of 'most'", **NEAR},
)
@with_tiers
def best_model_beats_most_of_tier_2(paper: Material) -> Finding:
    """Take GPT-2 xl by name, whatever its rank."""
    bar, best = 0.9, "gpt2-xl"
    p = {name: paper.p_better(best, name) for name in named_tiers(paper)[1] if name != best}
    above = [name for name in p if p[name] > bar]
    near = _near(paper, {(best, name): value for name, value in p.items()}, bar)
    least, most = (sum(v - side * 3 * error(paper, v) > bar for v in p.values()) for side in (1, -1))
    shown = listed(f"{paper.system(n).name} {percent(p[n])}" for n in above)
    rest = [p[name] for name in p if name not in above]
    spread = f" Against the others it has {percent(min(rest))} to {percent(max(rest))}." if rest else ""
    return finding(
        2 * most > len(p),
        f"GPT-2 xl is better than {len(above) or 'none'} of {len(p)} models of tier 2 with a probability above "
        f"{percent(bar)}" + (f" ({shown})." if above else ".") + spread,
        caveat=rounding(f"The count hangs on {hangs_on(near)}.") if 2 * least <= len(p) else None,
        p={paper.system(name).name: value for name, value in p.items()},
        error={paper.system(name).name: error(paper, value) for name, value in p.items()},
        near_90_percent=near,
    )


def _shown(paper: Material, p: Mapping[str, float], below: Container[str] = ()) -> str:
    """Return systems with their probabilities for a sentence, some marked as below the range."""
    mark = {name: ", below the range" if name in below else "" for name in p}
    return " and ".join(f"{paper.system(name).name} ({percent(v)}{mark[name]})" for name, v in p.items())


@claim(
    "C055",
    "V-A tier 1",
    "GPT-2 xl is better than CodeLlama 7B, ModernBERT large, T5 base and T5 large with a probability of only "
    "53 to 71 %.",
    weight="detail",
    quote="for T5 large, T5 base, CodeLlama 7B, and ModernBERT large the posterior probabilities that "
    "GPT-2 xl outperforms them is only between 53% and 71%",
    holds="The probability rounds to a percentage in this range for all four models, and is above 90 % for "
    "every other model of tier 2.",
    fails="It is outside the range for at least one of the four, by more than three Monte-Carlo errors. "
    f"{NO_TIERS}",
    caveat="It is at most 90 % for a model of tier 2 that V-A does not name; or a probability lies within "
    "three Monte-Carlo errors of an end of the range.",
    thresholds={"90 %": "section V-A: 'above 90% for most of them'", **NEAR},
)
@with_tiers
def four_models_are_hard_to_beat(paper: Material) -> Finding:
    """Take the four by name, in tier 2 or not."""
    low, high, bar, best = 0.525, 0.715, 0.9, "gpt2-xl"
    stated = ["t5-large", "t5-base", "codellama-7b", "modernbert-large"]
    p = {
        name: paper.p_better(best, name)
        for name in dict.fromkeys([*named_tiers(paper)[1], *stated])
        if name != best
    }
    slack = {name: 3 * error(paper, p[name]) for name in p}
    inside = [name for name in p if low - slack[name] <= p[name] <= high + slack[name]]
    edge = [name for name in stated if min(abs(p[name] - low), abs(p[name] - high)) < slack[name]]
    out = [name for name in stated if name not in inside]
    unnamed = {name: p[name] for name in p if name not in stated and p[name] <= bar + slack[name]}
    fitting = {name: v for name, v in unnamed.items() if out and name in inside}
    edges = listed(f"{paper.system(n).name} ({p[n]:.4f} ± {error(paper, p[n]):.4f})" for n in edge)
    fits = f"{_shown(paper, fitting)} would fit, so the paper may mean it."
    notes = [exceptions(fits)] if len(fitting) == 1 else []
    unexplained = {n: v for n, v in unnamed.items() if not (notes and n in fitting)}
    if unexplained:
        others = _shown(paper, unexplained, [n for n in unnamed if p[n] < low - slack[n]])
        sentence = f"V-A does not name these, which are not above {percent(bar)} either: {others}."
        notes.append(exceptions(sentence))
    if edge:
        notes.append(rounding(f"At an end of the range, within three Monte-Carlo errors: {edges}."))
    return noted(
        not out,
        f"{len(stated) - len(out) or 'None'} of the {len(stated)} probabilities lie in the range"
        + "".join(f"; {paper.system(n).name} has {percent(p[n])}" for n in out)
        + ".",
        note=joined(notes),
        p={paper.system(name).name: value for name, value in p.items()},
        outside=out,
        not_mentioned_and_at_most_90_percent=unnamed,
        error={paper.system(name).name: error(paper, value) for name, value in p.items()},
    )


@claim(
    "C119",
    "V-A tier 1",
    "Firm statistical claims about tier 1 against tier 2 are not possible.",
    weight="conclusion",
    if_it_fails="Tier 1 could be called better than tier 2 with statistical confidence.",
    quote="Due to the high inter-task variance and moderate sample size of 22 tasks, firm statistical "
    "claims are not possible.",
    holds="The test finds no clear winner in any pair of a model of tier 1 and one of tier 2 (firm: a "
    "probability of .95 or more).",
    fails=f"It finds one in at least a fifth of these pairs, on either side. {NO_TIERS}",
    caveat=f"It finds one in some pairs, but in fewer than a fifth. {CHANCE}",
    thresholds={"a fifth": "our choice: conclusions that are no exception any more", **DECIDED},
)
@with_tiers
def nothing_firm_about_tier_1(paper: Material) -> Finding:
    """Count the decisions for either side, at least and at most by the Monte-Carlo error."""
    few = 0.2
    first, second, _, _ = named_tiers(paper)
    wins, pairs = decided_pairs(paper, first, second)
    against = decided_pairs(paper, second, first)[0]
    ranges = decided_range(paper, first, second), decided_range(paper, second, first)
    least, most = (sum(ends) for ends in zip(*ranges, strict=True))
    firm = {pair: p for pair, p in paper.chances(first, second).items() if p >= paper.settings.threshold}
    near = near_threshold(paper, first, second) | near_threshold(paper, second, first)
    shown = listed(f"{pair_name(paper, pair)} ({percent(p)})" for pair, p in firm.items())
    caveats = [exceptions(f"By IV-D's own threshold these are conclusions: {shown}.")] if firm else []
    ends = f"The count is {least} to {most} within three Monte-Carlo errors: {hangs_on(near)}."
    caveats += [rounding(ends)] if near else []
    return noted(
        least < few * pairs,
        f"Of {pairs} pairs, tier 1 is the clear winner in {wins or 'none'} and tier 2 in {against or 'none'}.",
        note=joined(caveats) if most else None,
        pairs=pairs,
        decided=by_name(paper, firm),
        decided_against=against,
        decided_at_least_and_at_most=[least, most],
        near_the_threshold=near,
    )
