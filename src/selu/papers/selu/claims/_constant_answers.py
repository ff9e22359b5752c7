"""Scores of an answer that ignores the text, from the package's published confusion matrices."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from selu.papers.selu.claims._systems import XGBOOST
from selu.papers.selu.material import Material
from selu.vocabulary import Kind


def rows_by_class(paper: Material, task: str) -> tuple[Mapping[int, int], int]:
    """Test rows per class or label, and in all, from TF-IDF+XGBoost's published confusion matrices."""
    counts: Counter[int] = Counter()
    total: Counter[int] = Counter()
    for (row, column), cell in paper.tables["package_baselines"].items():
        if row != f"{task}/{XGBOOST}":
            continue
        if single := re.fullmatch(r"confusion_matrix\[(\d+)\]\[\d+\]", column):
            counts[int(single[1])] += int(cell.published)
            total[0] += int(cell.published)
        elif several := re.fullmatch(r"confusion_matrices\[(\d+)\]\[(\d)\]\[\d\]", column):
            counts[int(several[1])] += int(cell.published) * int(several[2])
            total[int(several[1])] += int(cell.published)
    return dict(counts), max(total.values(), default=0)


def constant_answers(paper: Material) -> Mapping[str, float]:
    """Return the best F1-macro of one answer for every test row: a class or, for several labels, all.

    Tasks without published confusion matrices are left out.
    """
    scores = {}
    for task in paper.tasks:
        counts, rows = rows_by_class(paper, task.id)
        each = [2 * count / (rows + count) for count in counts.values()]
        if each:
            scores[task.id] = (sum(each) if task.kind is Kind.MULTI_LABEL else max(each)) / len(each)
    return scores
