"""More instances, larger models, other training data (sections V-B to V-E, Table VI, figures 2 and 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from selu.boards.rounding import Range
from selu.papers.claims import claim, exceptions, finding, joined, listed, scope, unless_known
from selu.papers.crosscodebench.claims._known import CONCLUSION, DETAIL, IMPLIED, besides, portion
from selu.papers.crosscodebench.material import PAIRS, Material
from selu.vocabulary import Finding, Verdict

QUESTION = "What do more data, larger models and other tasks bring?"
METRICS = ("BLEU", "ROUGE-L")


def scores(paper: Material, experiment: str) -> Mapping[str, float]:
    """Read both scores of an experiment of Table VI."""
    return {metric: paper.number("table6", experiment, metric) for metric in METRICS}


def _ahead(paper: Material, pairs: Sequence[tuple[str, str]]) -> Finding:
    """Find whether the first experiment of each pair is better by both metrics."""
    lost = [
        f"{better} against {worse} ({metric})"
        for better, worse in pairs
        for metric in METRICS
        if scores(paper, better)[metric] <= scores(paper, worse)[metric]
    ]
    gains = [
        f"{better} against {worse} {scores(paper, better)['BLEU'] - scores(paper, worse)['BLEU']:+.2f} BLEU"
        for better, worse in pairs
    ]
    return finding(not lost, f"Experiment {listed(gains)}{besides(lost)}.", lost=lost)


@claim(
    "X44",
    "V-B",
    "BLEU falls when a task gives 20,000 instances instead of 10,000.",
    holds="Figure 2 has a lower BLEU at 20,000.",
    fails="It has no lower one.",
    weight=CONCLUSION,
    quote="when the maximum number of instances per task increases from 10,000 to 20,000, the BLEU shows a "
    "significant decrease",
    if_it_fails="Training on 20,000 instances of each task would be no loss, and 10,000 would not be where to "
    "stop.",
)
def bleu_falls(paper: Material) -> Finding:
    """Read figure 2, once its numbers are here."""
    if not_checkable := unless_known(paper, "figure2", "Figure 2 is an image without numbers"):
        return not_checkable
    at = {size: paper.number("figure2", size, "BLEU") for size in ("10,000", "20,000")}
    because = f"BLEU is {at['10,000']:.2f} at 10,000 and {at['20,000']:.2f} at 20,000 instances."
    return finding(at["20,000"] < at["10,000"], because, bleu=at)


@claim(
    "X45",
    "I, V-B",
    "Gains slow down after 10,000 instances of a task.",
    holds="In Figure 2 the step from 10,000 to 20,000 adds less of both metrics than that from 5,000 to "
    "10,000.",
    fails="It adds as much or more of one.",
    thresholds={"5,000": "section V-B, the step before", "20,000": "section V-B, the step after"},
    weight=CONCLUSION,
    quote="it is difficult for the model to maintain a high improving speed of performance as data instances "
    "increasing",
    if_it_fails="It would be worth the cost to train on more than 10,000 instances of each task.",
)
def gains_slow_down(paper: Material) -> Finding:
    """Read figure 2, once its numbers are here."""
    if not_checkable := unless_known(paper, "figure2", "Figure 2 is an image without numbers"):
        return not_checkable
    steps = {}
    for metric in METRICS:
        small, middle, large = (paper.number("figure2", size, metric) for size in ("5,000", "10,000", "20,000"))
        steps[metric] = (middle - small, large - middle)
    lost = [metric for metric, (before, after) in steps.items() if after >= before]
    sentences = [f"{metric} {before:+.2f}, then {after:+.2f}" for metric, (before, after) in steps.items()]
    return finding(not lost, f"The two steps are {listed(sentences)}.", steps=steps)


@claim(
    "X46",
    "V-C",
    "Larger models are always better.",
    holds="In Figure 3 each larger version of a model has higher scores.",
    fails="One has a lower one.",
    weight=CONCLUSION,
    quote="increasing the model size consistently delivers an improvement in the cross-task performance",
    if_it_fails="A smaller version of a model could do as well on unseen tasks, at less cost.",
)
def larger_models(paper: Material) -> Finding:
    """Read figure 3, once its numbers are here: rows MODEL/SIZE from the smallest to the largest."""
    if not_checkable := unless_known(paper, "figure3", "Figure 3 is an image without numbers"):
        return not_checkable
    rows = paper.row_names("figure3")
    steps = [
        (small, large) for small, large in pairwise(rows) if small.partition("/")[0] == large.partition("/")[0]
    ]
    if not steps:
        because = f"Figure 3 has {len(rows)} rows, and none is a larger version of another"
        return unless_known(paper, "figure3_sizes", because) or finding(False, f"{because}.")
    lost = [
        large
        for small, large in steps
        if any(
            paper.number("figure3", large, metric) <= paper.number("figure3", small, metric)
            for metric in METRICS
        )
    ]
    return finding(
        not lost, f"{portion(len(steps) - len(lost), len(steps))} steps improve both metrics.", lost=lost
    )


@claim(
    "X47",
    "Table VI",
    "Experiments 2 and 3 are those of Table V: CodeT5 with 2/0-instruct on Cat-Intra-BF and Cat-Inter-BF.",
    holds="Scores and training sizes are published alike in both tables.",
    fails="One of them differs.",
    weight=DETAIL,
    kind=IMPLIED,
)
def repeated_experiments(paper: Material) -> Finding:
    """Compare the cells of Tables IV, V and VI."""
    lost = []
    for experiment, split in zip(("2", "3"), ("Cat-Intra-BF", PAIRS["Cat-Intra-BF"]), strict=True):
        beside = {
            metric: paper.published("table5", "CodeT5, 2/0-instruct", f"{split}: {metric}")
            for metric in METRICS
        }
        beside["Training size"] = paper.published("table4", split, "Training instances")
        lost += [
            f"{name} of {experiment}"
            for name, text in beside.items()
            if paper.published("table6", experiment, name) != text
        ]
    return finding(not lost, f"{portion(6 - len(lost), 6)} scores agree{besides(lost)}.", lost=lost)


@claim(
    "X48",
    "Table VI",
    "The training sizes follow from Tables III and IV.",
    holds="Each is the size of its types without what is left out, within the rounding of both numbers.",
    fails="One is another number.",
    weight=DETAIL,
    kind=IMPLIED,
)
def training_sizes(paper: Material) -> Finding:
    """Subtract the types that an experiment leaves out."""
    fixing = paper.amount("table4", "Cat-Intra-BF", "Evaluation instances")
    everything, generation, rewriting = (
        paper.of_type(name, "Instances") for name in ("Total", "Generation", "Generation: Rewrite")
    )
    expected = {
        "1": Range(rewriting - fixing.high, rewriting - fixing.low),
        "2": Range(generation - fixing.high, generation - fixing.low),
        "3": Range(everything - fixing.high, everything - fixing.low),
        "4": _exactly(generation - rewriting),
        "5": _exactly(everything - rewriting),
        "6": _exactly(everything - generation),
    }
    lost = [
        name
        for name, range_ in expected.items()
        if not range_.meets(paper.amount("table6", name, "Training size"))
    ]
    return finding(not lost, f"{portion(6 - len(lost), 6)} sizes follow{besides(lost)}.", lost=lost)


def _exactly(number: int) -> Range:
    return Range(Fraction(number), Fraction(number))


@claim(
    "X49",
    "V-D",
    "Data of the same sub-type matter where other data are there.",
    holds="Experiments 2 and 3 are better than 4 and 5 by both metrics.",
    fails="One of them is not.",
    thresholds={"2": "Table VI", "3": "Table VI", "4": "Table VI", "5": "Table VI"},
    weight=CONCLUSION,
    quote="we learn that the data within the sub-type plays an important role",
    if_it_fails="For bug fixing, other rewriting tasks would be no better training data than tasks of other "
    "kinds.",
)
def same_sub_type(paper: Material) -> Finding:
    """Compare with and without data of the sub-type."""
    return _ahead(paper, [("2", "4"), ("3", "5")])


@claim(
    "X50",
    "V-D",
    "Data of the same sub-type alone are worse than data of other sub-types and types.",
    holds="Each experiment without the sub-type, 4, 5 and 6, is better than 1 by both metrics.",
    caveat="Experiments 5 and 6 are, and 4 is not.",
    fails="Experiment 5 or 6 is not.",
    thresholds={"1": "Table VI", "4": "Table VI", "5": "Table VI", "6": "Table VI"},
    weight=CONCLUSION,
    quote="the performance achieved by using only in-sub-type data is not as good as that achieved by using "
    "data outside the sub-type",
    if_it_fails="For bug fixing, a small set of rewriting tasks alone would do, without millions of instances "
    "of other tasks.",
)
def sub_type_alone(paper: Material) -> Finding:
    """Compare data of the sub-type alone with data without it."""
    found = _ahead(paper, [("5", "1"), ("6", "1")])
    third = {metric: scores(paper, "4")[metric] - scores(paper, "1")[metric] for metric in METRICS}
    if found.verdict is Verdict.FAILS or min(third.values()) > 0:
        return found
    numbers = {**found.numbers, "4_against_1": third}
    caveat = exceptions(
        f"Experiment 4, which has no data of the sub-type either, is {third['BLEU']:+.2f} BLEU."
    )
    return finding(True, found.because, caveat=caveat, **numbers)


@claim(
    "X51",
    "V-D",
    "Data of the same type are worse than data of all other types.",
    holds="Experiment 6 is better than 2 by both metrics.",
    fails="It is not.",
    thresholds={"2": "Table VI", "6": "Table VI"},
    weight=CONCLUSION,
    quote="the performance using in-type data is worse than that using out-type data only",
    if_it_fails="For bug fixing, tasks of the same type would be at least as good training data as tasks of "
    "all other types.",
)
def same_type(paper: Material) -> Finding:
    """Compare data of the type with data of the others."""
    return _ahead(paper, [("6", "2")])


@claim(
    "X52",
    "V-D",
    "The amount of data matters more than whether they are of the same type.",
    holds="No experiment with fewer data of the same type is better than one with more data of "
    "other types, and none "
    "with fewer data of the sub-type.",
    caveat="One with fewer data of the sub-type is, and none with fewer data of the same type.",
    fails="One with fewer data of the same type is.",
    weight=CONCLUSION,
    quote="Its contribution to the cross-task performance of the model is more important than the data for "
    "the same type of task",
    if_it_fails="Who chooses training data would have to look at their type at least as much as at their "
    "amount.",
)
def amount_of_data(paper: Material) -> Finding:
    """Look for experiments that are smaller and better, and nearer to the task."""
    rows = paper.row_names("table6")
    size = {row: paper.amount("table6", row, "Training size").low for row in rows}
    lost, tried = {}, {}
    for nearness in ("In type", "In sub-type"):
        near = {row: paper.published("table6", row, nearness) == "yes" for row in rows}
        pairs = [
            (small, large)
            for small in rows
            for large in rows
            if size[small] < size[large] and near[small] and not near[large]
        ]
        tried[nearness] = len(pairs)
        lost[nearness] = [
            f"{small} ({paper.published('table6', small, 'Training size')}) against {large} "
            f"({paper.published('table6', large, 'Training size')})"
            for small, large in pairs
            if scores(paper, small)["BLEU"] > scores(paper, large)["BLEU"]
        ]
    same, closer = lost.values()
    because = (
        f"{portion(tried['In type'] - len(same), tried['In type'])} pairs of fewer data of the same type and "
        "more data of other types are as stated."
    )
    caveat = exceptions(f"By sub-type this contradicts it: {listed(closer)}.") if closer else None
    return finding(not same, because, caveat=caveat, contradicting=lost)


@claim(
    "X54",
    "V-E",
    "More data, larger models and more tasks all help.",
    holds="The experiment with most data of Table VI has the best scores.",
    caveat="Section V-B says that more instances of a task lower BLEU, or Figure 3 has no numbers.",
    fails="Another experiment has a better one.",
    weight=CONCLUSION,
    quote="more data, larger model and more tasks can all benefit the cross-task generalization ability",
    if_it_fails="More data, a larger model or more tasks: one of the three would not be worth its cost.",
)
def all_help(paper: Material) -> Finding:
    """Look for the largest experiment, and at what section V-B says."""
    rows = paper.row_names("table6")
    largest = max(rows, key=lambda row: paper.amount("table6", row, "Training size").low)
    lost = [
        row
        for row in rows
        if row != largest and any(scores(paper, row)[x] >= scores(paper, largest)[x] for x in METRICS)
    ]
    start, end = (paper.published("text", "5", f"BLEU falls {word}") for word in ("from", "to"))
    falls = exceptions(f"Section V-B says that BLEU falls from {start} to {end} instances of a task.")
    unseen = scope("Larger models are not judged here: Figure 3 has no numbers (X46).")
    caveat = joined([*([falls] if start != end else []), *([] if "figure3" in paper.tables else [unseen])])
    because = f"No other experiment of Table VI scores as high as experiment {largest}, the one with most data."
    if lost:
        because = f"Experiment {largest}, the one with most data, is beaten by: {listed(lost)}."
    return finding(not lost, because, caveat=caveat, largest=largest)
