"""Prompted systems: their ranks and their means (V-A)."""

from __future__ import annotations

import numpy as np

from selu.papers.claims import claim, exceptions, finding, joined, listed, percent, rounding
from selu.papers.selu.analysis.aggregates import HALF_WIDTH
from selu.papers.selu.claims._constant_answers import constant_answers, rows_by_class
from selu.papers.selu.claims._questions import PROMPTING
from selu.papers.selu.claims._scales import SMALL
from selu.papers.selu.claims._systems import error, mean_of, named, scores_of
from selu.papers.selu.material import Material
from selu.stats.effect import cohen_d
from selu.stats.rounding import agrees
from selu.vocabulary import Approach, Finding

QUESTION = PROMPTING


@claim(
    "C042",
    "V-A",
    "All proprietary LLMs rank among the lowest third.",
    weight="conclusion",
    if_it_fails="A prompted proprietary model would be a serious choice without any fine-tuning.",
    quote="The proprietary LLMs are in the bottom-third of the ranking",
    holds="By mean over the tasks of Table IV, each prompted system ranks below two thirds of all systems.",
    caveat="Rounding of the scores can lift one of them above that line.",
    fails="A prompted system ranks above that line.",
)
def proprietary_models_are_in_the_bottom_third(paper: Material) -> Finding:
    """Check the ranks; rounding moves a mean by half a unit of its last published digit at most."""
    line = len(paper.order) * 2 / 3
    last = mean_of(paper, paper.order[int(line) - 1])  # the lowest mean above the line
    ranks = {name: paper.order.index(name) + 1 for name in paper.names(approach=Approach.PROMPTED)}
    close = [name for name in ranks if last - mean_of(paper, name) < 2 * HALF_WIDTH]
    return finding(
        all(rank > line for rank in ranks.values()),
        f"Their ranks are {listed(f'{rank} ({paper.system(name).name})' for name, rank in ranks.items())} of "
        f"{len(paper.order)}; the bottom third starts below {line:.1f}.",
        caveat=rounding(f"Rounding of the scores can lift {named(paper, close)} above that.")
        if close
        else None,
        ranks=ranks,
    )


def _digits(text: str) -> int:
    return len(text.partition(".")[2])


def _stated_means(paper: Material, shots: int) -> Finding:
    """Compare the means that V-A's text gives for the prompted models with the recomputed ones."""
    names = {paper.system(name).name: name for name in paper.names(approach=Approach.PROMPTED, shots=shots)}
    stated = {name: paper.published("text", "V-A", f"Mean of {name}") for name in names}
    means = {name: mean_of(paper, system) for name, system in names.items()}
    met = {name: agrees(means[name], text) for name, text in stated.items()}
    off = {name: abs(means[name] - float(text)) for name, text in stated.items() if not met[name]}
    close = [name for name in off if off[name] <= HALF_WIDTH + 10 ** -_digits(stated[name]) / 2]
    caveat = f"The difference of {listed(close)} is no larger than rounding of the scores explains."
    return finding(
        all(met[name] or name in close for name in stated),
        listed(f"{name} has {means[name]:.5f} (the text says {text})" for name, text in stated.items()) + ".",
        caveat=rounding(caveat) if close else None,
        stated=stated,
        means=means,
        met=met,
    )


_MEANS = "The recomputed mean of both systems rounds to the number of the text."
_NEAR = "A recomputed mean rounds to another number, by no more than rounding of the scores explains."
_FAR = "A recomputed mean is further away from the number of the text."


@claim(
    "C043",
    "V-A",
    "With three shots, the means are .601 (GPT-4o) and .592 (Claude 3.7).",
    weight="detail",
    quote="with a 3-shot performance of 0.601 and 0.592 for GPT-4o and Claude 3.7 Sonnet, respectively",
    holds=_MEANS,
    caveat=_NEAR,
    fails=_FAR,
)
def three_shot_means(paper: Material) -> Finding:
    """Compare the means over the tasks of Table IV."""
    return _stated_means(paper, 3)


@claim(
    "C044",
    "V-A",
    "Without shots, the means are .573 (GPT-4o) and .572 (Claude 3.7).",
    weight="detail",
    quote="The zero-shot performance for both LLMs is slightly worse with 0.573 and 0.572, respectively.",
    holds=_MEANS,
    caveat=_NEAR,
    fails=_FAR,
)
def zero_shot_means(paper: Material) -> Finding:
    """Compare the means over the tasks of Table IV."""
    return _stated_means(paper, 0)


