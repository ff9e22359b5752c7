from __future__ import annotations

import json
from pathlib import Path

import pytest

from selu.papers.nlbse24 import compare
from selu.vocabulary import SeluError

ENTRANTS = ("fasttext-lines", "setfit-minilm", "minilm-l6 strict", "fasttext-lines*")


@pytest.fixture
def root(tmp_path) -> Path:
    """A clone with a record of comparisons."""
    path = tmp_path / "reports" / "nlbse24" / "results.json"
    path.parent.mkdir(parents=True)
    pair = {"value": 0.05221, "low": 0.02, "high": 0.08, "probability": 0.99, "error": 0.001}
    even = {"value": 0.01, "low": -0.01, "high": 0.03, "probability": 0.8, "error": 0.001}
    issues = [
        {"first": "setfit-minilm", "second": "fasttext-lines", **pair},
        {"first": "setfit-minilm", "second": "minilm-l6 strict", **even},
    ]
    record = {
        "bootstrap": {},
        "issues": {"entrants": [{"id": name} for name in ENTRANTS], "differences": issues},
        "comments": {"entrants": [{"id": "fasttext-lines"}], "differences": []},
    }
    path.write_text(json.dumps(record), "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("a", "b", "difference", "low", "high"),
    [
        ("FastText-lines", "setfit-minilm", -0.0522, -0.08, -0.02),
        ("setfit-minilm", "fasttext-lines", 0.0522, 0.02, 0.08),
    ],
)
def test_a_pair_is_seen_from_the_first(a, b, difference, low, high, root):
    found = compare.compare(root, None, a, b)
    row = {"on": "issues", "difference": difference, "low": low, "high": high, "better": "setfit-minilm"}
    assert found["tasks"] == [row]
    assert found["sentence"].endswith("on issues setfit-minilm is ahead.")


def test_a_protocol_may_be_left_out_and_zero_decides_nothing(root):
    found = compare.compare(root, None, "minilm-l6", "setfit-minilm")
    assert (found["a"], found["tasks"][0]["better"]) == ("minilm-l6 strict", None)
    assert found["sentence"].endswith("on issues neither of them is ahead.")


def test_a_bound_within_its_error_decides_nothing():
    entry = {"first": "a", "second": "b", "value": -0.03, "low": -0.06, "high": -0.001}
    for error, ahead in ((0.0009, "b"), (0.001, None)):
        for first, second in (("a", "b"), ("b", "a")):
            row = compare._difference("issues", {**entry, "error": error}, first, second)
            assert row["better"] == ahead


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ("fasttext-lines", "setfit", "no system run on nlbse24 'setfit'; did you mean 'setfit-minilm'"),
        ("fasttext-lines", "Fasttext-lines", "are the same system"),
        ("fasttext-lines", "fasttext-lines*", "run on no track of nlbse24 together"),
    ],
)
def test_what_cannot_be_compared_is_said(a, b, words, root):
    with pytest.raises(SeluError, match=words.replace("*", r"\*")):
        compare.compare(root, None, a, b)


def test_without_a_record_its_command_is_named(root):
    (root / "reports" / "nlbse24" / "results.json").unlink()
    with pytest.raises(SeluError, match=r"results\.json"):
        compare.compare(root, None, "fasttext-lines", "setfit-minilm")
