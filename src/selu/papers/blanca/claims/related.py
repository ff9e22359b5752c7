"""Results on related questions (figure 3)."""

from __future__ import annotations

from collections.abc import Mapping

from selu.papers.blanca.claims._known import BEST
from selu.papers.blanca.material import Material
from selu.papers.claims import claim, finding, listed, portion, unless_known
from selu.vocabulary import Finding

QUESTION = "Are related questions nearer to each other than unrelated ones?"
RELATED = ("direct", "indirect", "isolated")


@claim(
    "B31",
    "4.2",
    "Of pairs of questions isolated ones are the farthest, and direct ones nearer than indirect ones, in all "
    "models.",
    holds="The mean distances in the logs of all models have this order, duplicates nearer than isolated "
    "pairs.",
    fails="They have another order for a model.",
    weight="conclusion",
    quote="isolated question pairs are the most distant compared to all other pairs across all models",
    if_it_fails="In some model, distance would not tell related from unrelated questions: a duplicate could be "
    "farther away than a question without any link.",
)
def order_of_related_questions(paper: Material) -> Finding:
    """Compare the four means of each log."""
    means = _means(paper)
    fine = [
        name
        for name, mean in means.items()
        if mean["direct"] < mean["indirect"] < mean["isolated"] and mean["duplicate"] < mean["isolated"]
    ]
    other = [name for name in means if name not in fine]
    because = f"{portion(len(fine), len(means))} models that have logs show this order."
    if other:
        exception = means[other[0]]
        because += (
            f" The {'exceptions are' if len(other) > 1 else 'exception is'} {listed(other)}, where duplicates "
            f"are at {exception['duplicate']:.3f}, "
            f"isolated pairs at {exception['isolated']:.3f}."
        )
    return finding(not other, because, means=means)


def _means(paper: Material) -> Mapping[str, Mapping[str, float]]:
    models = dict.fromkeys(row for row, _ in paper.tables["related"])
    return {
        name: {kind: paper.number("related", name, kind) for kind in (*RELATED, "duplicate")} for name in models
    }


@claim(
    "B32",
    "4.2",
    "Only the RFLHU model has duplicates as near as indirectly related questions.",
    holds="In all other models duplicates and indirect pairs differ by a tenth of the way to isolated pairs "
    "or more.",
    fails="In another model they differ by less.",
    weight="conclusion",
    quote="Questions marked duplicate posts were similar to the indirect questions only in the RFLHU model",
    thresholds={"tenth": "our choice: the authors see similar means in figure 3, and give no number"},
    if_it_fails="Other models would recognise duplicates too, which would then be no merit of multi-task "
    "training.",
)
def duplicates_and_indirect(paper: Material) -> Finding:
    """Compare the two means of each log."""
    ways = {
        name: abs(mean["duplicate"] - mean["indirect"]) / abs(mean["isolated"] - mean["indirect"])
        for name, mean in _means(paper).items()
        if name != BEST
    }
    near = [f"{name} ({100 * way:.1f} %)" for name, way in ways.items() if way < 0.1]
    because = f"{portion(len(near), len(ways))} other models have duplicates as near: {listed(near)}."
    return finding(not near, because, ways=ways)


@claim(
    "B33",
    "4.2",
    "None of the pairs of related questions that were evaluated is in the training set.",
    holds="The two sets of question ids have none in common.",
    fails="They have some.",
    weight="method",
    quote="We ensured that none of Shirani et al. (2019)’s test set examples were used in our training set",
)
def no_pair_in_training(paper: Material) -> Finding:
    """Compare the ids, once those of the training set are here."""
    pairs = paper.count("related", "USE", "Pairs")
    logs = dict.fromkeys(row for row, _ in paper.tables["related"])
    skipped = sum(paper.count("related", log, "Skipped") for log in logs)
    missing = (
        f"The authors' {len(logs)} logs count {skipped or 'no'} pairs skipped as being training pairs. The ids "
        f"of training pairs are not available here: the {pairs:,} evaluated pairs can't be looked up among them"
    )
    if not_checkable := unless_known(paper, "question_ids", missing):
        return not_checkable
    shared = paper.count("question_ids", "both", "questions")
    return finding(shared == 0, f"{shared:,} questions are in both.", both=shared)
