"""How task families and task types differ (V-B, VI, VIII)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, product

import numpy as np

from selu.papers.claims import claim, finding, joined, listed, rounding, scope, wording
from selu.papers.selu.analysis.aggregates import (
    BINARY,
    CLASSIFICATION_ROWS,
    DOMAIN_ADAPTED,
    FAMILY_ROWS,
    GENERALIST,
    HALF_WIDTH,
    MULTI_LABEL,
    TYPE_ROWS,
    cells_of,
    tasks_of,
)
from selu.papers.selu.claims._published import published_column, tally
from selu.papers.selu.claims._questions import TASKS
from selu.papers.selu.claims._scales import LARGE, MEDIUM, SMALL
from selu.papers.selu.claims._sources import COHEN, ROUNDING
from selu.papers.selu.claims._systems import finetuned
from selu.papers.selu.claims._unrounded import MEANS
from selu.papers.selu.material import Material
from selu.stats.effect import cohen_d, pooled_sd
from selu.stats.rounding import agrees
from selu.vocabulary import Caveat, Finding, Kind

QUESTION = TASKS


@claim(
    "C081",
    "V-B",
    "The six means of family and adaptation lie between .670 and .739.",
    weight="detail",
    quote="it is remarkably stable with mean performance scores between 0.670 and 0.739",
    holds="The lowest and the highest of the six recomputed means round to these two numbers.",
    fails="One of them does not, by more than the rounding of the scores explains (.0005).",
    caveat="One of them rounds to its number only within the rounding of the scores.",
    thresholds={".0005": "Table VI: scores have three digits"},
)
def family_means_lie_in_a_narrow_range(paper: Material) -> Finding:
    """Average the scores of each family and kind of model."""
    lowest, highest = "0.670", "0.739"
    means = {
        f"{row}, {group}": float(np.mean(cells_of(paper, row, group)))
        for row in FAMILY_ROWS
        for group in (GENERALIST, DOMAIN_ADAPTED)
    }
    low, high = min(means, key=lambda key: means[key]), max(means, key=lambda key: means[key])
    met = agrees(means[low], lowest) and agrees(means[high], highest)
    off = max(abs(means[low] - float(lowest)), abs(means[high] - float(highest)))
    return finding(
        met or off <= 2 * HALF_WIDTH,
        f"The lowest mean is {means[low]:.4f} ({low.lower()}), the highest {means[high]:.4f} ({high.lower()}).",
        caveat=None if met else rounding("One of them is met only within the rounding of the scores."),
        means=means,
    )


def _type_means(paper: Material) -> Mapping[str, Mapping[str, float]]:
    means = {}
    for row in TYPE_ROWS:
        cells = {group: cells_of(paper, row, group) for group in (GENERALIST, DOMAIN_ADAPTED)}
        if all(len(values) for values in cells.values()):
            means[row] = {group: float(np.mean(values)) for group, values in cells.items()}
    return means


@claim(
    "C083",
    "V-B",
    "Of all task types, binary classification has the highest mean for both kinds of models.",
    weight="conclusion",
    if_it_fails="Binary tasks would not be the easy ones, and another type would set the upper end.",
    quote="Binary classification tasks have the lowest complexity and achieve the highest mean performance",
    holds="Binary tasks have the highest mean of all types that have scores, for generalists and for "
    "domain-adapted models.",
    fails="For one of the two, another type has a higher mean by more than rounding explains (.001).",
    caveat="Another type's mean is so close that rounding can turn the order.",
    thresholds=ROUNDING,
)
def binary_tasks_score_highest(paper: Material) -> Finding:
    """Compare with every other type, also those that Table V leaves out."""
    means = _type_means(paper)
    lead = min(
        means[BINARY][group] - mean[group] for row, mean in means.items() if row != BINARY for group in mean
    )
    best = {group: max(means, key=lambda row: means[row][group]) for group in (GENERALIST, DOMAIN_ADAPTED)}
    shown = [f"{means[row][group]:.3f} ({group.lower()}: {row})" for group, row in best.items()]
    return finding(
        lead >= -MEANS,
        f"The highest means of a task type are {listed(shown)}.",
        caveat=rounding("Rounding of the scores could turn the order.") if lead <= MEANS else None,
        means=means,
    )


@claim(
    "C084",
    "V-B",
    "Multi-label classification has clearly the lowest mean.",
    weight="conclusion",
    if_it_fails="Another type of task would be as hard as multi-label classification, or harder.",
    quote="multi-label tasks, which are the most complex variant of classification, have clearly the "
    "lowest mean performance",
    holds="For generalists and for domain-adapted models, it is below each other classification type by a "
    "large effect (d of .8 or more), and no other task type has a lower mean.",
    fails="One of these effects is below .8, whatever the rounding of the scores.",
    caveat="It is so among the classification types, but regression, NER or MLM have a lower mean; or rounding "
    "can move an effect across .8.",
    thresholds={".8": COHEN},
)
def multi_label_tasks_score_lowest(paper: Material) -> Finding:
    """Compare scores of single models and tasks."""
    means, gaps, slack = _type_means(paper), {}, 0.0
    others = [row for row in CLASSIFICATION_ROWS if row != MULTI_LABEL]
    for group in (GENERALIST, DOMAIN_ADAPTED):
        low = cells_of(paper, MULTI_LABEL, group)
        gaps[group] = min(cohen_d(cells_of(paper, row, group), low) for row in others)
        slack = max(slack, *(MEANS / pooled_sd(cells_of(paper, row, group), low) for row in others))
    lower = {
        row: mean[GENERALIST]
        for row, mean in means.items()
        if any(mean[group] < means[MULTI_LABEL][group] for group in mean)
    }
    caveats: list[Caveat] = []
    if lower:
        sentence = (
            "This is true of the classification types only: of all types, Table VI has lower means for "
            f"{listed(f'{row} ({mean:.3f})' for row, mean in lower.items())}."
        )
        caveats.append(scope(sentence))
    if min(gaps.values()) - slack < LARGE:
        caveats.append(rounding("Rounding of the scores could move an effect across the limit."))
    return finding(
        min(gaps.values()) + slack >= LARGE,
        f"Multi-label tasks have a mean of {means[MULTI_LABEL][GENERALIST]:.3f} (generalist) and "
        f"{means[MULTI_LABEL][DOMAIN_ADAPTED]:.3f} (domain-adapted), d = {gaps[GENERALIST]:.2f} and "
        f"{gaps[DOMAIN_ADAPTED]:.2f} below the nearest other classification type.",
        caveat=joined(caveats),
        means=means,
        d_to_next_classification_type=gaps,
        lower_types=lower,
    )


@claim(
    "C086",
    "V-B",
    "There are too few regression, NER and MLM tasks to say how such tasks behave.",
    weight="detail",
    quote="We cannot reliably say how regression or token-level tasks like NER or MLM behave, due to the "
    "low number of such tasks.",
    holds="Table I has at most two tasks of each of the three types.",
    fails="It has more than two of at least one of them.",
    thresholds={"two": "our choice: two tasks leave no spread over tasks to speak of"},
)
def too_few_regression_and_token_tasks(paper: Material) -> Finding:
    """Count Table I's types."""
    too_few, rare = 2, {"Regr.": "regression", "NER": "NER", "MLM": "MLM"}  # as in Table I and in V-B
    counts = tally(published_column(paper, "table1", "Type").values())
    rest = {name: count for name, count in counts.items() if name not in rare}
    return finding(
        all(counts.get(name, 0) <= too_few for name in rare),
        f"Table I has {listed(f'{counts.get(key, 0)} {name}' for key, name in rare.items())} tasks, and at "
        f"least {min(rest.values(), default=0)} of each other type.",
        tasks=counts,
    )


