from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import yaml

from selu.systems.embed import universal
from selu.vocabulary import MachineError

TEXTS = {
    "near": "Open a file and read its lines.",
    "same": "Reads all lines of a file.",
    "far": "A blue whale sings.",
}


@pytest.fixture(scope="module")
def params(request):
    place = request.config.rootpath / "data" / "params" / "blanca.yaml"
    return yaml.safe_load(place.read_text("utf-8"))["systems"]["use-multilingual-v3"]["params"]


def distances(params, *pairs):
    rows = [{"text_a": TEXTS[first], "text_b": TEXTS[second]} for first, second in pairs]
    learner = universal.UniversalPairs(SimpleNamespace(questions=rows))
    return learner.answer({**params, "timings": 2, "timed_texts": 1}), learner.seconds


@pytest.mark.ci
def test_texts_of_one_meaning_are_nearer_and_no_distance_depends_on_other_pairs(params):
    found, seconds = distances(params, ("near", "same"), ("near", "far"), ("near", "near"))
    assert found[2] == pytest.approx(0)
    assert found[0] < 0.6 < found[1]
    assert distances(params, ("near", "far"))[0] == [found[1]]
    assert len(seconds) == 2


@pytest.mark.ci
def test_a_vector_is_that_of_the_package_s_own_example(params):
    encoder = universal.load(params["weights"], params["vocabulary"])
    first, second = (encoder.encode(text) for text in ("gato preto correu", "o gato preto correu pelo jardim"))
    assert float(first @ second) == pytest.approx(0.82, abs=0.005)  # its README
    assert np.linalg.norm(first) == pytest.approx(1)


def test_other_weights_and_a_missing_package_are_refused_by_name(params, monkeypatch):
    with pytest.raises(MachineError, match=r"weights\.npz has the sha256 0db5.*, 0000 expected"):
        universal.load("0000", params["vocabulary"])
    monkeypatch.setattr(universal, "find_spec", lambda _name: None)
    with pytest.raises(MachineError, match="not installed: 'make environments' installs it"):
        universal.load(params["weights"], "1111")
