"""Where domain adaptation matters most, and how little it does overall (V-B, VI)."""

from __future__ import annotations

from selu.papers.claims import claim, exceptions, finding, joined, listed, rounding, scope, signed
from selu.papers.selu.analysis.aggregates import (
    CLASSIFICATION_ROWS,
    COMMUNICATION,
    DOMAIN_ADAPTED,
    FAMILY_ROWS,
    GENERALIST,
    MULTI_LABEL,
    TYPE_ROWS,
    contrast,
    contrasts,
    outlying_cells,
    systems_of,
)
from selu.papers.selu.claims._questions import ADAPTATION
from selu.papers.selu.claims._scales import MEDIUM, SMALL
from selu.papers.selu.claims._sources import COHEN
from selu.papers.selu.claims._unrounded import MEANS
from selu.papers.selu.material import Material
from selu.stats.effect import cohen_d, pooled_sd
from selu.vocabulary import Caveat, Finding

QUESTION = ADAPTATION
GAPS = {".002": "Table VI: scores have three digits, so that each of four means may be off by .0005"}


@claim(
    "C085",
    "V-B",
    "Of the classification types, multi-label tasks gain most from domain adaptation.",
    weight="conclusion",
    if_it_fails="Multi-label tasks would be no special reason to take a domain-adapted model.",
    quote="multi-label tasks ... seem to benefit more from domain adaptation via code-focused pre-training",
    holds="Domain-adapted models lead by more in mean there than on each other type, also without the "
    "footnote's outliers (BERT large and RoBERTa large on multi-label tasks), without which at least half of "
    "the lead remains.",
    fails="They do not lead there, or lead by more elsewhere, by more than rounding explains (.002).",
    caveat="Without the outliers less than half of the lead remains, or another type leads; or rounding can "
    "turn the order.",
    thresholds={"half": "our choice: then the two models are not the main cause", **GAPS},
)
def multi_label_tasks_gain_most(paper: Material) -> Finding:
    """Compare differences in mean, with and without the outliers."""
    rows = list(CLASSIFICATION_ROWS)
    found = {row: c["difference"] for row, c in contrasts(paper, rows).items()}
    trimmed = {row: c["difference"] for row, c in contrasts(paper, rows, outlying_cells(paper)).items()}
    lead = found[MULTI_LABEL] - max(gap for row, gap in found.items() if row != MULTI_LABEL)
    first = max(trimmed, key=lambda row: trimmed[row])
    caveats: list[Caveat] = []
    if first != MULTI_LABEL or trimmed[MULTI_LABEL] < found[MULTI_LABEL] / 2:
        sentence = (
            f"Without the scores of BERT large and RoBERTa large on multi-label tasks the gain there is "
            f"{trimmed[MULTI_LABEL]:+.3f}, and the largest is {trimmed[first]:+.3f} ({first.lower()})."
        )
        caveats.append(exceptions(sentence))
    if lead <= 2 * MEANS or found[MULTI_LABEL] <= MEANS:
        caveats.append(rounding("Rounding of the scores could turn the order."))
    return finding(
        lead >= -2 * MEANS and found[MULTI_LABEL] > -MEANS,
        f"Domain-adapted minus generalist is {signed(found)}.",
        caveat=joined(caveats),
        differences=found,
        without_outlying_cells=trimmed,
    )


