"""Domain-adapted models against generalists of the same architecture and near size (VI, VIII)."""

from __future__ import annotations

from collections.abc import Mapping
from math import log

import numpy as np

from selu.papers.claims import claim, finding, joined, listed, percent, rounding, signed
from selu.papers.selu.analysis.aggregates import COMMUNICATION, gain_by_task, tasks_of
from selu.papers.selu.claims._questions import ADAPTATION
from selu.papers.selu.claims._scales import NO_DIFFERENCE
from selu.papers.selu.claims._sources import DECIDED, ROUNDING
from selu.papers.selu.claims._systems import against, error, mean_of, scores_of
from selu.papers.selu.claims._unrounded import MEANS
from selu.papers.selu.material import Material
from selu.stats.compare import rope_width
from selu.vocabulary import Approach, Caveat, Finding

QUESTION = ADAPTATION


def _parameters(paper: Material, system: str) -> float:
    """Return the parameters counted from the weights if known, else as published."""
    record = paper.system(system)
    return float(record.parameters_counted or record.parameters or 0)


def _matched_pairs(paper: Material) -> Mapping[str, str]:
    """Map each domain-adapted system to the generalist of its architecture nearest in size (factor 1.5)."""
    factor = 1.5
    generalists = paper.names(approach=Approach.FINETUNED, adaptation="generalist")
    pairs = {}
    for adapted in paper.names(approach=Approach.FINETUNED, adaptation="domain-adapted"):
        ratios = {
            name: abs(log(_parameters(paper, name) / _parameters(paper, adapted)))
            for name in generalists
            if paper.system(name).architecture == paper.system(adapted).architecture
        }
        nearest = min(ratios, key=lambda name: ratios[name], default=None)
        if nearest and ratios[nearest] <= log(factor):
            pairs[adapted] = nearest
    return pairs


MATCHED = {
    "half as large again": "our choice: pairs of nearly one size, such as 3B and 3B, but not 3B and 7B",
}


@claim(
    "C094",
    "Abstract, VI third, VI-A, VIII",
    "Pre-training on code yields no significant improvement over all tasks together.",
    weight="conclusion",
    if_it_fails="Pre-training on code would pay over all tasks together.",
    quote="domain adaptation via code-focused pre-training does not yield significant improvements",
    holds="In pairs of one architecture and near size (at most half as large again), the test finds the code "
    "model the clear winner in none (probability of .95 or more), and the average gain in mean is below the "
    "widest equivalence threshold (ROPE) of these pairs. That not all pairs are found equivalent is a remark: "
    "the sentence claims no equality.",
    fails="The test finds the code model the clear winner in a pair, whatever the Monte-Carlo error, or the "
    "average gain is above that threshold by more than rounding explains (.001).",
    caveat="Three Monte-Carlo errors or rounding (.001) can turn the verdict.",
    thresholds={**DECIDED, **ROUNDING, **MATCHED},
)
def code_pretraining_brings_no_gain(paper: Material) -> Finding:
    """Match each domain-adapted model with the generalist nearest in size; the groups' means are beside."""
    pairs, bar = _matched_pairs(paper), paper.settings.threshold
    gains = {against(paper, a, g): mean_of(paper, a) - mean_of(paper, g) for a, g in pairs.items()}
    p = {
        against(paper, a, g): {
            "better": paper.p_better(a, g),
            "equal": paper.p_equal(a, g),
            "worse": paper.p_better(g, a),
        }
        for a, g in pairs.items()
    }
    decided = [key for key, q in p.items() if q["better"] >= bar]
    surely = [key for key in decided if p[key]["better"] - 3 * error(paper, p[key]["better"]) >= bar]
    near = [key for key, q in p.items() if abs(q["better"] - bar) < 3 * error(paper, q["better"])]
    equal = [key for key, q in p.items() if q["equal"] - 3 * error(paper, q["equal"]) >= bar]
    rope = max(rope_width(scores_of(paper, a), scores_of(paper, g), "autorank") for a, g in pairs.items())
    average = float(np.mean(list(gains.values())))
    groups = {
        kind: float(paper.ranked[paper.names(approach=Approach.FINETUNED, adaptation=kind)].to_numpy().mean())
        for kind in ("domain-adapted", "generalist")
    }
    whole = groups["domain-adapted"] - groups["generalist"]
    highest = percent(max(q["equal"] for q in p.values()))
    equality = (
        f"No gain is shown, but equality is not either: {len(equal) or 'none'} of the {len(gains)} pairs "
        f"are found equivalent (the highest probability is {highest})."
    )
    caveats: list[Caveat] = []
    if near:
        caveats.append(rounding(f"Within three Monte-Carlo errors of the threshold: {listed(near)}."))
    if abs(average - rope) <= MEANS:
        sentence = "Rounding of the scores could move the average gain across the threshold."
        caveats.append(rounding(sentence))
    return finding(
        not surely and average < rope + MEANS,
        f"The {len(gains)} matched pairs differ by {signed(gains)}, on average by {average:+.3f} (whole groups "
        f"{whole:+.3f}). The code model is the clear winner in {len(decided) or 'none'} of them.",
        caveat=joined(caveats),
        remark=equality if len(equal) < len(gains) else None,
        gains=gains,
        posterior=p,
        widest_rope=rope,
        group_means=groups,
        unmatched=[
            name
            for name in paper.names(approach=Approach.FINETUNED, adaptation="domain-adapted")
            if name not in pairs
        ],
    )