@claim(
    "C121",
    "VI first",
    "Fine-tuned LLMs are equally well suited to the three task families.",
    weight="conclusion",
    if_it_fails="Fine-tuned LLMs would suit some families of tasks better than others.",
    quote="LLMs are equally well-suited for code-adjacent metadata, core non-code, and developer "
    "communication tasks",
    holds="The means of no two families, over their tasks, differ by a small effect (|d| below .2).",
    fails="Two of them differ by a medium effect or more (|d| of .5 or more), whatever the rounding of the "
    "scores.",
    caveat="The largest gap is a small effect (|d| from .2 to below .5); or rounding can turn the verdict.",
    thresholds={".2": COHEN, ".5": COHEN},
)
def families_are_served_equally(paper: Material) -> Finding:
    """Average the fine-tuned models first; the unit is the task."""
    from scipy import special

    means = paper.ranked[finetuned(paper)].mean(axis=1)
    groups = {row: means[tasks_of(paper, row)].to_numpy(dtype=np.float64) for row in FAMILY_ROWS}
    freedom = sum(len(group) - 1 for group in groups.values())
    sd = float(np.sqrt(sum(float(((x - x.mean()) ** 2).sum()) for x in groups.values()) / freedom))
    quantile = float(special.stdtrit(freedom, 1 - paper.settings.alpha / 2))
    gaps = {}
    for a, b in combinations(groups, 2):
        half = quantile * sd * float(np.sqrt(1 / len(groups[a]) + 1 / len(groups[b])))
        gap = float(groups[a].mean() - groups[b].mean())
        gaps[f"{a} - {b}"] = {"gap": gap, "d": gap / sd, "low": gap - half, "high": gap + half}
    widest = max(gaps, key=lambda key: abs(gaps[key]["gap"]))
    found = gaps[widest]
    d, slack = abs(found["d"]), MEANS / sd
    caveats: list[Caveat] = []
    if d + slack >= SMALL:
        caveats.append(wording("By Cohen's scale that is not negligible."))
    if d - slack < SMALL <= d + slack or d + slack >= MEDIUM:
        caveats.append(rounding("Rounding of the scores could turn the verdict."))
    return finding(
        d - slack < MEDIUM,
        f"The largest gap of two families' means is {found['gap']:+.3f} ({widest}, d = {found['d']:.2f}), with "
        f"a 95 % confidence interval over so few tasks of {found['low']:+.3f} to {found['high']:+.3f}.",
        caveat=joined(caveats),
        gaps=gaps,
        pooled_sd=sd,
    )


