from __future__ import annotations

import pytest

from selu import project, registry
from selu.benchmarks.selu.material import Knobs
from selu.vocabulary import SeluError


def test_root_is_found_from_a_folder_below(root):
    assert project.find_root(root / "src" / "selu") == root


def test_no_root_is_one_sentence(tmp_path):
    with pytest.raises(SeluError, match="--root FOLDER"):
        project.find_root(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("draws: 50000", "draws: many", r"selu\.statistics\.draws: .*integer"),
        ("draws: 50000", "draws: true", r"selu\.statistics\.draws: .*integer"),
        ("draws: 50000", "draws: 0", r"selu\.statistics\.draws: .*greater"),
        ("draws: 50000", "draws: 1000000000000", r"selu\.statistics\.draws: .*less"),
        ("draws: 50000", "", r"selu\.statistics\.draws: Field required"),
        ("draws: 50000", "drawz: 3\n    draws: 50000", r"selu\.statistics\.drawz: "),
        ("threshold: 0.95", "threshold: 0.2", r"selu\.statistics\.threshold: "),
        ("rope: 0.1 ", "rope: .inf ", r"selu\.statistics\.rope: "),
        ("backend: matrix", "backend: fast", r"selu\.statistics\.backend: .*'matrix' or 'autorank'"),
    ],
)
def test_a_wrong_knob_is_named(root, tmp_path, old, new, message):
    text = (root / "params.yaml").read_text()
    assert old in text
    (tmp_path / "params.yaml").write_text(text.replace(old, new, 1))
    (tmp_path / "data").symlink_to(root / "data")
    with pytest.raises(SeluError, match=message):
        registry.load(tmp_path, "selu")


@pytest.mark.parametrize(
    "text",
    [
        *("selu: [", "other: 1\n", "", "selu: 3\n"),
        "selu:\n  statistics: {2024-01-01: 3}\n",
        "selu:\n  statistics: &a {draws: *a}\n",
        "selu:\n  statistics: &a [*a]\n",
        "selu:\n  statistics: {!!binary aGk=: 3}\n",
        f"selu: {'[' * 5_000}{']' * 5_000}\n",
    ],
)
def test_damaged_params_are_refused(tmp_path, text):
    (tmp_path / "params.yaml").write_text(text)
    with pytest.raises(SeluError, match=r"params\.yaml .*restore it from git\.$") as caught:
        project.read_knobs(tmp_path, "selu", "statistics", Knobs)
    assert len(str(caught.value).splitlines()) == 1
