"""Table V on examples and instructions (section V-A)."""

from __future__ import annotations

from itertools import pairwise

from selu.papers.claims import claim, exceptions, finding, listed, scope
from selu.papers.crosscodebench.claims._known import CHECK, CONCLUSION, DETAIL, counted, named, portion
from selu.papers.crosscodebench.claims.results import apart
from selu.papers.crosscodebench.material import MIXED, MODELS, POSITIVE, PRETRAINED_ON_CODE, SHOTS, Material
from selu.vocabulary import Caveat, Finding

QUESTION = "Do more examples and instructions help?"


@claim(
    "X39",
    "V-A5",
    "Learning from instructions gives the best result for all tasks and metrics.",
    holds="The best fine-tuned row of every column is one with instructions.",
    caveat="For one model alone another method is ahead somewhere.",
    fails="In one column another method is ahead.",
    weight=CONCLUSION,
    quote="Among all cross-task learning methods, LTI produces the best results for all tasks and metrics",
    if_it_fails="On some split a short description with a few examples would be better than a detailed "
    "instruction.",
)
def instructions_best(paper: Material) -> Finding:
    """Look at the best row of each column, and at that of each model."""
    lost = [
        column for column in paper.columns if not paper.best(paper.fine_tuned, column)[1].endswith("instruct")
    ]
    alone = [
        f"{model} in {named([column])}"
        for model in MODELS
        for column in paper.columns
        if not paper.best(paper.rows_of(model), column)[1].endswith("instruct")
    ]
    because = (
        f"The best row has instructions in {len(paper.columns) - len(lost)} of {len(paper.columns)} columns."
    )
    caveat = exceptions(f"Another method is ahead for {listed(alone)}.") if alone else None
    return finding(not lost, because, caveat=caveat, alone=alone, lost=[column.name for column in lost])


def _with_and_without(paper: Material) -> tuple[int, int]:
    return counted(paper, [(f"{model}, {POSITIVE}", f"{model}, {MIXED}") for model in MODELS])


def _confounded(paper: Material) -> Caveat | None:
    """State that the two ways differ in more than negative examples, if they do."""
    without_negative, with_negative = (
        paper.count("scripts", "Evaluation", f"Positive examples of {way}-instruct") for way in ("2/0", "2/2")
    )
    if without_negative == with_negative:
        return None
    return scope(
        f"At evaluation 2/0-instruct has {without_negative} positive examples and 2/2-instruct {with_negative}."
    )


@claim(
    "X40",
    "V-A5",
    "Two positive examples are mostly better than two positive and two negative ones.",
    holds="They are in more than half of the columns of the three fine-tuned models.",
    caveat="At evaluation the two ways differ in their number of positive examples, too.",
    fails="They are in half or fewer.",
    thresholds={"half": "the plain meaning of most: more than half"},
    weight=CONCLUSION,
    quote="in most cases, using only two positive examples is more effective than using two positive and two "
    "negative examples",
    if_it_fails="Two negative examples beside the two positive ones would be worth the longer input.",
)
def positive_examples(paper: Material) -> Finding:
    """Count the columns in which 2/0-instruct is ahead."""
    wins, total = _with_and_without(paper)
    because = f"They are better in {wins} of {total} cases. X41 judges the same cases."
    return finding(2 * wins > total, because, caveat=_confounded(paper), better=wins, cases=total)


@claim(
    "X41",
    "V-A5",
    "Negative examples do not help.",
    holds="With them scores are lower in more than half of the cases, and on average.",
    caveat="At evaluation the two ways differ in their number of positive examples, too.",
    fails="They are lower in half or fewer, or not on average.",
    thresholds={"half": "the plain meaning of most: more than half"},
    weight=DETAIL,
    quote="the extra negative examples do not contribute positively to the performance of the model in most "
    "cases",
    if_it_fails="Who writes instructions for a task should write negative examples as well.",
)
def negative_examples(paper: Material) -> Finding:
    """Average what negative examples add."""
    wins, total = _with_and_without(paper)
    gains = [
        paper.score(f"{model}, {MIXED}", column) - paper.score(f"{model}, {POSITIVE}", column)
        for model in MODELS
        for column in paper.columns
    ]
    mean = sum(gains) / len(gains)
    because = (
        f"With them the score is lower in {wins} of {total} cases and changes by {mean:+.2f} points on "
        "average. X40 judges the same cases."
    )
    return finding(
        2 * wins > total and mean < 0, because, caveat=_confounded(paper), lower=wins, cases=total, mean=mean
    )


@claim(
    "X42",
    "V-A",
    "One more example helps.",
    holds="A model with one example more has the higher score in more than half of the cases.",
    fails="It has in half or fewer.",
    thresholds={"half": "our choice: one that helps in fewer cases than it harms does not help"},
    weight=DETAIL,
    kind=CHECK,
    if_it_fails="More examples in the input would not be worth their length.",
)
def more_shots(paper: Material) -> Finding:
    """Compare each number of shots with the one below."""
    pairs = [
        (f"{model}, {more_examples}", f"{model}, {fewer_examples}")
        for model in MODELS
        for fewer_examples, more_examples in pairwise(SHOTS)
        if {fewer_examples, more_examples} <= set(paper.methods_of(model))
    ]
    wins, total = counted(paper, pairs)
    return finding(2 * wins > total, f"It helps in {wins} of {total} cases.", better=wins, cases=total)


@claim(
    "X61",
    "Abstract",
    "Few-shot learning and learning from instructions can largely improve generalization to unseen tasks.",
    holds="In more than half of the columns, of PLBART and CodeT5 together, the best row with examples is "
    "above zero-shot by more than the 5% that the paper counts as close, and so is the best row with "
    "instructions.",
    fails="One of the two is in half of them or fewer.",
    thresholds={
        "5%": "the width of the paper's underlines in Table V",
        "half": "our choice: what does not improve most cases is no large improvement",
    },
    weight=CONCLUSION,
    quote="the cross-task generalization of models can be largely improved by in-context learning methods such "
    "as few-shot learning and learning from task instructions",
    if_it_fails="The short description of a task would do, without examples or a detailed instruction.",
)
def in_context_learning_helps(paper: Material) -> Finding:
    """Compare with zero-shot learning, which has the description of the task alone."""
    ways = {"examples": SHOTS[1:], "instructions": (POSITIVE, MIXED)}
    cases = [(model, column) for model in PRETRAINED_ON_CODE for column in paper.columns]
    close = {
        way: [
            f"{model} in {named([column])} with {way}"
            for model, column in cases
            if not apart(
                paper,
                paper.best([f"{model}, {method}" for method in methods], column)[0],
                paper.score(f"{model}, {SHOTS[0]}", column),
            )
        ]
        for way, methods in ways.items()
    }
    ahead = {way: len(cases) - len(found) for way, found in close.items()}
    because = "The best row is clearly above zero-shot in " + " and in ".join(
        f"{portion(number, len(cases)).lower()} cases with {way}" for way, number in ahead.items()
    )
    others = [name for found in close.values() for name in found]
    remark = f"It is not for {listed(others)}." if others and len(others) < len(cases) else None
    return finding(
        2 * min(ahead.values()) > len(cases), f"{because}.", remark=remark, ahead=ahead, not_so=others
    )
