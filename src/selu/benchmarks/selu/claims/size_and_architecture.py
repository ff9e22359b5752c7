"""Model size and architecture as drivers of performance (V-A, V-B, VI-A)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import comb

import numpy as np

from selu.benchmarks.claims import claim, finding, listed, percent, signed
from selu.benchmarks.selu.claims._scales import MEDIUM, NO_DIFFERENCE
from selu.benchmarks.selu.claims._systems import (
    finetuned,
    mean_of,
    means_of,
    name_of,
    scores_of,
    sd_of,
    size_of,
    size_range,
)
from selu.benchmarks.selu.claims._tiers import decided_pairs
from selu.benchmarks.selu.material import Material
from selu.stats.compare import BETTER, WORSE
from selu.stats.effect import cohen_d
from selu.vocabulary import Approach, Finding

AROUND_1B_3B = "1B to 5B"  # the range of sizes that VI-A means
THREE_BILLION = 3_000_000_000


@claim("C068", "Box V-A", "No strong result favours a model size.")
def no_size_is_favoured(m: Material) -> Finding:
    """Strong: Spearman's correlation of printed size and mean over the fine-tuned models with p below alpha."""
    from scipy import stats

    tuned = m.names(approach=Approach.FINETUNED)
    sizes = {name: float(m.system(name).parameters or 0) for name in tuned}
    test = stats.spearmanr(list(sizes.values()), list(means_of(m, tuned).values()))
    pairs = [(a, b) for a in tuned for b in tuned if sizes[a] > sizes[b]]
    larger = [(a, b) for a, b in pairs if str(m.decisions.loc[a, b]) == BETTER]
    smallest = min(tuned, key=lambda name: sizes[name])
    over = sum(b == smallest for _, b in larger)
    smaller = sum(str(m.decisions.loc[b, a]) == BETTER for a, b in pairs)
    caveat = f"Of the {len(larger)} decided for the larger, {over} are decided over {m.system(smallest).name}."
    return finding(
        float(test.pvalue) >= m.knobs.alpha,
        f"Spearman's correlation of size and mean over {len(tuned)} models is {float(test.statistic):+.2f} (p "
        f"= {float(test.pvalue):.2f}); of {len(pairs)} pairs the test decides {len(larger)} for the larger "
        f"model and {smaller} for the smaller.",
        caveat=caveat if len(larger) > 2 * smaller else None,
        spearman=float(test.statistic),
        p=float(test.pvalue),
        pairs=len(pairs),
        decided_for_larger=len(larger),
        decided_for_larger_over_the_smallest=over,
        decided_for_smaller=smaller,
    )


def _kruskal(m: Material, means: Mapping[str, float], *, of_series: bool = False) -> tuple[float, float]:
    """Kruskal-Wallis of these models' means by architecture: p and epsilon^2; a series may count as one."""
    from scipy import stats

    groups: dict[str, dict[str, list[float]]] = {}
    for name, mean in means.items():
        system = m.system(name)
        unit = str(system.series) if of_series else name
        groups.setdefault(str(system.architecture), {}).setdefault(unit, []).append(mean)
    values = [[float(np.mean(unit)) for unit in units.values()] for units in groups.values()]
    test = stats.kruskal(*values)
    return float(test.pvalue), float(test.statistic) / (sum(map(len, values)) - 1)


def _most_needed_series(m: Material, means: Mapping[str, float]) -> tuple[str, float]:
    """The series without which Kruskal-Wallis over the models has the highest p, and that p."""
    p = {
        series: _kruskal(m, {n: mean for n, mean in means.items() if m.system(n).series != series})[0]
        for series in {str(m.system(name).series): None for name in means}
    }
    most = max(p, key=lambda series: p[series])
    return most, p[most]


