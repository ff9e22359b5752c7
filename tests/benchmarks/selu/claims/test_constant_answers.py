from __future__ import annotations

import pytest

from selu.benchmarks.selu.claims._constant_answers import constant_answers
from selu.benchmarks.selu.material import Material


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        ("security_requirement", "0.389"),  # BERT large, RoBERTa large and FastText print this score
        ("incivility", "0.411"),
        ("tone_bearing", "0.465"),
        ("commit_intention", "0.192"),
    ],
)
def test_constant_answers_are_scores_that_the_paper_prints(quick: Material, task: str, answer: str) -> None:
    assert f"{constant_answers(quick)[task]:.3f}" == answer
    assert quick.printed("table6", task, "RoBERTa large") == answer


def test_constant_answers_are_for_classification_only(quick: Material) -> None:
    kinds = {task.id: str(task.kind) for task in quick.tasks}
    classification = [task for task, kind in kinds.items() if kind in ("binary", "multi_class", "multi_label")]
    assert list(constant_answers(quick)) == classification
