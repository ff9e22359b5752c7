"""Why systems are in tier 4: training that failed, models that are too small (V-A)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from selu.papers.claims import claim, finding, joined, listed, percent, scope
from selu.papers.selu.analysis.aggregates import HALF_WIDTH
from selu.papers.selu.claims._constant_answers import constant_answers
from selu.papers.selu.claims._protocol import SMALL_TASK
from selu.papers.selu.claims._published import UNITS
from selu.papers.selu.claims._questions import TIERS
from selu.papers.selu.claims._sources import DECIDED, NO_TIERS
from selu.papers.selu.claims._systems import finetuned, name_of, size_of
from selu.papers.selu.claims._tiers import (
    by_name,
    chance_of,
    decided_pairs,
    decided_range,
    named_tiers,
    near_threshold,
    with_tiers,
)
from selu.papers.selu.claims._unrounded import MEANS
from selu.papers.selu.material import Material
from selu.vocabulary import Approach, Finding

QUESTION = TIERS


def _collapsed(paper: Material, constant: Mapping[str, float]) -> Mapping[str, Mapping[str, float]]:
    """Return fine-tuned scores no better than a constant answer: system -> task -> score."""
    found: dict[str, dict[str, float]] = {}
    for task in paper.ranked.index:
        level = constant.get(str(task))
        for name in paper.names(approach=Approach.FINETUNED):
            score = float(paper.ranked[name][task])
            if level is not None and score <= level + HALF_WIDTH:
                found.setdefault(name, {})[str(task)] = score
    return found


def _shortfall(paper: Material, name: str, tasks: Iterable[str]) -> tuple[str, list[float]]:
    """Return the series' smallest model, and the share of the distance to it that lies in these tasks.

    The share is given with the least and the most that it can be by the rounding of the scores.
    """
    series = paper.names(approach=Approach.FINETUNED, series=paper.system(name).series)
    smaller = min(series, key=lambda other: size_of(paper, other))
    distance = paper.ranked[smaller] - paper.ranked[name]
    there, total = distance[list(tasks)], float(distance.sum())
    shares = [
        float((there + end * MEANS).sum()) / (total - end * MEANS * (len(distance) - 2 * len(there)))
        if total > MEANS * len(distance)
        else 0.0
        for end in (0, -1, 1)
    ]
    return smaller, shares


def _earlier(paper: Material, cells: Mapping[tuple[str, str], float]) -> Mapping[str, list[float]]:
    """Return scores that the preprint has as well: its score, the published one, its epochs."""
    known = paper.tables.get("package_preprint", {})
    return {
        f"{task} of {paper.system(name).name}": [
            paper.number("package_preprint", f"{task}/{name}", "f1_macro"),
            score,
            paper.number("package_preprint", f"{task}/{name}", "epoch"),
        ]
        for (task, name), score in cells.items()
        if (f"{task}/{name}", "f1_macro") in known
    }


def _cure(paper: Material, cells: Mapping[tuple[str, str], float]) -> tuple[str, Mapping[str, list[float]]]:
    """Describe the preprint's scores where the final ones failed, and return these scores."""
    early = _earlier(paper, cells)
    better = [place for place, (before, now, _) in early.items() if before > now + HALF_WIDTH]
    largest = max((paper.task(task).instances for task, _ in cells), default=0)
    epochs = max((early[place][2] for place in better), default=0.0)
    rate = " (all on small tasks, for which IV-C sets the high learning rate)" if largest < SMALL_TASK else ""
    cure = (
        f" More training steps would not help: {len(better)} of the {len(early)} such scores that the authors' "
        f"preprint has are higher there, after at most {epochs:.1f} epochs{rate}."
    )
    return cure if better else "", early


