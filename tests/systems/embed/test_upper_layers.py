from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import classes
import numpy as np
import pytest
import tiny

from selu.systems import learners
from selu.systems.embed.upper_layers import Network, train
from selu.vocabulary import SeluError

PARAMS = {
    "layers": 1,
    "adapters": 8,
    "epochs": 8,
    "batch": 8,
    "learning_rate": 3e-3,
    "head_rate": 3e-2,
    "max_tokens": 40,
}


@pytest.fixture(scope="module", params=["bert", "roberta", "mpnet"])
def family(request, tmp_path_factory) -> Path:
    return tiny.make(request.param, tmp_path_factory.mktemp("models") / request.param)


def network(folder: Path, **params) -> Network:
    return Network({**PARAMS, "path": str(folder), **params}, 3, 42)


def weights(net: Network) -> dict:
    """Every weight of the encoder by name, frozen layers included."""
    layers = {
        f"{at}.{name}": p
        for at, layer in enumerate((net._lower, net._upper))
        for name, p in layer.named_parameters()
    }
    return {name: parameter.detach().clone() for name, parameter in layers.items()}


@pytest.mark.ci
@pytest.mark.parametrize("adapters", [0, 8])
def test_what_words_tell_is_learnt(adapters, family, tmp_path):
    lesson = classes.lesson(tmp_path, rows=60)
    params = {**PARAMS, "path": str(family), "adapters": adapters, "timings": 2, "timed_texts": 4}
    learner = learners.kind("upper-layers")(lesson)
    answers = learner.answer(params)
    assert np.mean(np.equal(answers, classes.right(lesson))) > 0.8
    assert len(learner.seconds) == 2


def test_untrained_bottlenecks_leave_the_encoder_as_the_library_runs_it(family):
    import torch
    from transformers import AutoModel, AutoTokenizer

    text = "the parser crashes on empty input"
    with torch.no_grad():
        net = network(family, layers=2)
        (hidden,) = net.below([text])
        inputs = AutoTokenizer.from_pretrained(family)(text, return_tensors="pt")
        expected = AutoModel.from_pretrained(family).eval()(**inputs).last_hidden_state
        found = net._through(net._upper, hidden)[-1]
    assert torch.allclose(found, expected, atol=1e-6)
    assert sum(1 for name, _ in net._upper.named_modules() if name.endswith(".down")) == 4


def test_the_classifier_reads_the_mean_of_the_tuned_layers(folder):
    import torch

    net = network(folder, layers=2, adapters=0)
    with torch.no_grad():
        (hidden,) = net.below(["open the file"])
        _, first, last = net._through(net._upper, hidden)
        expected = net._head((first.mean(1) + last.mean(1)) / 2)
        assert torch.allclose(net.logits(hidden), expected, atol=1e-6)


@pytest.mark.parametrize(("adapters", "learnt"), [(0, "1."), (8, ("down", "up", "LayerNorm"))])
def test_only_what_a_method_tunes_changes(adapters, learnt, folder, tmp_path):
    net = network(folder, adapters=adapters)
    before = weights(net)
    train(net, classes.lesson(tmp_path), {**PARAMS, "epochs": 2})
    changed = {name for name, after in weights(net).items() if not after.equal(before[name])}
    assert changed
    if adapters:
        assert all(name.startswith("1.") and any(part in name for part in learnt) for name in changed)
        assert {name for name in before if ".down" in name or ".up" in name} <= changed
    else:
        assert all(name.startswith(learnt) for name in changed)


def test_another_seed_gives_another_classifier_and_the_same_seed_the_same_bytes(folder, tmp_path):
    lesson = classes.lesson(tmp_path)

    def head(seed: int):
        trained = Network({**PARAMS, "path": str(folder)}, 3, seed)
        train(trained, replace(lesson, seed=seed), {**PARAMS, "epochs": 1})
        return trained._head.weight.detach().numpy()

    assert (head(7) == head(7)).all()
    assert not np.allclose(head(7), head(8), atol=1e-4)


@pytest.mark.parametrize("layers", [0, 3])
def test_more_layers_than_there_are_or_none_are_refused(layers, folder):
    with pytest.raises(SeluError, match=f"layers is {layers}, which is not between 1 and the encoder's 2"):
        network(folder, layers=layers)


def test_bottlenecks_are_refused_where_their_place_is_not_known():
    from selu.systems.embed.upper_layers import add_adapters

    with pytest.raises(SeluError, match="bert, roberta, mpnet, not to an encoder of architecture 'modernbert'"):
        add_adapters([], "modernbert", 32, 8)
