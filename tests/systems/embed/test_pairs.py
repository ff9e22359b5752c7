from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
import tiny

from selu.systems import learners
from selu.systems.embed import fitted
from selu.systems.embed.encoder_pairs import EncoderPairs
from selu.vocabulary import SeluError

FILES = ["open the file and read a line", "read a line of the file", "the file is closed after each line"]
SOCKETS = [
    "the socket listens for a client",
    "a client connects to the socket",
    "each client sends to a socket",
]
TRAIN = [(text, other) for texts in (FILES, SOCKETS) for text in texts for other in texts]
ASKED = [(FILES[0], FILES[1]), (FILES[0], SOCKETS[1]), (FILES[0], FILES[0]), ("zzz", FILES[0])]
TIMED = {"timings": 2, "timed_texts": 3}
PARAMS = {
    "TfidfSvd": {"min_df": 1, "width": 5},
    "HashedNgrams": {"shortest": 3, "longest": 5, "width": 512},
    "WordVectors": {"window": 3, "min_count": 1, "width": 6},
}


def lesson():
    rows = [[{"text_a": first, "text_b": second} for first, second in pairs] for pairs in (TRAIN, ASKED)]
    return SimpleNamespace(texts=rows[0], questions=rows[1], seed=42)


@pytest.mark.parametrize("name", PARAMS)
def test_texts_about_one_thing_are_nearer_and_a_fit_gives_the_same_twice(name):
    learner = getattr(fitted, name)(lesson())
    found = learner.answer(PARAMS[name] | TIMED)
    assert found[0] < found[1]
    assert found[2] == pytest.approx(0, abs=1e-12)
    assert len(learner.seconds) == 2
    assert getattr(fitted, name)(lesson()).answer(PARAMS[name] | TIMED) == found


@pytest.mark.parametrize("name", ["TfidfSvd", "WordVectors"])
def test_a_text_of_unknown_words_is_at_distance_1(name):
    assert getattr(fitted, name)(lesson()).answer(PARAMS[name] | TIMED)[3] == 1


def test_words_near_each_other_are_counted_by_their_distance_and_not_across_texts():
    near = fitted._near([["a", "b", "c"], ["c", "a"]], {"a": 0, "b": 1, "c": 2}, 2).toarray()
    # a-b and b-c stand side by side (weight 1), a-c two apart (1/2) and once side by side
    assert near.tolist() == [[0, 1, 1.5], [1, 0, 1], [1.5, 1, 0]]


def test_word_vectors_factor_the_positive_pointwise_mutual_information():
    """With all dimensions kept, vectors give the matrix back that the formula gives entry by entry."""
    near = fitted._near([["a", "b", "a", "c"], ["b", "c", "c"]], {"a": 0, "b": 1, "c": 2}, 1)
    counts = near.toarray()
    contexts = counts.sum(0) ** 0.75 / (counts.sum(0) ** 0.75).sum()
    words = counts.sum(1) / counts.sum()
    with np.errstate(divide="ignore"):
        table = np.maximum(np.log(counts / counts.sum() / np.outer(words, contexts)), 0)
    left, values, _ = np.linalg.svd(table)
    expected = left * np.sqrt(values)
    found = fitted._factored(near, 3, 0)
    assert np.allclose(np.abs(found), np.abs(expected))


def words() -> SimpleNamespace:
    texts = [" ".join(tiny.WORDS[start : start + 6]) for start in range(4)]
    rows = [{"text_a": texts[0], "text_b": text} for text in texts]
    return SimpleNamespace(texts=[], questions=rows, seed=42)


def test_kept_vectors_give_the_answers_of_new_ones(folder, tmp_path):
    params = {"plain_tokens": 16, "path": str(folder), **TIMED}
    new = EncoderPairs(words()).answer(params)
    assert new[0] == pytest.approx(0, abs=1e-6)
    kept = params | {"vectors": str(tmp_path / "vectors")}
    assert EncoderPairs(words()).answer(kept) == new
    assert EncoderPairs(words()).answer(kept) == new
    assert len(list(tmp_path.rglob("*.safetensors"))) == 1


def test_vectors_of_zeros_or_none_are_refused_and_not_kept(folder, tmp_path):
    import shutil

    from safetensors.numpy import load_file, save_file

    for number, fault in ((0.0, "zero"), (float("nan"), "not finite")):
        broken = shutil.copytree(folder, tmp_path / fault)
        weights = load_file(broken / "model.safetensors")
        last = [name for name in weights if "LayerNorm" in name]
        save_file(
            {name: np.full_like(w, number) if name in last else w for name, w in weights.items()},
            broken / "model.safetensors",
            {"format": "pt"},
        )
        params = {"plain_tokens": 16, "path": str(broken), "vectors": str(tmp_path / "vectors"), **TIMED}
        with pytest.raises(SeluError, match=f"gives a vector that is {fault} for text 1"):
            EncoderPairs(words()).answer(params)
    assert list(tmp_path.glob("vectors/**/*.safetensors")) == []


def test_a_folder_without_weights_is_refused(folder, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}))
    with pytest.raises(SeluError, match="holds no weights as safetensors"):
        EncoderPairs(words()).answer({"plain_tokens": 16, "path": str(tmp_path), **TIMED})


def test_a_task_of_single_texts_is_refused():
    for row in ("one text", {"text": "one text"}):
        with pytest.raises(SeluError, match="how far two texts are apart, and a row of this task has 1"):
            EncoderPairs(SimpleNamespace(texts=[], questions=[row], seed=42))


def test_all_that_decides_distances_is_in_a_run_s_identity():
    names = {
        name: {path.stem for path in learners.files(f"pairs-{name}")} for name in ("word-vectors", "encoder")
    }
    assert names["word-vectors"] == {"fitted", "pairs", "vectors"}
    assert names["encoder"] == {"encoder_pairs", "pairs", "vectors", "sentences"}
