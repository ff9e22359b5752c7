"""The authors' scripts compared with the paper (sections 4.1 and 4.4)."""

from __future__ import annotations

from selu.papers.blanca.claims._known import SETTING
from selu.papers.blanca.material import Material
from selu.papers.claims import claim, finding, scope, wording
from selu.vocabulary import Finding

QUESTION = SETTING
TIED = "Equal votes"
# Read at both commits: tetherless-world/CodeGraph 35a38a8 and wala/blanca b0d6bfe.
VERSIONS = "The script is that of 2021-05-04 (35a38a8); the one released on 2021-09-16 does the same."


@claim(
    "B14",
    "4.4",
    "Fine-tuning on the hierarchy used a random sample of 100,000 pairs, 10,000 of them for validation.",
    holds="The authors' script draws samples of these sizes, in the pinned version as in that of "
    "the paper's time.",
    caveat="It does in the version of the paper's time, and the pinned one draws others.",
    fails="In the version of the paper's time it draws samples of other sizes.",
    weight="method",
    quote="we trained it on a random sample of 100,000 training examples, 10,000 of which was used for "
    "validation",
)
def sample_of_hierarchy(paper: Material) -> Finding:
    """Compare with the public training script."""
    names = ("Sample", "Validation")
    stated, early = (
        [paper.count(*place, name) for name in names]
        for place in (("text", "4.4"), ("scripts", "Fine-tuning on H"))
    )
    most = min(paper.count("scripts", "Fine-tuning", "Most examples of a task"), early[0])
    pinned = [most, most * early[1] // early[0]]  # it cuts first and takes the same share for validation
    caveat = scope(f"The pinned version samples {pinned[0]:,} with {pinned[1]:,} for validation.")
    return finding(
        stated == early,
        f"The script of 2021-01-14 (991e6f7) samples {early[0]:,} pairs with {early[1]:,} for validation.",
        caveat=None if pinned == stated else caveat,
        text=stated,
        script=early,
        pinned=pinned,
    )


@claim(
    "B57",
    "4.1",
    "Answers are ranked by the cosine distance of question and answer.",
    holds="The authors' evaluation script ranks by that distance.",
    fails="It ranks by another distance.",
    weight="method",
    quote="ranked answers by nearest in cosine distance to furthest",
)
def ranked_by_cosine(paper: Material) -> Finding:
    """Compare with the public evaluation script."""
    stated = paper.published("text", "4.1", "Ranked by")
    scripted = paper.published("scripts", "Evaluation of R", "Distance")
    because = f"Section 4.1 says {stated} distance; the script of answer ranking takes the {scripted} distance."
    return finding(stated == scripted, f"{because} {VERSIONS}", text=stated, script=scripted)


@claim(
    "B58",
    "4.1",
    "Ranks of answers are turned into scores from 0, the worst, to 1, the best.",
    holds="The formula of the authors' script gives both numbers.",
    caveat="It misses one of the two: position over number reaches 0 or 1, whichever way it counts, and not "
    "both.",
    fails="It gives the worst answer the higher score.",
    weight="method",
    quote="The ranks were then converted to a score between 0 (worst rank) and 1 (best rank)",
)
def scores_of_ranks(paper: Material) -> Finding:
    """Compare with the formula of the public training script."""
    low, high = (paper.published("text", "4.1", name) for name in ("Lowest score", "Highest score"))
    formula = paper.published("scripts", "Fine-tuning on R", "Score")
    return finding(
        "from the top" not in formula,
        f"The script takes the {formula}; the text says {low} to {high}. {VERSIONS}",
        caveat=wording("Both ends are not reached.") if formula.endswith("/ n") else None,
        formula=formula,
    )


@claim(
    "B59",
    "4.4",
    "Fine-tuning on hierarchy and usage is given the documentation of classes.",
    holds="The authors' script reads a field of documentation.",
    fails="It reads the names of the classes, which the scripts of the two data sets write.",
    weight="method",
    kind="implied",
)
def tuned_on_documentation(paper: Material) -> Finding:
    """Compare with the fields that the public training script reads."""
    field = paper.published("scripts", "Fine-tuning on H and U", "Texts")
    because = f"The script reads the field {field} and its partner."
    if "doc" not in field:
        because += (
            " hierarchyAnalysis/dataset.py and usageAnalysis/dataset.py write names of classes into them."
        )
    return finding("doc" in field, f"{because} {VERSIONS}", field=field)


@claim(
    "B64",
    "4.1",
    "Of answers that are tied in popularity only one is ranked.",
    holds="The authors' fine-tuning script keeps one answer of those with equal votes.",
    fails="It keeps several of them, or none.",
    weight="method",
    quote="ties were broken by adding only one of the answers that were tied",
)
def one_of_tied_answers(paper: Material) -> Finding:
    """Compare with the fine-tuning script; that the evaluation script keeps others is a remark."""
    tuned, evaluated = (
        paper.published("scripts", part, TIED) for part in ("Fine-tuning on R", "Evaluation of R")
    )
    return finding(
        tuned in ("the first", "the last"),
        f"Of answers with equal votes the fine-tuning script keeps {tuned}. {VERSIONS}",
        remark="The evaluation script keeps all of them: of several best answers it looks for the one whose "
        "text sorts last. The paper does not say how ties are evaluated."
        if evaluated == "all"
        else None,
        fine_tuning=tuned,
        evaluation=evaluated,
    )