@claim("C069", "Box V-A", "No strong result favours an architecture.")
def no_architecture_is_favoured(m: Material) -> Finding:
    """Strong: Kruskal-Wallis with p below alpha over the models and over their series, epsilon^2 >= .14.

    Models of one series are no independent witnesses, so that p over the models alone is only a caveat.
    """
    large, alpha = 0.14, m.knobs.alpha
    means = means_of(m, m.names(approach=Approach.FINETUNED))
    groups: dict[str, list[str]] = {}
    for name in means:
        groups.setdefault(str(m.system(name).architecture), []).append(name)
    (p, epsilon), (p_series, epsilon_series) = _kruskal(m, means), _kruskal(m, means, of_series=True)
    series, p_without = _most_needed_series(m, means)
    medians = {key: float(np.median([means[name] for name in names])) for key, names in groups.items()}
    best = max(medians, key=lambda key: medians[key])
    rest = [name for key, names in groups.items() if key != best for name in names]
    (won, pairs), (lost, _) = decided_pairs(m, groups[best], rest), decided_pairs(m, rest, groups[best])
    units = len({m.system(name).series for name in means})
    rests = f" and rests on {series} (p = {p_without:.2f} without it)" if p_without >= alpha else ""
    top = f", and VIII itself calls {best} models the top tier" if best == "decoder-only" else ""
    caveat = (
        f"The latter takes the models of one series as independent{rests}. {best.capitalize()} models are "
        f"decided better in {won} of {pairs} pairs and worse in {lost}{top}."
    )
    return finding(
        max(p, p_series) >= alpha or min(epsilon, epsilon_series) < large,
        f"The median mean is {listed(f'{v:.3f} ({key})' for key, v in medians.items())}; Kruskal-Wallis gives "
        f"p = {p_series:.2f} over the means of the {units} series (epsilon^2 = {epsilon_series:.2f}) and p = "
        f"{p:.3f} over the {len(means)} models.",
        caveat=caveat if p < alpha else None,
        p_over_models=p,
        epsilon_squared_over_models=epsilon,
        p_over_series=p_series,
        epsilon_squared_over_series=epsilon_series,
        p_over_models_without={series: p_without},
        medians=medians,
        decided_for_best=[won, pairs],
        decided_against_best=lost,
    )


@claim("C073", "V-B", "Within a series, the larger fine-tuned model has the higher mean in most steps.")
def larger_models_in_a_series_tend_to_win(m: Material) -> Finding:
    """A step is two neighbouring sizes of one series; "tend to" is more than half of the steps upwards."""
    means = m.ranking["M"]
    series: dict[str, list[str]] = {}
    for system in sorted(
        (s for s in m.systems if s.approach is Approach.FINETUNED), key=lambda s: s.parameters or 0
    ):
        series.setdefault(str(system.series), []).append(system.id)
    steps = {
        f"{m.system(a).name} to {m.system(b).name}": float(means[b] - means[a])
        for versions in series.values()
        for a, b in pairwise(versions)
    }
    up, n = sum(step > 0 for step in steps.values()), len(steps)
    decided = sum(bool(m.decisions.loc[b, a] == BETTER) for v in series.values() for a, b in pairwise(v))
    chance = sum(comb(n, k) for k in range(up, n + 1)) / 2**n
    average = float(np.mean(list(steps.values())))
    caveat = (
        f"A coin gives that many upward steps or more with probability {percent(chance)}, and the average "
        f"step is {average:+.3f} ({decided} upward steps are decided by the test)."
    )
    return finding(
        up > n / 2,
        f"{up} of the {n} steps between neighbouring sizes of a series go up; down go "
        f"{signed({name: step for name, step in steps.items() if step <= 0})}.",
        caveat=caveat if chance > m.knobs.alpha or average <= 0 else None,
        steps=steps,
        steps_up=up,
        sign_test_one_sided=chance,
        mean_step=average,
        upward_steps_decided=decided,
    )