@claim(
    "C122",
    "VIII",
    "Binary tasks likely go well, while multi-label tasks remain hard.",
    weight="conclusion",
    if_it_fails="What makes a task easy or hard would not be its number of labels.",
    quote="LLMs are likely to produce good performance for binary tasks but still struggle at more complex "
    "tasks such as multi-label classification",
    holds="In at least 90 of 100 pairs of a binary and a multi-label task, the binary one has the higher mean "
    "of the fine-tuned LLMs. That it has not in all of them is a remark: the sentence says likely.",
    fails="It has in fewer than 90 of 100 pairs, whatever the rounding of the scores.",
    caveat="Rounding (.001) can turn so many pairs that the verdict is open.",
    thresholds={"90 of 100": "our choice: the meaning of 'likely'", **ROUNDING},
)
def binary_go_well_multi_label_remain_hard(paper: Material) -> Finding:
    """Compare every binary task with every multi-label task."""
    likely = 0.90
    means = paper.ranked[finetuned(paper)].mean(axis=1)
    binary, multi = paper.task_ids(kind=Kind.BINARY), paper.task_ids(kind=Kind.MULTI_LABEL)
    pairs = list(product(binary, multi))
    crossed = [(a, b) for a, b in pairs if means[a] <= means[b]]
    least, most = (sum(means[a] - means[b] > limit for a, b in pairs) for limit in (MEANS, -MEANS))
    tight = [f"{a} and {b}" for a, b in pairs if abs(means[a] - means[b]) <= MEANS]
    shown = [f"{b} ({means[b]:.3f}) is above {a} ({means[a]:.3f})" for a, b in crossed[:5]]
    others = f", and {len(crossed) - 5} more" if len(crossed) > 5 else ""
    turns = rounding(f"Rounding of the scores could turn {listed(tight)}.")
    return finding(
        most >= likely * len(pairs),
        f"In {len(pairs) - len(crossed)} of {len(pairs)} pairs the binary task has the higher mean (binary "
        f"{means[binary].mean():.3f}, multi-label {means[multi].mean():.3f}).",
        caveat=turns if least < likely * len(pairs) else None,
        remark=f"Not always: {'; '.join(shown)}{others}." if crossed else None,
        means={task: float(means[task]) for task in [*binary, *multi]},
        crossed=[list(pair) for pair in crossed],
    )
