"""How well BERT base, a small model, does against larger ones (V-B, VI-A)."""

from __future__ import annotations

from selu.papers.claims import claim, finding, joined, listed, rounding
from selu.papers.selu.claims._questions import SIZE
from selu.papers.selu.claims._scales import MEDIUM
from selu.papers.selu.claims._sources import COHEN, DECIDED, ORDER, ROUNDING
from selu.papers.selu.claims._systems import (
    finetuned,
    mean_of,
    means_of,
    name_of,
    named,
    ranks_settled,
    sd_of,
    size_of,
)
from selu.papers.selu.claims._tiers import decided_pairs, decided_range
from selu.papers.selu.claims._unrounded import MEANS, d_range
from selu.papers.selu.material import Material
from selu.vocabulary import Finding

QUESTION = SIZE


@claim(
    "C074",
    "V-B",
    "BERT base competes with models that have several billion parameters.",
    weight="conclusion",
    if_it_fails="A model with billions of parameters would be needed where BERT base is now an alternative.",
    quote="even smaller LLMs such as BERT base can compete with models with several billion parameters",
    holds="Of the fine-tuned LLMs above two billion parameters, at least half have no higher mean than BERT "
    "base, and the test finds at most half better than it (probability of .95 or more). That it finds one "
    "better is a remark: the sentence says can.",
    fails="More than half have a higher mean, or the test finds more than half better.",
    caveat=f"It is so, but {ORDER} or three Monte-Carlo errors can turn the verdict.",
    thresholds={
        "two billion": "our choice: 'several billion'; Table III has 3B and 7B",
        "half": "our choice: then BERT base ranks among them",
        **DECIDED,
        **ROUNDING,
    },
)
def bert_base_competes_with_billions(paper: Material) -> Finding:
    """Compare means and decisions with each of them."""
    several_billion, bert = 2e9, "bert-base"
    rivals = [name for name in finetuned(paper) if size_of(paper, name) > several_billion]
    lead = {name: mean_of(paper, bert) - mean_of(paper, name) for name in rivals}
    slack = 0.0 if ranks_settled(paper, finetuned(paper)) else MEANS
    above = [name for name in rivals if lead[name] >= 0]
    least, most = (sum(gap >= limit for gap in lead.values()) for limit in (slack, -slack))
    lost = [name for name in rivals if decided_pairs(paper, [name], [bert])[0]]
    fewest, highest = decided_range(paper, rivals, [bert])
    caveats = []
    if 2 * highest > len(rivals):
        caveats.append(rounding(f"Within three Monte-Carlo errors, it finds {fewest} to {highest} better."))
    if 2 * least < len(rivals):
        caveats.append(rounding("Rounding of the scores could turn the order of means."))
    return finding(
        2 * most >= len(rivals) and 2 * fewest <= len(rivals),
        f"With a mean of {mean_of(paper, bert):.3f} BERT base is above {len(above) or 'none'} of the "
        f"{len(rivals)} models of more than two billion parameters"
        + (f" ({named(paper, above)})." if above else "."),
        caveat=joined(caveats),
        remark=f"The test finds {named(paper, lost)} better than it." if lost else None,
        means=means_of(paper, [bert, *rivals]),
        p_rival_better={name: paper.p_better(name, bert) for name in rivals},
        decided_against_bert=lost,
    )


@claim(
    "C099",
    "VI-A",
    "BERT base balances consistent performance and efficiency well.",
    weight="conclusion",
    if_it_fails="BERT base would not be the model to take where resources are short.",
    quote="smaller ones such as BERT base can still be competitive providing a good balance between "
    "consistent performance and efficiency",
    holds="No other fine-tuned LLM of its size or smaller has a higher mean, and the best system is less than "
    "a medium effect above it (d below .5). That one of up to a quarter more parameters has a higher mean is a "
    "remark: the sentence says a good balance, not the best.",
    fails="One of its size or smaller has a higher mean by more than rounding explains (.001), or d is .5 or "
    "more, whatever the rounding of the scores.",
    caveat="Rounding can turn one of the comparisons.",
    thresholds={"a quarter": "our choice: nearly the same cost", ".5": COHEN, **ROUNDING},
)
def bert_base_is_a_good_trade_off(paper: Material) -> Finding:
    """Compare with the fine-tuned models of about its size, and with the top-ranked system."""
    bert, near = "bert-base", 1.25
    size = size_of(paper, bert)
    gaps = {name: mean_of(paper, name) - mean_of(paper, bert) for name in finetuned(paper) if name != bert}
    smaller = [name for name in gaps if size_of(paper, name) <= size and gaps[name] > 0]
    close = [name for name in gaps if size < size_of(paper, name) <= near * size and gaps[name] > 0]
    tight = [name for name in gaps if size_of(paper, name) <= size and abs(gaps[name]) <= MEANS]
    low, high = d_range(paper, paper.order[0], bert) if paper.order[0] != bert else (0.0, 0.0)
    shown = listed(
        f"{name_of(paper, n)} with {paper.system(n).size_published} (M = {mean_of(paper, n):.3f}, SD = "
        f"{sd_of(paper, n):.3f})"
        for n in close
    )
    turns = tight or high >= MEDIUM
    return finding(
        all(name in tight for name in smaller) and low < MEDIUM,
        f"With {paper.system(bert).size_published} parameters BERT base reaches M = {mean_of(paper, bert):.3f} "
        f"(SD = {sd_of(paper, bert):.3f}, d = {paper.ranking['d'][bert]:.2f} below the best). "
        f"{len(smaller) or 'No'} "
        "models of at most its size have a higher mean.",
        caveat=rounding("Rounding of the scores could turn a comparison.") if turns else None,
        remark=f"At nearly its size, {shown} does better." if close else None,
        d_to_best=float(paper.ranking["d"][bert]),
        d_to_best_by_rounding=[low, high],
        better_and_smaller=smaller,
        better_and_at_most_a_quarter_larger=close,
        p_those_better={name: paper.p_better(name, bert) for name in close},
        p_those_equal={name: paper.p_equal(name, bert) for name in close},
    )
