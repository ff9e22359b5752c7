"""How task families and task types differ (V-B, VI, VIII)."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from selu.benchmarks.claims import claim, finding, listed
from selu.benchmarks.selu.aggregates import (
    BINARY,
    CLASSIFICATION_ROWS,
    DOMAIN_ADAPTED,
    FAMILY_ROWS,
    GENERALIST,
    MULTI_LABEL,
    TYPE_ROWS,
    cells_of,
    tasks_of,
)
from selu.benchmarks.selu.claims._scales import LARGE, MEDIUM
from selu.benchmarks.selu.claims._systems import finetuned
from selu.benchmarks.selu.material import Material
from selu.stats.effect import cohen_d
from selu.stats.rounding import agrees
from selu.vocabulary import Finding, Kind


@claim("C081", "V-B", "The six means of family and adaptation lie between .670 and .739.")
def family_means_lie_in_a_narrow_range(m: Material) -> Finding:
    """The lowest and the highest recomputed mean round to the printed ends."""
    lowest, highest = "0.670", "0.739"
    means = {
        f"{row}, {group}": float(np.mean(cells_of(m, row, group)))
        for row in FAMILY_ROWS
        for group in (GENERALIST, DOMAIN_ADAPTED)
    }
    low, high = min(means, key=lambda key: means[key]), max(means, key=lambda key: means[key])
    return finding(
        agrees(means[low], lowest) and agrees(means[high], highest),
        f"The lowest mean is {means[low]:.4f} ({low.lower()}), the highest {means[high]:.4f} ({high.lower()}).",
        means=means,
    )


def _type_means(m: Material) -> dict[str, dict[str, float]]:
    means = {}
    for row in TYPE_ROWS:
        cells = {group: cells_of(m, row, group) for group in (GENERALIST, DOMAIN_ADAPTED)}
        if all(len(values) for values in cells.values()):
            means[row] = {group: float(np.mean(values)) for group, values in cells.items()}
    return means


@claim("C083", "V-B", "Of all task types, binary classification has the highest mean for both kinds of models.")
def binary_tasks_score_highest(m: Material) -> Finding:
    """Against every other type with cells, in both columns of Table V and VI."""
    means = _type_means(m)
    best = {group: max(means, key=lambda row: means[row][group]) for group in (GENERALIST, DOMAIN_ADAPTED)}
    shown = [f"{means[row][group]:.3f} ({group.lower()}: {row})" for group, row in best.items()]
    return finding(
        set(best.values()) == {BINARY},
        f"The highest means of a task type are {listed(shown)}.",
        means=means,
    )


@claim("C084", "V-B", "Multi-label classification has clearly the lowest mean.")
def multi_label_tasks_score_lowest(m: Material) -> Finding:
    """Clearly: at least a large effect (d >= .8) below the next classification type, in both columns."""
    means, gaps = _type_means(m), {}
    others = [row for row in CLASSIFICATION_ROWS if row != MULTI_LABEL]
    for group in (GENERALIST, DOMAIN_ADAPTED):
        low = cells_of(m, MULTI_LABEL, group)
        gaps[group] = min(cohen_d(cells_of(m, row, group), low) for row in others)
    lower = {
        row: mean[GENERALIST]
        for row, mean in means.items()
        if any(mean[group] < means[MULTI_LABEL][group] for group in mean)
    }
    caveat = (
        "True of the classification types only: over all types Table VI has lower means for "
        f"{listed(f'{row} ({mean:.3f})' for row, mean in lower.items())}."
    )
    return finding(
        all(gap >= LARGE for gap in gaps.values()),
        f"Multi-label tasks have a mean of {means[MULTI_LABEL][GENERALIST]:.3f} (generalist) and "
        f"{means[MULTI_LABEL][DOMAIN_ADAPTED]:.3f} (domain-adapted), d = {gaps[GENERALIST]:.2f} and "
        f"{gaps[DOMAIN_ADAPTED]:.2f} below the nearest other classification type.",
        caveat=caveat if lower else None,
        means=means,
        d_to_next_classification_type=gaps,
        lower_types=lower,
    )


@claim("C086", "V-B", "There are too few regression, NER and MLM tasks to say how such tasks behave.")
def too_few_regression_and_token_tasks(m: Material) -> Finding:
    """Too few: at most two tasks, which leaves no spread over tasks to speak of."""
    too_few = 2
    counts = {row: len(m.task_ids(kind=kind)) for row, kind in TYPE_ROWS.items()}
    rare = {row: count for row, count in counts.items() if row not in CLASSIFICATION_ROWS}
    return finding(
        all(count <= too_few for count in rare.values()),
        f"The tasks number {listed(f'{count} ({row})' for row, count in rare.items())}, against at least "
        f"{min(counts[row] for row in CLASSIFICATION_ROWS)} of each classification type.",
        tasks=counts,
    )


@claim("C121", "VI first", "Fine-tuned LLMs are equally well suited to the three task families.")
def families_are_served_equally(m: Material) -> Finding:
    """Equally: every gap of two families' means below a medium effect; shown: its interval inside that, too."""
    from scipy import stats

    means = m.ranked[finetuned(m)].mean(axis=1)
    groups = {row: means[tasks_of(m, row)].to_numpy(dtype=np.float64) for row in FAMILY_ROWS}
    freedom = sum(len(group) - 1 for group in groups.values())
    sd = float(np.sqrt(sum(float(((x - x.mean()) ** 2).sum()) for x in groups.values()) / freedom))
    t = float(stats.t.ppf(1 - m.knobs.alpha / 2, freedom))
    gaps = {}
    for a, b in combinations(groups, 2):
        half = t * sd * float(np.sqrt(1 / len(groups[a]) + 1 / len(groups[b])))
        gap = float(groups[a].mean() - groups[b].mean())
        gaps[f"{a} - {b}"] = {"gap": gap, "d": gap / sd, "low": gap - half, "high": gap + half}
    widest = max(gaps, key=lambda key: abs(gaps[key]["gap"]))
    limit = MEDIUM * sd
    wide = max(abs(gap[end]) for gap in gaps.values() for end in ("low", "high")) >= limit
    found = gaps[widest]
    caveat = (
        f"Its 95 % interval over so few tasks, {found['low']:+.3f} to {found['high']:+.3f}, does not exclude a "
        f"gap of medium size ({limit:.3f}): no difference is seen, equality is not shown."
    )
    return finding(
        abs(found["d"]) < MEDIUM,
        f"The largest gap of two families' means is {found['gap']:+.3f} ({widest}, d = {found['d']:.2f}).",
        caveat=caveat if wide else None,
        gaps=gaps,
        pooled_sd=sd,
    )


@claim("C122", "VIII", "Binary tasks likely go well, while multi-label tasks remain hard.")
def binary_go_well_multi_label_remain_hard(m: Material) -> Finding:
    """Likely: the binary task has the higher mean fine-tuned score in at least 90 % of the pairs of tasks."""
    likely = 0.90
    means = m.ranked[finetuned(m)].mean(axis=1)
    binary, multi = m.task_ids(kind=Kind.BINARY), m.task_ids(kind=Kind.MULTI_LABEL)
    pairs = list(product(binary, multi))
    crossed = [(a, b) for a, b in pairs if means[a] <= means[b]]
    share = 1 - len(crossed) / len(pairs)
    caveat = "Not always: " + "; ".join(
        f"{b} ({means[b]:.3f}) is above {a} ({means[a]:.3f})" for a, b in crossed
    )
    return finding(
        share >= likely,
        f"In {len(pairs) - len(crossed)} of {len(pairs)} pairs the binary task has the higher mean (binary "
        f"{means[binary].mean():.3f}, multi-label {means[multi].mean():.3f}).",
        caveat=caveat + "." if crossed else None,
        means={task: float(means[task]) for task in [*binary, *multi]},
        crossed=[list(pair) for pair in crossed],
    )