@claim(
    "C093",
    "VI third",
    "The largest, still small, effects of domain adaptation are its gain on multi-label tasks and its loss on "
    "developer communication.",
    weight="conclusion",
    if_it_fails="Domain adaptation would have a larger effect elsewhere, or in the other direction.",
    quote="The largest, though still small, mean performance differences are observed in multi-label "
    "classification tasks in favor of domain adaptation, and developer communication tasks",
    holds="Of the six rows of Table V these two have the largest differences in mean, with these signs and "
    "effects below medium (|d| below .5); no row that Table VI has beside them is larger, and the gain remains "
    "among the two without the footnote's outliers.",
    fails="Another row of Table V has a larger difference by more than rounding explains (.002), or a sign is "
    "the other one, or |d| is .5 or more.",
    caveat="Regression, NER or MLM, which Table V leaves out, show a larger difference; or without BERT large "
    "and RoBERTa large on multi-label tasks the gain is smaller than a third row's; or rounding can turn the "
    "order.",
    thresholds={".5": COHEN, **GAPS},
)
def largest_adaptation_effects(paper: Material) -> Finding:
    """Compare absolute differences in mean."""
    found = contrasts(paper, [*FAMILY_ROWS, *CLASSIFICATION_ROWS])
    ranked = sorted(found, key=lambda row: -abs(found[row]["difference"]))
    two = [MULTI_LABEL, COMMUNICATION]
    third = max(abs(c["difference"]) for row, c in found.items() if row not in two)
    lead = min(abs(found[row]["difference"]) for row in two) - third
    towards = min(found[MULTI_LABEL]["difference"], -found[COMMUNICATION]["difference"])
    effect = max(abs(found[row]["d"]) for row in two)
    slack = max(MEANS / (10 * found[row]["rope"]) for row in two)
    rest = {row: contrast(paper, row)["difference"] for row in TYPE_ROWS if row not in CLASSIFICATION_ROWS}
    least = min(abs(found[row]["difference"]) for row in two)
    larger = {row: gap for row, gap in rest.items() if abs(gap) > least}
    trimmed = contrast(paper, MULTI_LABEL, outlying_cells(paper))["difference"]
    caveats: list[Caveat] = []
    if larger:
        caveats.append(scope(f"Table VI has larger ones that Table V leaves out: {signed(larger)}."))
    if trimmed < third:
        sentence = f"Without BERT large and RoBERTa large the multi-label gain is {trimmed:+.3f}."
        caveats.append(exceptions(sentence))
    if lead <= 2 * MEANS or towards <= MEANS or effect + slack >= MEDIUM:
        caveats.append(rounding("Rounding of the scores could turn a comparison."))
    shown = signed({row: found[row]["difference"] for row in ranked})
    return finding(
        lead >= -2 * MEANS and towards > -MEANS and effect - slack < MEDIUM,
        f"Domain-adapted minus generalist, by size: {shown}. The two that VI names have d = "
        f"{found[MULTI_LABEL]['d']:.2f} and {found[COMMUNICATION]['d']:.2f}.",
        caveat=joined(caveats),
        contrasts=found,
        other_types=rest,
        multi_label_without_outlying_cells=trimmed,
    )


@claim(
    "C143",
    "VI third",
    "Domain adaptation has a surprisingly low impact on the results.",
    weight="conclusion",
    if_it_fails="Domain adaptation would be a reason of its own to choose a model.",
    quote="domain-adaption has a surprisingly low impact on the results",
    holds="Over all scores of the ranked tasks, domain-adapted models and generalists differ by less than a "
    "small effect (|d| below .2), and in each row of Table V by less than a medium one (below .5). That a row "
    "reaches a small effect is a remark: the sentence speaks of the results as a whole. That the paper is "
    "surprised is not judged.",
    fails="Over all scores the effect is small or more (|d| of .2 or more), or medium or more in a row of "
    "Table V (.5), whatever the rounding of the scores.",
    caveat="Rounding can turn a comparison.",
    thresholds={".2": COHEN, ".5": COHEN},
)
def adaptation_has_a_low_impact(paper: Material) -> Finding:
    """Take every score of a model and a task as one value."""
    adapted, generalist = (
        paper.ranked[systems_of(paper, group)].to_numpy(dtype=float).ravel()
        for group in (DOMAIN_ADAPTED, GENERALIST)
    )
    overall = abs(cohen_d(adapted, generalist))
    slack = MEANS / pooled_sd(adapted, generalist)
    rows = contrasts(paper, [*FAMILY_ROWS, *CLASSIFICATION_ROWS])
    effects = {row: abs(c["d"]) for row, c in rows.items()}
    margin = {row: MEANS / (10 * c["rope"]) for row, c in rows.items()}
    small = {row: d for row, d in effects.items() if d + margin[row] >= SMALL}
    shown = listed(f"{row.lower()} {rows[row]['difference']:+.3f} (d = {rows[row]['d']:.2f})" for row in small)
    turns = overall + slack >= SMALL or any(d + margin[row] >= MEDIUM for row, d in effects.items())
    return finding(
        overall - slack < SMALL and all(d - margin[row] < MEDIUM for row, d in effects.items()),
        f"Over all scores, domain-adapted minus generalist is {float(adapted.mean() - generalist.mean()):+.3f} "
        f"(|d| = {overall:.2f}). The largest effect in a row of Table V is |d| = {max(effects.values()):.2f}.",
        caveat=rounding("Rounding of the scores could turn a comparison.") if turns else None,
        remark=f"{len(small)} of {len(rows)} rows of Table V reach a small effect: {shown}." if small else None,
        d=overall,
        contrasts=rows,
    )
