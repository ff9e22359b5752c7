"""The two versions of fine-tuned results that the authors published: the preprint's package and the final."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import isnan

from selu.papers.selu.claims._constant_answers import constant_answers
from selu.papers.selu.claims._protocol import PAPER, PREPRINT, TOKEN_KINDS, says
from selu.papers.selu.material import Material
from selu.stats.rounding import to_digits
from selu.vocabulary import Approach


def preprint_scores(paper: Material) -> Mapping[str, tuple[str, Decimal, str]]:
    """Map ``task/system`` to metric, the preprint's unrounded score, and the score of Table VI.

    Left out are tasks whose epochs are the same in preprint and paper; SMAPE is turned as in Table VI.
    """
    tuned = set(paper.names(approach=Approach.FINETUNED))
    steps = {True: "epochs of token tasks", False: "epochs"}
    shorter = {token: says(paper, step, PREPRINT) != says(paper, step, PAPER) for token, step in steps.items()}
    tasks = {task.id for task in paper.tasks if shorter[task.kind in TOKEN_KINDS]}
    found = {}
    for (row, column), cell in paper.tables["package_preprint"].items():
        task, _, system = row.partition("/")
        if column == "epoch" or task not in tasks or system not in tuned:
            continue
        published = paper.number("table6", task, paper.system(system).name)
        if not isnan(published):
            older = 1 - Decimal(cell.published) if column == "smape" else Decimal(cell.published)
            found[row] = (column, older, to_digits(published))
    return found


def equal_to_preprint(paper: Material) -> tuple[Mapping[str, str], int]:
    """Return scores (and their metric) that the preprint has with the same three digits, of how many compared.

    Constant answers, which any run may give, are left out.
    """
    bars = {task: to_digits(score) for task, score in constant_answers(paper).items()}
    compared = {
        row: values
        for row, values in preprint_scores(paper).items()
        if values[2] not in (bars.get(row.split("/")[0]), "0.000")
    }
    equal = {row: metric for row, (metric, older, now) in compared.items() if to_digits(float(older)) == now}
    return equal, len(compared)


def taken_over(paper: Material) -> list[str]:
    """Return scores whose result file in the final package has the preprint's score to the last digit."""
    old, new = paper.tables["package_preprint"], paper.tables["package_final"]
    return [
        row
        for row, metric in equal_to_preprint(paper)[0].items()
        if (row, metric) in new and Decimal(new[row, metric].published) == Decimal(old[row, metric].published)
    ]


def sampled_epochs(paper: Material) -> Mapping[str, float]:
    """Return the last epoch of each run in a random sample of the final package's result files.

    It has 30 of 440 scores, drawn by Python's ``random.Random(2026)``.
    """
    drawn = [row for (row, column), cell in paper.tables["package_final"].items() if column == "drawn"]
    return {row: paper.number("package_final", row, "epoch") for row in drawn}
