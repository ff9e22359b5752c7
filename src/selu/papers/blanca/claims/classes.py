"""Results on the class hierarchy (Table 6)."""

from __future__ import annotations

from selu.papers.blanca.claims._correlations import FT, HU, all_significant, other_r, own_r, range_of
from selu.papers.blanca.claims._known import CLASSES, counted_in, ordered, tuned
from selu.papers.blanca.material import Material
from selu.papers.claims import claim, exceptions, finding, listed
from selu.vocabulary import Finding

QUESTION = CLASSES


@claim(
    "B38",
    "4.4",
    "On the hierarchy r goes from 0.17 (BERTOverflow) to 0.34 (fine-tuned BERTOverflow).",
    holds="These are the smallest and the largest r of Table 6, of these models, and the authors' files give "
    "no other number for them.",
    caveat="The authors' files give another number for one of the two.",
    fails="Another model has a smaller or a larger one.",
    weight="detail",
    quote="varied from 0.17 (for BERTOverflow) to 0.34 (for Fine-tuned- ... BERTOverflow)",
    if_it_fails="A model would be weaker or stronger on the hierarchy than the range tells a reader of the "
    "text.",
)
def range_of_hierarchy(paper: Material) -> Finding:
    """Look for the ends of Table 6."""
    return range_of(paper, "4.4", "H", paper.published("text", "4.4", "Model of the lowest r"), FT)


@claim(
    "B39",
    "4.4",
    "All correlations with the hierarchy are significant (p at most .01).",
    holds="Each r of Table 6 has a two-sided p of at most .01 at the number of test pairs, whatever digits "
    "were cut.",
    caveat="One of them has the wrong sign: farther classes are nearer.",
    fails="One of them has not.",
    weight="conclusion",
    quote="all are statistically significant at p ≤ 0.01",
    if_it_fails="For some model, the distance of two embeddings would say nothing about the distance of the "
    "classes in the hierarchy.",
)
def hierarchy_significant(paper: Material) -> Finding:
    """Compute p at the number of test pairs."""
    return all_significant(paper, "H", paper.count("table2", "H", "Test"))


@claim(
    "B40",
    "4.4",
    "Fine-tuning helps BERTOverflow on the hierarchy.",
    holds="Its r in Table 6 is larger than that of the base, and so it is in the authors' files.",
    caveat="In the authors' files it is no larger.",
    fails="In Table 6 it is no larger.",
    weight="conclusion",
    quote="The improvement from fine-tuning for BERTOverflow showed that the task is useful for building "
    "better embeddings",
    if_it_fails="Training on the hierarchy would not give better embeddings of class documentation.",
)
def tuning_on_hierarchy(paper: Material) -> Finding:
    """Compare the two rows."""
    base, own = tuned(paper, "H")["BERTOverflow"]
    files = [own_r(paper, "H", name) for name in ("BERTOverflow", FT)]
    before, after = files
    gains = before is None or after is None or after > before
    other = other_r(paper, "H", ("BERTOverflow", FT))
    return finding(
        own > base,
        f"r goes from {base:.2f} to {own:.2f}.",
        caveat=None if gains else exceptions(f"The authors' files give {before:.4f} and {after:.4f}."),
        remark=other if gains else None,
        base=base,
        tuned=own,
        files=files,
    )


@claim(
    "B41",
    "4.4",
    "xlm-r-paraphrase (0.27) and USE (0.28) do reasonably well on the hierarchy without tuning.",
    holds="Table 6 has these numbers, and no other base model has a larger one.",
    fails="A number is another, or another base model is ahead.",
    weight="detail",
    quote="Some other models showed reasonable performance with no tuning (xlm-r-paraphrase at 0.27, and USE "
    "at 0.28 respectively)",
    if_it_fails="Models without tuning would do worse on the hierarchy, or another one would be the best to "
    "start from.",
)
def best_bases_of_hierarchy(paper: Material) -> Finding:
    """Compare with the base models of Table 6."""
    names = ("xlm-r-paraphrase-v1", "USE")
    scores = paper.chosen("H", paper.bases)
    stated = {name: paper.number("text", "4.4", name) for name in names}
    best = ordered(scores)[:2]
    fits = set(best) == set(names) and all(scores[name] == value for name, value in stated.items())
    because = f"The best base models are {listed(f'{name} ({scores[name]:.2f})' for name in best)}."
    return finding(fits, because, best=best, text=stated)


@claim(
    "B42",
    "Table 6",
    "Multi-task training is not better than training on the hierarchy alone.",
    holds="HU-BERTOverflow has a smaller r than the tuned models' best, and so has every model of Table 8.",
    fails="A multi-task model has a larger one.",
    weight="detail",
    kind="implied",
    if_it_fails="One model trained on several tasks could replace the one that is trained on the hierarchy "
    "alone.",
)
def multitask_on_hierarchy(paper: Material) -> Finding:
    """Compare the multi-task models with the best of single-task training."""
    single = max(own for _, own in tuned(paper, "H").values())
    multi = {**paper.multitask("H"), **paper.chosen("H", paper.multi)}
    best = ordered(multi)[0]
    because = (
        f"The largest r of a multi-task model is {multi[best]:.2f} ({best}), that of single tasks {single:.2f}."
    )
    return finding(multi[best] <= single, because, remark=counted_in("B54"), multi=multi, single=single)


@claim(
    "B54",
    "4.6",
    "Training on usage does not help the hierarchy.",
    holds="HU-BERTOverflow has no larger r in Table 6 than BERTOverflow tuned on the hierarchy alone.",
    fails="It has.",
    weight="conclusion",
    quote="We also expected usage analysis to help class hierarchy training ... this did not happen",
    if_it_fails="Usage in Python would say something about the class hierarchy, and dynamic types would not "
    "have to explain why not.",
)
def usage_and_hierarchy(paper: Material) -> Finding:
    """Compare the two rows of Table 6."""
    alone, with_usage = (paper.scores("H")[name] for name in (FT, HU))
    because = f"r is {with_usage:.2f} with both tasks, {alone:.2f} with the hierarchy alone."
    return finding(with_usage <= alone, because, both=with_usage, own=alone)
