"""The gain of larger models in a series, and which sizes do best (V-B, VI-A)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import comb

import numpy as np

from selu.papers.claims import claim, finding, joined, listed, percent, rounding, signed, wording
from selu.papers.selu.claims._questions import SIZE
from selu.papers.selu.claims._scales import NO_DIFFERENCE
from selu.papers.selu.claims._sources import ALPHA, DECIDED, ORDER, ROUNDING
from selu.papers.selu.claims._systems import (
    LEADING_SERIES,
    finetuned,
    mean_of,
    name_of,
    ranks_settled,
    size_of,
    size_range,
)
from selu.papers.selu.claims._tiers import decided_range
from selu.papers.selu.claims._unrounded import MEANS
from selu.papers.selu.material import Material
from selu.stats.compare import BETTER
from selu.vocabulary import Caveat, Finding

QUESTION = SIZE
AROUND_1B_3B = "1B to 5B"  # the range of sizes that VI-A means
THREE_BILLION = 3_000_000_000


def _steps(paper: Material, *only: str) -> list[tuple[str, str]]:
    """List neighbouring sizes of one series, the smaller first, of all fine-tuned series or some."""
    series: dict[str, list[str]] = {}
    for name in sorted(finetuned(paper, *only), key=lambda name: size_of(paper, name)):
        series.setdefault(str(paper.system(name).series), []).append(name)
    return [pair for versions in series.values() for pair in pairwise(versions)]


def _gains(paper: Material, steps: list[tuple[str, str]]) -> Mapping[str, float]:
    """Return each step's gain in mean, under its name for a sentence."""
    return {
        f"{name_of(paper, a)} to {name_of(paper, b)}": mean_of(paper, b) - mean_of(paper, a) for a, b in steps
    }


def _upwards(paper: Material, gains: Mapping[str, float]) -> tuple[int, int, int]:
    """Count the steps that go up, and their least and greatest number within rounding of the scores."""
    slack = 0.0 if ranks_settled(paper, finetuned(paper)) else MEANS
    least, most = (sum(gain > limit for gain in gains.values()) for limit in (slack, -slack))
    return sum(gain > 0 for gain in gains.values()), least, most


def _chance(up: int, steps: int) -> float:
    """Return the probability that a fair coin gives at least as many steps upwards."""
    return sum(comb(steps, k) for k in range(up, steps + 1)) / 2.0**steps


@claim(
    "C073",
    "V-B",
    "Larger LLMs of the same series tend to give better results.",
    weight="conclusion",
    if_it_fails="A larger model of a series would be better no more often than the smaller one.",
    quote="larger LLMs within the same series tend to give better results ... this is not consistently the "
    "case",
    holds="Of the steps from one size of a series to the next, more go up in mean than chance explains "
    "(one-sided sign test, p of at most .05), and the average step goes up.",
    fails="At most half of the steps go up.",
    caveat=f"More than half go up, but chance explains that, or the average step goes down; or {ORDER} can "
    "turn the verdict.",
    thresholds={"half": "our choice: the meaning of 'tend to'", **ALPHA, **ROUNDING},
)
def larger_models_in_a_series_tend_to_win(paper: Material) -> Finding:
    """Take the fine-tuned models of each series by size."""
    steps = _steps(paper)
    gains = _gains(paper, steps)
    (up, least, most), n = _upwards(paper, gains), len(steps)
    chance, average = _chance(up, n), float(np.mean(list(gains.values())))
    decided = sum(str(paper.decisions.loc[b, a]) == BETTER for a, b in steps)
    down = {name: gain for name, gain in gains.items() if gain <= 0}
    sure = (
        2 * least > n
        and _chance(least, n) <= paper.settings.alpha
        and average > (0 if least == most else MEANS)
    )
    caveat = (
        f"Chance gives that many or more in {percent(chance)} of cases, and the average step is {average:+.3f}."
    )
    return finding(
        2 * most > n,
        f"In {up or 'none'} of {n} steps from one size of a series to the next, the larger model has the "
        f"higher mean; in the other {n - up} it has not ({signed(down)}). The test finds it "
        f"the clear winner in {decided or 'none'} of the {n} steps.",
        caveat=None if sure else wording(caveat),
        steps=gains,
        steps_up=[up, least, most],
        sign_test_one_sided=chance,
        mean_step=average,
        upward_steps_decided=decided,
    )


