"""What heads consist of: the tracked record is what is built now, and what is built is told apart."""

from __future__ import annotations

import pytest
import torch

from selu.files import read_json
from selu.project import read_settings
from selu.systems.finetune import anatomy, answers, models
from selu.systems.finetune.settings import FinetuneSettings

WHOLE = ("binary", "multi_class", "multi_label", "regression")


@pytest.fixture(scope="module")
def built(root):
    return anatomy.record(read_settings(root, "shared", "finetune", FinetuneSettings).dropout)


def entry(built, family, kind, head):
    (found,) = [e for e in built if (e["family"], e["kind"], e["head"]) == (family, kind, head)]
    return found


def names(found):
    return [step["name"] for step in found["steps"]]


@pytest.mark.ci
def test_the_tracked_record_is_what_is_built_now(root, built):
    assert read_json(root / "reports" / "selu" / "heads.json", "selu report heads") == built


@pytest.mark.ci
@pytest.mark.parametrize("family", models.FAMILIES)
def test_figure_3_is_pooling_dropout_and_a_linear_layer(built, family):
    for kind in WHOLE:
        found = entry(built, family, kind, "figure3")
        assert names(found) == ["dropout", "linear"]
        assert found["steps"][0]["p"] == 0.1
        width = "1" if kind == "regression" else "k"
        assert found["steps"][1] == {
            "name": "linear",
            "inputs": "d",
            "outputs": width,
            "bias": True,
            "tied": False,
        }
        assert found["pool"] == ("first token" if family in anatomy.ENCODERS else "last token")
        assert found["stack"] == ("encoder" if family in anatomy.ENCODERS else "decoder")


def test_the_activation_gives_the_answer_that_is_read():
    logits = torch.randn(50, 4, generator=torch.Generator().manual_seed(1))
    for kind, activation in anatomy.ACTIVATIONS.items():
        if activation == "softmax" and kind != "masked":
            assert answers.answer(logits, kind) == logits.softmax(-1).argmax(-1).tolist()
        if activation == "sigmoid":
            assert answers.answer(logits, kind) == (logits.sigmoid() > 0.5).int().tolist()
        if activation == "none":
            assert answers.answer(logits[:, :1], kind) == pytest.approx(logits[:, 0].tolist())