@claim(
    "C066",
    "V-A tier 4",
    "BERT large and RoBERTa large are in tier 4 because their fine-tuning was insufficient, possibly for want "
    "of better hyper-parameters.",
    weight="conclusion",
    if_it_fails="The low ranks of BERT large and RoBERTa large would speak of the models, not of how they "
    "were trained.",
    quote="models with insufficient fine-tuning possibly requiring more careful attention to "
    "hyper-parameters, i.e., BERT large, RoBERTa large",
    holds="Both are in tier 4, and at least 90 of 100 parts of each one's distance to the base version lie in "
    "tasks where it is no better than a constant answer (the same classes for every row).",
    fails="One of the two is not in tier 4, or at most half of its distance lies in such tasks, whatever the "
    f"rounding of the scores. {NO_TIERS}",
    caveat="More than half of the distance of each lies in such tasks, but for at least one of them less than "
    "90 of 100 parts; or rounding can turn the verdict.",
    thresholds={
        "90 of 100": "our choice: what is left is no more than the scores of two good models differ",
        "half": "our choice: the failed tasks are then the main cause",
        "4": "section V-A: the four tiers",
    },
)
@with_tiers
def two_large_models_failed_in_training(paper: Material) -> Finding:
    """Score constant answers on the class counts of the authors' package.

    A higher score of the authors' preprint, after fewer epochs, speaks for hyper-parameters other than the
    number of steps.
    """
    nearly_all, constant = 0.9, constant_answers(paper)
    collapsed, two, fourth = _collapsed(paper, constant), ["bert-large", "roberta-large"], named_tiers(paper)[3]
    share = {name: _shortfall(paper, name, collapsed.get(name, {})) for name in two}
    cells = {(task, name): v for name in two for task, v in collapsed.get(name, {}).items()}
    cure, early = _cure(paper, cells)
    others = {name: len(found) for name, found in collapsed.items() if name not in two}
    partly = {name_of(paper, name): parts[0] for name, (_, parts) in share.items() if parts[1] < nearly_all}
    left = listed(f"{percent(1 - part)} of the distance of {name}" for name, part in partly.items())
    return finding(
        all(name in fourth and max(share[name][1]) > 0.5 for name in two),
        " ".join(
            f"{len(collapsed.get(n, {})) or 'No'} scores of {name_of(paper, n)} are at or below that of a "
            "constant "
            f"answer; they make up {percent(parts[0])} of its distance to {name_of(paper, base)}."
            for n, (base, parts) in share.items()
        )
        + " Other fine-tuned models with such scores are "
        + listed(f"{name_of(paper, n)} ({v})" for n, v in others.items())
        + f".{cure}",
        caveat=scope(f"Scores that failed leave {left} unexplained.") if partly else None,
        collapsed=collapsed,
        share_of_distance={name: [base, *parts] for name, (base, parts) in share.items()},
        preprint_printed_epochs=early,
        constant_scores={str(task): constant.get(str(task)) for task in paper.ranked.index},
    )


def _fasttext_size(paper: Material) -> float | None:
    """Return FastText's size, if Table III gives one."""
    cell = paper.tables["table3"].get(("FastText", "Size"))
    return float(cell.published[:-1]) * UNITS[cell.published[-1]] if cell else None


@claim(
    "C118",
    "V-A tier 4",
    "T5 small and FastText may rank so low because they are too small.",
    weight="conclusion",
    if_it_fails="The low ranks of T5 small and FastText would need another reason than their size.",
    quote="neural networks models that might be too small, i.e., T5 small and FastText",
    holds="Both are in tier 4; T5 small is the smallest fine-tuned LLM, and the test finds every larger "
    "T5 better (probability of .95 or more); FastText has a size, which is below that of every fine-tuned LLM "
    "above tier 4. That the next smallest LLM is above tier 4, or that FastText is larger than T5 small, is a "
    "remark: the sentence says might.",
    fails="One of the two is not in tier 4, or a fine-tuned LLM is smaller than T5 small, or a larger T5 is "
    "not better, whatever the Monte-Carlo error; or FastText is larger than a fine-tuned LLM above tier 4. "
    f"{NO_TIERS}",
    caveat="The paper gives no size for FastText. Pairs within three Monte-Carlo errors of the threshold can "
    "turn the verdict.",
    thresholds={"4": "section V-A: the four tiers", **DECIDED},
)
@with_tiers
def smallest_models_are_in_tier_4(paper: Material) -> Finding:
    """Take sizes from Table III."""
    small, fourth = "t5-small", named_tiers(paper)[3]
    sizes = sorted(finetuned(paper), key=lambda name: size_of(paper, name))
    siblings = [n for n in finetuned(paper, str(paper.system(small).series)) if n != small]
    wins, pairs = decided_pairs(paper, siblings, [small])
    near = near_threshold(paper, siblings, [small])
    following, other = sizes[1], _fasttext_size(paper)
    above = min(size_of(paper, name) for name in sizes if name not in fourth)
    ratio = size_of(paper, following) / (size_of(paper, small) or 1)
    caveats, remarks = [], []
    if following not in fourth:
        remarks.append(
            f"The next smallest, {name_of(paper, following)}, has {ratio:.1f} times its size and a mean of "
            f"{paper.means[following]:.3f}."
        )
    if other is None:
        caveats.append(scope("The paper gives no size for FastText."))
    elif other >= size_of(paper, sizes[0]):
        remarks.append(f"FastText is not smaller than {name_of(paper, sizes[0])}.")
    caveats += chance_of(near)
    return finding(
        sizes[0] == small
        and decided_range(paper, siblings, [small])[1] == pairs
        and {small, "fasttext"} <= set(fourth)
        and (other is None or other <= above),
        f"{name_of(paper, sizes[0])} is the smallest of {len(sizes)} fine-tuned LLMs. T5 small has a mean of "
        f"{paper.means[small]:.3f}, and the test finds {wins or 'none'} of its {pairs} siblings better.",
        caveat=joined(caveats),
        remark=" ".join(remarks),
        sizes={name: paper.system(name).size_published for name in sizes[:4]},
        means={name: float(paper.means[name]) for name in [*sizes[:4], *siblings, "fasttext"]},
        p_sibling_better=by_name(paper, paper.chances(siblings, [small])),
    )