@claim(
    "C142",
    "V-B",
    "At the top of the ranking, larger LLMs of the same series give better results.",
    weight="conclusion",
    if_it_fails="At the top, a smaller model of the same series would do as well.",
    quote="larger LLMs within the same series tend to give better results, as is shown at the top of the "
    "ranking",
    holds="In GPT-2 and Llama 3.2, the series at the top, each larger model has a higher mean than the next "
    "smaller one. That the test finds no clear winner in a step (probability of .95 or more) is a remark: the "
    "sentence is about the ranking, which is by means.",
    fails="In at least one step the larger model has the lower mean, by more than rounding explains.",
    caveat=f"Each step goes up in mean, but {ORDER} can turn the verdict.",
    thresholds={"2": "section V-A: 'GPT-2 and Llama 3.2'", **DECIDED, **ROUNDING},
)
def larger_models_lead_at_the_top(paper: Material) -> Finding:
    """Take the six models of tier 1 by size."""
    steps = _steps(paper, *LEADING_SERIES)
    gains = _gains(paper, steps)
    (up, least, most), n = _upwards(paper, gains), len(steps)
    decided = [pair for pair in steps if str(paper.decisions.loc[pair[1], pair[0]]) == BETTER]
    surely = sum(decided_range(paper, [b], [a])[0] for a, b in steps)
    p = {f"{name_of(paper, b)} over {name_of(paper, a)}": paper.p_better(b, a) for a, b in steps}
    shown = listed(f"{name} {percent(value)}" for name, value in p.items())
    clear = f"The test finds it the clear winner in {len(decided) or 'none'} of them ({shown})."
    return finding(
        most == n,
        f"In {up or 'none'} of the {n} steps from one size to the next, the larger model has the higher mean "
        f"({signed(gains)}).",
        caveat=rounding("Rounding of the scores could turn a step.") if least < n else None,
        remark=clear if surely < n else None,
        steps=gains,
        p_larger_better=p,
        decided=len(decided),
    )


@claim(
    "C098",
    "VI-A",
    "Fine-tuned LLMs around 1B and 3B parameters perform best.",
    weight="conclusion",
    if_it_fails="Another range of sizes would be the one to choose from.",
    quote="our results suggest that LLMs around 1B/3B parameters perform best",
    holds="Of five ranges of size, 1B to 5B has the highest average of means, at least .005 above the next, "
    "and the 3B models alone are no lower than that next range.",
    fails="Another range has a higher average, by more than rounding explains (.001).",
    caveat="It has the highest average, but leads by less than .005, or the 3B models alone are lower than the "
    "next range; or rounding can turn the order.",
    thresholds={
        "1B to 5B": "our choice of ranges: below 200M, 500M, 1B, 5B, and over; Table III has 1B, 1.5B and 3B "
        "there",
        ".005": "our choice: a smaller difference reads .00 at two digits",
        **ROUNDING,
    },
)
def models_around_1b_to_3b_perform_best(paper: Material) -> Finding:
    """Average the means of the models in each range."""
    groups: dict[str, list[str]] = {}
    for name in finetuned(paper):
        groups.setdefault(size_range(paper.system(name).parameters), []).append(name)
    means = {size: float(np.mean([mean_of(paper, name) for name in names])) for size, names in groups.items()}
    ranked = sorted(means, key=lambda size: -means[size])
    rival = next(size for size in ranked if size != AROUND_1B_3B)
    margin = means[AROUND_1B_3B] - means[rival]
    spread = [mean_of(paper, name) for name in groups[AROUND_1B_3B]]
    caveats: list[Caveat] = []
    if margin < NO_DIFFERENCE:
        sentence = (
            f"The lead of {AROUND_1B_3B} over {rival} is {margin:+.4f}, while its models spread from "
            f"{min(spread):.3f} to {max(spread):.3f}."
        )
        caveats.append(rounding(sentence) if margin <= MEANS else wording(sentence))
    three = [mean_of(paper, name) for name in finetuned(paper) if size_of(paper, name) == THREE_BILLION]
    alone = float(np.mean(three))
    if alone < means[rival] + MEANS:
        sentence = f"The 3B models alone average {alone:.3f}, against {means[rival]:.3f} of {rival}."
        caveats.append(wording(sentence))
    return finding(
        margin >= -MEANS,
        "Average means by size are "
        f"{listed(f'{means[s]:.3f} ({s}, {len(groups[s])} models)' for s in ranked)}.",
        caveat=joined(caveats),
        means=means,
        models=groups,
        margin=margin,
        means_of_3b_models=three,
    )