@claim(
    "C095",
    "Abstract, VIII",
    "Domain adaptation can lower performance on developer communication tasks.",
    weight="conclusion",
    if_it_fails="There would be no risk in a domain-adapted model for texts of developer communication.",
    quote="might even be counterproductive for developer communication tasks",
    holds="Domain-adapted models have the lower mean over the family's tasks, also in more than half of the "
    "pairs matched by architecture and size (at most half as large again). That two tasks make the difference "
    "(less than .005 without them) is a remark: the sentence says might.",
    fails="They do not have the lower mean, or not in more than half of the pairs, whatever the rounding of "
    "the scores.",
    caveat="Rounding (.001) can turn a comparison.",
    thresholds={
        ".005": "our choice: a smaller difference reads .00 at two digits",
        "more than half": "our choice: no exception",
        **ROUNDING,
        **MATCHED,
    },
)
def adaptation_can_hurt_communication(paper: Material) -> Finding:
    """Compare the groups, and the matched pairs task by task."""
    gains = gain_by_task(paper, COMMUNICATION)
    average = float(np.mean(list(gains.values())))
    tasks = tasks_of(paper, COMMUNICATION)
    pairs = {
        against(paper, a, g): paper.ranked.loc[tasks, a] - paper.ranked.loc[tasks, g]
        for a, g in _matched_pairs(paper).items()
    }
    matched = {key: float(gap.mean()) for key, gap in pairs.items()}
    lower = [key for key, gap in matched.items() if gap < 0]
    least, most = (sum(gap < limit for gap in matched.values()) for limit in (-MEANS, MEANS))
    hit = sorted(gains, key=lambda task: gains[task])[:2]
    rest = float(np.mean([gain for task, gain in gains.items() if task not in hit]))
    two = (
        f"It comes from {listed(f'{task} ({gains[task]:+.3f})' for task in hit)}; over the other "
        f"{len(gains) - 2} tasks the difference is {rest:+.4f}."
    )
    turns = average >= -MEANS or 2 * least <= len(matched)
    return finding(
        average < MEANS and 2 * most > len(matched),
        f"The family's mean differs by {average:+.3f}, and {len(lower) or 'none'} of {len(matched)} matched "
        f"pairs lose ({signed(matched)}).",
        caveat=rounding("Rounding of the scores could turn a comparison.") if turns else None,
        remark=two if rest > -NO_DIFFERENCE - MEANS else None,
        gain_by_task=gains,
        matched_pairs={key: {str(task): float(v) for task, v in gap.items()} for key, gap in pairs.items()},
        without_the_two_worst=rest,
    )
