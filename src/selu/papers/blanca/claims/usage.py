"""Results on the usage of classes (Table 7)."""

from __future__ import annotations

from selu.papers.blanca.claims._correlations import FT, HU, all_significant, other_r, range_of
from selu.papers.blanca.claims._known import CLASSES, counted_in, tuned
from selu.papers.blanca.material import Material
from selu.papers.claims import claim, exceptions, finding, listed
from selu.vocabulary import Finding

QUESTION = CLASSES


@claim(
    "B43",
    "4.5",
    "On usage r goes from 0.17 (BERT-NLI) to 0.61 (HU-BERTOverflow).",
    holds="These are the smallest and the largest r of Table 7, of these models, and the authors' files give "
    "no other number for them.",
    caveat="The authors' files give another number for one of the two.",
    fails="Another model has a smaller or a larger one.",
    weight="detail",
    quote="varied from 0.17 (for BERT-NLI) to 0.61 (for HU-BERTOverflow)",
    if_it_fails="Another model would be the weakest or the best one for predicting which classes are used "
    "alike.",
)
def range_of_usage(paper: Material) -> Finding:
    """Look for the ends of Table 7."""
    return range_of(paper, "4.5", "U", "BERT-NLI", HU)


@claim(
    "B44",
    "4.5",
    "On usage tuning raises BERTOverflow from 0.37 to 0.52, and adding the hierarchy to 0.61.",
    holds="Table 7 has these numbers, each above the one before, and the authors' files give no other number "
    "for these models.",
    caveat="The authors' files give another number for one of them.",
    fails="Table 7 has another number, or one that is not above the one before.",
    weight="conclusion",
    quote="The improvement from fine-tuning for BERTOverflow (0.37 to 0.52) ... Using hierarchy task as well "
    "with HU-BERTOverflow further improved performance to 0.61",
    if_it_fails="Training on usage, or adding the hierarchy to it, would gain less than the paper says, or "
    "nothing.",
)
def steps_of_usage(paper: Material) -> Finding:
    """Compare text, Table 7 and the authors' files."""
    names = ("BERTOverflow", FT, HU)
    stated = [paper.number("text", "4.5", name) for name in names]
    table = [paper.scores("U")[name] for name in names]
    other = other_r(paper, "U", names)
    caveat = exceptions(other) if other else None
    because = f"Table 7 has {listed(f'{value:.2f}' for value in table)}."
    return finding(stated == table == sorted(set(table)), because, caveat=caveat, text=stated, table=table)


@claim(
    "B45",
    "4.5",
    "On usage tuning lowers CodeBERT from 0.33 to 0.30.",
    holds="Table 7 has these numbers, the second below the first.",
    fails="It has others.",
    weight="detail",
    quote="its performance dropped to 0.30 from 0.33",
    if_it_fails="Tuning on usage would not harm CodeBERT, and the gain would not depend on the base model.",
)
def drop_of_codebert(paper: Material) -> Finding:
    """Compare text and Table 7."""
    stated = tuple(paper.number("text", "4.5", name) for name in ("CodeBERT", "FT-CodeBERT"))
    table = tuned(paper, "U")["CodeBERT"]
    because = f"Table 7 has {table[0]:.2f} and {table[1]:.2f}."
    return finding(
        stated == table and table[1] < table[0], because, remark=counted_in("B47"), text=stated, table=table
    )


@claim(
    "B53",
    "4.6",
    "Training on the hierarchy helps the usage task.",
    holds="HU-BERTOverflow has a larger r in Table 7 than BERTOverflow tuned on usage alone.",
    fails="It has not.",
    weight="conclusion",
    quote="We were expecting and found class hierarchy training to help the usage task",
    if_it_fails="Training on the class hierarchy would not help to predict which classes are used alike.",
)
def hierarchy_helps_usage(paper: Material) -> Finding:
    """Compare the two rows of Table 7."""
    alone, with_hierarchy = (paper.scores("U")[name] for name in (FT, HU))
    return finding(
        with_hierarchy > alone,
        f"r is {with_hierarchy:.2f} with both tasks, {alone:.2f} with usage alone.",
        both=with_hierarchy,
        own=alone,
    )


@claim(
    "B62",
    "4.5",
    "All correlations with usage are significant (p at most .01).",
    holds="Each r of Table 7 has a two-sided p of at most .01 at the number of test pairs that have distances, "
    "whatever digits were cut.",
    caveat="One of them has the wrong sign: classes that are used less alike are nearer.",
    fails="One of them has not.",
    weight="conclusion",
    quote="all results are statistically significant at p ≤ 0.01",
    if_it_fails="For some model, the distance of two embeddings would say nothing about how alike two classes "
    "are used.",
)
def usage_significant(paper: Material) -> Finding:
    """Compute p at the number of pairs of the authors' distances, or of Table 2 where that was not counted."""
    counted = ("usage", "all", "test pairs with distances") if paper.has("usage") else ("table2", "U", "Test")
    return all_significant(paper, "U", paper.count(*counted))
