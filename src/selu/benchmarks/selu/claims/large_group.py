"""The large group of models with similar means (V-A)."""

from __future__ import annotations

from itertools import combinations, pairwise

from selu.benchmarks.claims import claim, finding, listed
from selu.benchmarks.selu.claims._large_group import LOW, large_group, with_group
from selu.benchmarks.selu.claims._scales import MEDIUM, SMALL
from selu.benchmarks.selu.claims._systems import LEADING_SERIES, named, scores_of
from selu.benchmarks.selu.material import Material
from selu.stats.effect import MAGNITUDES, cohen_d, magnitude
from selu.stats.rounding import agrees, as_printed
from selu.vocabulary import Approach, Finding

HIGH = 0.755  # the highest mean of the large group, as V-A gives it


@claim("C039", "V-A", "Eighteen models have means from .709 to .755.")
def eighteen_models_form_the_large_group(m: Material) -> Finding:
    """Recomputed means, rounded as Table IV prints them; the ends are the lowest and the highest of them."""
    stated = 18
    means = {name: float(as_printed(float(m.ranking["M"][name]))) for name in m.order}
    inside = {name: mean for name, mean in means.items() if LOW <= mean <= HIGH}
    return finding(
        len(inside) == stated and min(inside.values()) == LOW and max(inside.values()) == HIGH,
        f"{len(inside)} systems have a mean from {LOW} to {HIGH}, the lowest "
        f"{min(inside.values(), default=0):.3f} and the highest {max(inside.values(), default=0):.3f}; the "
        f"next below has {max((v for v in means.values() if v < LOW), default=0):.3f}.",
        inside=inside,
    )


@claim(
    "C040",
    "V-A",
    "A small gap parts the large group from StarCoder2 7B (.679) and TF-IDF+XGBoost (.645), the next two.",
)
@with_group
def a_small_gap_follows_the_large_group(m: Material) -> Finding:
    """A gap: wider than every step inside the group. Small: a negligible effect (d below .2)."""
    stated = {"starcoder2-7b": "0.679", "tfidf-xgboost": "0.645"}
    group = large_group(m)
    means = m.ranking["M"]
    after = [name for name in m.order if name not in group][: len(stated)]
    ordered = sorted((float(means[name]) for name in group), reverse=True)
    inside = max((a - b for a, b in pairwise(ordered)), default=0.0)
    last = min(group, key=lambda name: means[name])
    gap, within = float(means[last] - means[after[0]]), float(means[after[0]] - means[after[1]])
    d = cohen_d(scores_of(m, last), scores_of(m, after[0]))
    caveat = f"It is smaller than the step between these two ({within:.4f})."
    return finding(
        after == list(stated)
        and all(agrees(float(means[name]), text) for name, text in stated.items())
        and gap > inside
        and d < SMALL,
        f"After the group come {listed(f'{m.system(n).name} ({means[n]:.3f})' for n in after)}; the gap "
        f"before them is {gap:.4f} (d = {d:.2f}), the widest step inside the group {inside:.4f}.",
        caveat=caveat if within > gap else None,
        after=after,
        means={name: float(means[name]) for name in [*group, *after]},
        gap=gap,
        d=d,
        widest_step_inside=inside,
        step_between_the_two=within,
    )


@claim("C046", "V-A", "A higher mean tends to go with a lower standard deviation across tasks.")
@with_group
def higher_means_have_lower_deviation(m: Material) -> Finding:
    """Spearman's correlation of M and SD over all systems is negative, with p below alpha."""
    from scipy import stats

    frame, group = m.ranking, large_group(m)
    below = [name for name in m.order if name not in group]
    parts = {"all systems": m.order, "the large group": group, "those below": below}
    tests = {part: stats.spearmanr(frame["M"][names], frame["SD"][names]) for part, names in parts.items()}
    rho = {part: float(test.statistic) for part, test in tests.items()}
    p = {part: float(test.pvalue) for part, test in tests.items()}
    sd = {name: float(frame["SD"][name]) for name in m.order}
    steady = min(below, key=sd.__getitem__)
    place = 1 + sum(value < sd[steady] for value in sd.values())
    caveat = (
        f"Among the {len(below)} systems below the large group it does not show ({rho['those below']:+.2f}, p "
        f"= {p['those below']:.2f}); of these, {m.system(steady).name} at rank {frame['rank'][steady]} "
        f"has the lowest SD ({sd[steady]:.3f}), by which it is number {place} of all {len(m.order)}."
    )
    return finding(
        rho["all systems"] < 0 and p["all systems"] < m.knobs.alpha,
        f"Spearman's correlation of M and SD is {rho['all systems']:+.2f} (p = {p['all systems']:.1g}) over "
        f"{len(m.order)} systems and {rho['the large group']:+.2f} within the large group.",
        caveat=caveat if rho["those below"] >= 0 or p["those below"] >= m.knobs.alpha else None,
        spearman=rho,
        p=p,
        lowest_deviation_below_the_group=[steady, sd[steady], place],
    )


@claim("C047", "V-A", "Within the large group, no effect size is more than small.")
@with_group
def effects_in_the_large_group_are_small(m: Material) -> Finding:
    """All pairs of the group, not only those with the top-ranked model; at best small is |d| below .5."""
    pairs = list(combinations(large_group(m), 2))
    d = {(a, b): abs(cohen_d(scores_of(m, a), scores_of(m, b))) for a, b in pairs}
    (a, b) = max(d, key=lambda pair: d[pair])
    counts = {name: sum(magnitude(x) == name for x in d.values()) for name in MAGNITUDES}
    return finding(
        d[a, b] < MEDIUM,
        f"The largest |d| of {len(pairs)} pairs is {d[a, b]:.3f} ({m.system(a).name} and {m.system(b).name}); "
        f"{counts['negligible']} are negligible and {counts['small']} small.",
        pairs=len(pairs),
        largest=[a, b, d[a, b]],
        classes=counts,
    )


@claim(
    "C117",
    "V-A",
    "Beside GPT-2 and Llama 3.2, the large group holds StarCoder2 3B, T5 but its smallest, CodeT5+, "
    "ModernBERT, CodeLlama, RoBERTa base and BERT base.",
)
def members_of_the_large_group(m: Material) -> Finding:
    """The models that V-A lists, read from the records by series and size, against the printed means."""
    series: dict[str, list[str]] = {}
    for s in m.systems:
        if s.approach is Approach.FINETUNED:
            series.setdefault(str(s.series), []).append(s.id)
    by_size = {s: sorted(names, key=lambda n: m.system(n).parameters or 0) for s, names in series.items()}
    whole = [n for s in (*LEADING_SERIES, "CodeT5+", "ModernBERT", "CodeLlama") for n in by_size[s]]
    smallest = [by_size[s][0] for s in ("StarCoder2", "RoBERTa", "BERT")]
    stated = {*whole, *smallest, *by_size["T5"][1:]}
    group = set(large_group(m))
    wrong, unnamed = sorted(stated - group), sorted(group - stated)
    return finding(
        not wrong,
        f"{len(stated & group)} of the {len(stated)} models listed are in the group of {len(group)}"
        + (f", but not {named(m, wrong)}." if wrong else "."),
        caveat=f"The list leaves out {named(m, unnamed)}, which is in the group." if unnamed else None,
        listed=sorted(stated),
        group=sorted(group),
        not_in_group=wrong,
        not_listed=unnamed,
    )
