from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from selu import project, registry
from selu.papers.selu.material import Settings
from selu.vocabulary import SeluError


def put(folder: Path, text: str) -> None:
    """Give a project these parameters of the default benchmark."""
    path = folder / project.params_of("selu")
    path.parent.mkdir(parents=True)
    path.write_text(text)


def test_root_is_found_from_a_folder_below(root):
    assert project.find_root(root / "src" / "selu") == root


def test_no_root_is_one_sentence(tmp_path):
    with pytest.raises(SeluError, match="--root FOLDER"):
        project.find_root(tmp_path)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("draws: 50000", "draws: many", r"data/params/selu\.yaml: statistics\.draws: .*integer"),
        ("draws: 50000", "draws: true", r"data/params/selu\.yaml: statistics\.draws: .*integer"),
        ("draws: 50000", "draws: 0", r"data/params/selu\.yaml: statistics\.draws: .*greater"),
        ("draws: 50000", "draws: 1000000000000", r"data/params/selu\.yaml: statistics\.draws: .*less"),
        ("draws: 50000", "", r"data/params/selu\.yaml: statistics\.draws: Field required"),
        ("draws: 50000", "drawz: 3\n  draws: 50000", r"data/params/selu\.yaml: statistics\.drawz: "),
        ("threshold: 0.95", "threshold: 0.2", r"data/params/selu\.yaml: statistics\.threshold: "),
        ("rope: 0.1 ", "rope: .inf ", r"data/params/selu\.yaml: statistics\.rope: "),
        (
            "backend: matrix",
            "backend: fast",
            r"data/params/selu\.yaml: statistics\.backend: .*'matrix' or 'autorank'",
        ),
    ],
)
def test_a_wrong_setting_is_named(root, tmp_path, old, new, message):
    text = (root / project.params_of("selu")).read_text()
    assert old in text
    for name in ("paper", "pins"):
        shutil.copytree(root / "data" / name, tmp_path / "data" / name)
    put(tmp_path, text.replace(old, new, 1))
    with pytest.raises(SeluError, match=message):
        registry.load(tmp_path, "selu")


@pytest.mark.parametrize(
    "text",
    [
        *("statistics: [", "other: 1\n", "", "3\n", "[statistics]\n"),
        "statistics: {2024-01-01: 3}\n",
        "statistics: &a {draws: *a}\n",
        "statistics: &a [*a]\n",
        "statistics: {!!binary aGk=: 3}\n",
        f"statistics: {'[' * 5_000}{']' * 5_000}\n",
    ],
)
def test_damaged_params_are_refused(tmp_path, text):
    put(tmp_path, text)
    with pytest.raises(SeluError, match=r"data/params/selu\.yaml .*restore it from git\.$") as caught:
        project.read_settings(tmp_path, "selu", "statistics", Settings)
    assert len(str(caught.value).splitlines()) == 1
