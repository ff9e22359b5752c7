from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

from selu.systems.finetune import answers
from selu.systems.finetune.examples import Example

CPU = torch.device("cpu")


def logits(rows, columns):
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize(
    ("kind", "columns", "targets", "mean"),
    [
        ("binary", 2, [0, 1, 1, 0, 1], functional.cross_entropy),
        ("multi_class", 3, [0, 2, 1, 0, 2], functional.cross_entropy),
        ("entities", 5, [0, 4, 1, 0, 2], functional.cross_entropy),
        ("masked", 50, [9, 49, 1, 0, 2], functional.cross_entropy),
        ("regression", 1, [1.5, 2.0, -3.0, 0.25, 9.0], lambda x, y: functional.mse_loss(x[:, 0], y)),
        ("multi_label", 3, [[1.0, 0.0, 1.0]] * 4 + [[0.0] * 3], functional.binary_cross_entropy_with_logits),
    ],
)
def test_losses_of_parts_add_up_to_the_mean_that_the_library_takes(kind, columns, targets, mean):
    each = logits(5, columns)
    if kind in answers.TOKENS:
        parts = [
            Example([0] * 9, targets[:3], (0, 1, 2)),
            Example([0] * 9, [], ()),
            Example([0] * 9, targets[3:], (4, 7)),
        ]
        rows = [[0], [1, 2]]
        cuts = [each[:3], each[3:]]
    else:
        parts = [Example([0], target) for target in targets]
        rows, cuts = [[0, 1], [2, 3, 4]], [each[:2], each[2:]]
    found = sum(
        answers.loss(cut, answers.targets(parts, part, kind, CPU), kind)
        for cut, part in zip(cuts, rows, strict=True)
    )
    count = answers.units(parts, range(len(parts)), kind)
    assert count == 5
    wanted = mean(each, torch.tensor(targets))
    assert float(found) / count == pytest.approx(float(wanted), rel=1e-6)


def test_nothing_to_read_loses_nothing():
    empty = torch.empty(0, 7, requires_grad=True)
    found = answers.loss(empty, torch.empty(0, dtype=torch.long), "masked")
    found.backward()
    assert float(found.detach()) == 0


def test_half_precision_is_summed_in_full():
    found = answers.loss(logits(4000, 2).bfloat16(), torch.zeros(4000, dtype=torch.long), "binary")
    assert found.dtype == torch.float32


def test_answers():
    each = torch.tensor([[0.1, -2.0, 3.0], [5.0, 0.0, -1e-9]])
    assert answers.answer(each, "multi_class") == [2, 0]
    assert answers.answer(each, "multi_label") == [[1, 0, 1], [1, 0, 0]]  # a probability of exactly .5 is no
    assert answers.answer(each[:, :1], "regression") == [pytest.approx(0.1), 5.0]
    assert all(type(x) is int for x in answers.answer(each, "binary"))


def test_filled_places():
    ((true, given, value),) = answers.filled(torch.tensor([[0.0, math.log(3)]]), torch.tensor([0]))
    assert (true, given) == (0, 1)
    assert value == pytest.approx(math.log(0.25))
