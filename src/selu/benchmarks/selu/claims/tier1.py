"""Tier 1, GPT-2 and Llama 3.2, against the other systems (V-A)."""

from __future__ import annotations

from collections.abc import Container

from selu.benchmarks.claims import claim, finding, listed, noted, percent
from selu.benchmarks.selu.claims._systems import error, named
from selu.benchmarks.selu.claims._tiers import (
    by_name,
    decided_pairs,
    named_tiers,
    near_threshold,
    pair_name,
    probabilities,
    with_tiers,
)
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Finding


@claim("C052", "V-A tier 1", "It is very unlikely that any other model is better than a given model of tier 1.")
@with_tiers
def others_hardly_beat_tier_1(m: Material) -> Finding:
    """Very unlikely: at most 5 %, for every pair of a system outside tier 1 and a model of tier 1."""
    unlikely = 1 - m.knobs.threshold
    best, first = m.order[0], named_tiers(m)[0]
    p = probabilities(m, [name for name in m.order if name not in first], first)
    likely = {pair: value for pair, value in p.items() if value > unlikely}
    top = max(p, key=lambda pair: p[pair])
    top_best = max((pair for pair in p if pair[1] == best), key=lambda pair: p[pair], default=top)
    even = [pair for pair, value in p.items() if value > 0.5]
    near = {pair: value for pair, value in p.items() if abs(value - unlikely) < 3 * error(m, value)}
    edge = f" (within three Monte-Carlo errors of that: {len(near)})" if near else ""
    return finding(
        not likely,
        f"The highest probability is {percent(p[top])} ({pair_name(m, top)}), though for the top-ranked model "
        f"alone it is {percent(p[top_best])} ({pair_name(m, top_best)}); {len(likely)} of {len(p)} pairs are "
        f"above {percent(unlikely)}{edge} and {len(even)} above 50 %.",
        pairs=len(p),
        above_5_percent=by_name(m, likely),
        near_5_percent=by_name(m, near),
        highest_against_the_top_ranked_model=by_name(m, {top_best: p[top_best]}),
        error_of_highest=error(m, p[top]),
    )


@claim("C053", "V-A tier 1", "The test confirms the GPT-2 and Llama 3.2 models as the best.")
@with_tiers
def test_confirms_tier_1(m: Material) -> Finding:
    """Confirms: nearly all (95 %) of the pairs of tier 1 with the other systems are decided for tier 1."""
    nearly_all = 0.95
    first, second, third, fourth = named_tiers(m)
    won = {f"tier {i}": decided_pairs(m, first, low) for i, low in enumerate((second, third, fourth), 2)}
    wins, pairs = (sum(counts) for counts in zip(*won.values(), strict=True))
    lost = decided_pairs(m, [*second, *third, *fourth], first)[0]
    note = (
        f"{pairs - wins} of {pairs} pairs are not decided, and V-A itself adds that firm claims are not "
        "possible (C119)."
    )
    return noted(
        wins >= nearly_all * pairs and won["tier 2"][0] >= nearly_all * won["tier 2"][1],
        "Tier 1 is decided better in "
        + listed(f"{w} of {n} pairs with {tier}" for tier, (w, n) in won.items())
        + f", and worse in {lost}.",
        note=note if wins < pairs else None,
        decided={tier: list(counts) for tier, counts in won.items()},
        decided_against_tier_1=lost,
        near_the_threshold=near_threshold(m, first, [*second, *third, *fourth]),
    )