@claim("C074", "V-B", "BERT base is in reach of, or above, models with several billion parameters.")
def bert_base_competes_with_billions(m: Material) -> Finding:
    """Several billion means over two; competing: no lower mean than half of them, not decided worse by most."""
    several_billion, bert = 2e9, "bert-base"
    means = m.ranking["M"]
    rivals = [
        s.id for s in m.systems if s.approach is Approach.FINETUNED and (s.parameters or 0) > several_billion
    ]
    above = [name for name in rivals if means[bert] >= means[name]]
    lost = [name for name in rivals if m.decisions.loc[bert, name] == WORSE]
    caveat = f"The test decides for {listed(m.system(name).name for name in lost)} against it."
    return finding(
        2 * len(above) >= len(rivals) and 2 * len(lost) <= len(rivals),
        f"With a mean of {means[bert]:.3f} BERT base stands above {len(above)} of the {len(rivals)} models of "
        f"more than two billion parameters ({listed(m.system(name).name for name in above)}).",
        caveat=caveat if lost else None,
        means={name: float(means[name]) for name in [bert, *rivals]},
        p_rival_better={name: m.p_better(name, bert) for name in rivals},
        decided_against_bert=lost,
    )


@claim("C098", "VI-A", "Fine-tuned LLMs around 1B and 3B parameters perform best.")
def models_around_1b_to_3b_perform_best(m: Material) -> Finding:
    """Mean over the models of five ranges of size; the range 1B to 5B must come first."""
    groups: dict[str, list[str]] = {}
    for name in finetuned(m):
        groups.setdefault(size_range(m.system(name).parameters), []).append(name)
    means = {size: float(np.mean([mean_of(m, name) for name in names])) for size, names in groups.items()}
    ranked = sorted(means, key=lambda size: -means[size])
    margin = means[ranked[0]] - means[ranked[1]]
    spread = [mean_of(m, name) for name in groups[ranked[0]]]
    caveats = []
    if margin < NO_DIFFERENCE:
        caveats.append(
            f"The lead of {ranked[0]} over {ranked[1]} is {margin:.4f}, while its models spread from "
            f"{min(spread):.3f} to {max(spread):.3f}."
        )
    three = [mean_of(m, name) for name in finetuned(m) if size_of(m, name) == THREE_BILLION]
    alone = float(np.mean(three)) if three else float("nan")
    if alone < means[ranked[1]]:
        caveats.append(f"The 3B models alone average {alone:.3f}, below {ranked[1]} ({means[ranked[1]]:.3f}).")
    return finding(
        ranked[0] == AROUND_1B_3B,
        f"Means by size are {listed(f'{means[s]:.3f} ({s}, {len(groups[s])} models)' for s in ranked)}.",
        caveat=" ".join(caveats),
        means=means,
        models=groups,
        margin=margin,
        means_of_3b_models=three,
    )


@claim("C099", "VI-A", "BERT base balances consistent performance and efficiency well.")
def bert_base_is_a_good_trade_off(m: Material) -> Finding:
    """Nothing of its size or smaller has a higher mean, and it is less than a medium effect below the best."""
    bert, near = "bert-base", 1.25
    size = size_of(m, bert)
    rivals = [name for name in finetuned(m) if name != bert and mean_of(m, name) > mean_of(m, bert)]
    smaller = [name for name in rivals if size_of(m, name) <= size]
    close = [name for name in rivals if size < size_of(m, name) <= near * size]
    d = cohen_d(scores_of(m, m.order[0]), scores_of(m, bert))
    shown = listed(
        f"{name_of(m, n)} with {m.system(n).size_printed} (M = {mean_of(m, n):.3f}, SD = {sd_of(m, n):.3f})"
        for n in close
    )
    return finding(
        not smaller and d < MEDIUM,
        f"With {m.system(bert).size_printed} parameters BERT base reaches M = {mean_of(m, bert):.3f} "
        f"(SD = {sd_of(m, bert):.3f}, d = {d:.2f} below the best); {len(smaller)} models of at most its size "
        "have a higher mean.",
        caveat=f"At nearly its size, {shown} does better." if close else None,
        d_to_best=d,
        better_and_smaller=smaller,
        better_and_at_most_a_quarter_larger=close,
        p_those_better={name: m.p_better(name, bert) for name in close},
        p_those_equal={name: m.p_equal(name, bert) for name in close},
    )