@claim(
    "C045",
    "V-A",
    "For both proprietary LLMs, zero-shot is slightly worse than 3-shot.",
    weight="conclusion",
    if_it_fails="Examples in the prompt would not pay, or they would raise the score by more than a little.",
    quote="The zero-shot performance for both LLMs is slightly worse",
    holds="For both LLMs the mean without shots is lower, and the effect is negligible (Cohen's d below 0.2). "
    "That the test finds practical equivalence likelier is a remark: the sentence says slightly.",
    caveat="Rounding of the scores can turn the difference.",
    fails="For one of them the mean without shots is as high or higher, or the effect is 0.2 or more.",
    thresholds={"0.2": "Cohen 1988, the cut of Table IV's last column between negligible and small"},
)
def zero_shot_is_slightly_worse(paper: Material) -> Finding:
    """Pairs of one series."""
    rows: dict[str, dict[str, float]] = {}
    for name in paper.names(approach=Approach.PROMPTED, shots=3):
        (other,) = paper.names(approach=Approach.PROMPTED, shots=0, series=paper.system(name).series)
        three, zero = scores_of(paper, name), scores_of(paper, other)
        rows[str(paper.system(name).series)] = {
            "difference": float(three.mean() - zero.mean()),
            "d": cohen_d(three, zero),
            "p_three_shot_better": paper.p_better(name, other),
            "p_equal": paper.p_equal(name, other),
            "error": error(paper, paper.p_better(name, other)),
            "tasks_where_three_shot_is_ahead": int(np.sum(three > zero)),
        }
    likely_equal = [s for s, row in rows.items() if row["p_equal"] > row["p_three_shot_better"]]
    undecided = [s for s, row in rows.items() if row["p_three_shot_better"] < paper.settings.threshold]
    tiny = [s for s, row in rows.items() if row["difference"] < 2 * HALF_WIDTH]
    equal = (
        f"The test finds no clear winner for {listed(undecided)}, and practical equivalence is the likeliest "
        f"for {listed(likely_equal)} ({listed(percent(rows[s]['p_equal']) for s in likely_equal)})."
    )
    rounded = f"Rounding of the scores can turn the difference of {listed(tiny)}."
    return finding(
        all(row["difference"] > 0 and row["d"] < SMALL for row in rows.values()),
        "The mean falls "
        + listed(
            f"by {r['difference']:.3f} for {s} (d = {r['d']:.2f}, P = {percent(r['p_three_shot_better'])})"
            for s, r in rows.items()
        )
        + ".",
        caveat=rounding(rounded) if tiny else None,
        remark=equal if likely_equal else None,
        pairs=rows,
    )


@claim(
    "C113",
    "Table VI",
    "On tone_bearing, prompting does no better than always answering the larger class.",
    weight="detail",
    kind="our check",
    holds="The F1-macro of every prompted system on tone_bearing, and their mean, is at or below that of "
    "always answering the larger class.",
    caveat="Fewer than half of the systems lie above, or rounding can lift the mean above.",
    fails="The mean lies above, or half of the systems or more do.",
    thresholds={"half": "our choice: most"},
)
def prompting_loses_to_a_constant(paper: Material) -> Finding:
    """Compare with a constant answer; class counts are those of the authors' published confusion matrix."""
    counts, rows = rows_by_class(paper, "tone_bearing")
    bar = constant_answers(paper)["tone_bearing"]
    scores = {
        paper.system(s).name: paper.number("table6", "tone_bearing", paper.system(s).name)
        for s in paper.names(approach=Approach.PROMPTED)
    }
    above = {name: score for name, score in scores.items() if score > bar + HALF_WIDTH}
    mean = float(np.mean(list(scores.values())))
    higher = f"Above it lies {listed(f'{name} with {score:.3f}' for name, score in above.items())}."
    narrow = "Rounding can lift their mean above it."
    caveats = [exceptions(higher)] if above else []
    caveats += [rounding(narrow)] if bar - mean < HALF_WIDTH else []
    return finding(
        mean <= bar and 2 * len(above) < len(scores),
        f"Always answering the class of {max(counts.values()):,} of the {rows:,} test rows scores {bar:.3f}; "
        f"the {len(scores)} prompted systems score {listed(f'{score:.3f}' for score in scores.values())}, "
        f"{mean:.3f} on average.",
        caveat=joined(caveats),
        constant_f1=bar,
        test_rows={str(label): count for label, count in counts.items()},
        prompted=scores,
    )