@claim("C054", "V-A tier 1", "GPT-2 xl is better than most models of tier 2 with a probability above 90 %.")
@with_tiers
def best_model_beats_most_of_tier_2(m: Material) -> Finding:
    """Most: more than half; GPT-2 xl is read as the top-ranked model of the printed table."""
    bar, best = 0.9, "gpt2-xl"
    p = {name: m.p_better(best, name) for name in named_tiers(m)[1]}
    above = [name for name in p if p[name] > bar]
    near = [name for name in p if abs(p[name] - bar) < 3 * error(m, p[name])]
    shown = listed(f"{m.system(n).name} {percent(p[n])}" for n in above)
    rest = [p[name] for name in p if name not in above]
    spread = f"; the others have {percent(min(rest))} to {percent(max(rest))}" if rest else ""
    note = f"For {named(m, near)} the distance to {percent(bar)} is within three Monte-Carlo errors."
    return noted(
        2 * len(above) > len(p),
        f"{len(above)} of {len(p)} models of tier 2 are above {percent(bar)}"
        + (f" ({shown})" if above else "")
        + f"{spread}.",
        note=note if near else None,
        p={m.system(name).name: value for name, value in p.items()},
        error={m.system(name).name: error(m, value) for name, value in p.items()},
    )


def _shown(m: Material, p: dict[str, float], below: Container[str] = ()) -> str:
    """Systems with their probabilities for a sentence, some marked as below the range; empty for none."""
    mark = {name: ", below the range" if name in below else "" for name in p}
    return " and ".join(f"{m.system(name).name} ({percent(v)}{mark[name]})" for name, v in p.items())


@claim(
    "C055",
    "V-A tier 1",
    "Against CodeLlama 7B, ModernBERT large, T5 base and T5 large, GPT-2 xl reaches 53 to 71 % only.",
)
@with_tiers
def four_models_are_hard_to_beat(m: Material) -> Finding:
    """Each within the range, give or take half a percentage point and three Monte-Carlo errors."""
    low, high, bar = 0.53, 0.71, 0.9
    stated = ["t5-large", "t5-base", "codellama-7b", "modernbert-large"]
    p = {name: m.p_better("gpt2-xl", name) for name in named_tiers(m)[1]}
    slack = {name: 0.005 + 3 * error(m, p[name]) for name in p}
    inside = [name for name in p if low - slack[name] <= p[name] <= high + slack[name]]
    out = [name for name in stated if name not in inside]
    unnamed = {name: p[name] for name in p if name not in stated and p[name] <= bar}
    fitting = {name: v for name, v in unnamed.items() if out and name in inside}
    meant = f"{_shown(m, fitting)} would fit, so the paper may mean it. " if len(fitting) == 1 else ""
    below = [name for name in unnamed if p[name] < low - slack[name]]
    others = _shown(m, {n: v for n, v in unnamed.items() if not (meant and n in fitting)}, below)
    return noted(
        not out,
        f"{len(stated) - len(out)} of the {len(stated)} lie in the range"
        + "".join(f"; {m.system(n).name} has {percent(p[n])}" for n in out)
        + ".",
        note=meant + (f"Not named, yet not above {percent(bar)} either: {others}." if others else ""),
        p={m.system(name).name: value for name, value in p.items()},
        outside=out,
        not_mentioned_and_at_most_90_percent=unnamed,
        error={m.system(name).name: error(m, value) for name, value in p.items()},
    )


@claim("C119", "V-A tier 1", "About tier 1 against tier 2, nothing firm can be said statistically.")
@with_tiers
def nothing_firm_about_tier_1(m: Material) -> Finding:
    """Firm: decided at IV-D's threshold. None holds, less than a fifth of the pairs is a caveat, more fails."""
    few = 0.2
    first, second, _, _ = named_tiers(m)
    wins, pairs = decided_pairs(m, first, second)
    against = decided_pairs(m, second, first)[0]
    firm = {pair: p for pair, p in probabilities(m, first, second).items() if p >= m.knobs.threshold}
    shown = listed(f"{pair_name(m, pair)} ({percent(p)})" for pair, p in firm.items())
    return finding(
        wins + against < few * pairs,
        f"Of {pairs} pairs the test decides {wins} for tier 1 and {against} for tier 2.",
        caveat=f"By IV-D's own threshold these are conclusions: {shown}." if wins + against else None,
        pairs=pairs,
        decided=by_name(m, firm),
        decided_against=against,
        near_the_threshold=near_threshold(m, first, second),
    )
