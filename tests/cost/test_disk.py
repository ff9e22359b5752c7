from __future__ import annotations

import pytest

from selu.cost.disk import of_cell, summed, together
from selu.cost.texts import Assumed

ASSUMED = Assumed(1.3, 100, {}, 65536, 0.9, 0.004, 60, 8192, (), 4, 10, 1000, "2026-05")
N = 1_000_000_000


def cell(system: str, precision: str = "bf16", runs: int = 3, answers: float = 0) -> dict:
    return {"system": system, "runs": runs, **of_cell(N, precision, runs, answers, ASSUMED)}


@pytest.mark.parametrize("precision", ["bf16", "mixed", "fp32"])
def test_a_checkpoint_holds_weights_best_weights_and_states_while_it_is_replaced(precision):
    assert cell("a", precision)["checkpoint_gb"] == pytest.approx(2 * 16)


def test_a_cell_keeps_a_model_and_predictions_of_every_run():
    found = cell("a", answers=2_000_000)
    assert found["weights_gb"] == 4
    assert found["kept_gb"] == 3 * 2
    assert found["predictions_gb"] == pytest.approx(3 * (2e7 + 1000) / 1e9)
    assert cell("a", "mixed")["kept_gb"] == 3 * 4


def test_weights_are_there_once_a_system_and_checkpoints_as_many_as_train():
    cells = [cell("a"), cell("a", "mixed"), cell("b")]
    predictions = sum(one["predictions_gb"] for one in cells)
    assert summed(cells)["weights_gb"] == 8
    found = together(cells)
    kept = 6 + 12 + 6
    assert found["one_after_another_gb"] == pytest.approx(8 + kept + predictions + 32)
    assert found["at_once_gb"] == pytest.approx(8 + kept + predictions + 3 * (32 + 32 + 32))
    assert found["least_gb"] == pytest.approx(4 + 32 + 4 + predictions)
