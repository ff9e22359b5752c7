from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from selu.project import read_settings
from selu.systems.baseline.settings import BaselineSettings, BootstrapSettings
from selu.vocabulary import SeluError

ROOT = Path(__file__).parents[3]
XGBOOST, FASTTEXT, BOOTSTRAP = "baselines.tfidf_xgboost", "baselines.fasttext", "bootstrap"


def read(folder: Path, section: str = "", name: str = "", value: Any = None) -> tuple[Any, Any]:
    """Both records of the project's own parameters, with one of them changed."""
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    if section:
        entry = params["shared"]
        for part in section.split("."):
            entry = entry[part]
        assert value == "new" or name in entry
        entry[name] = value
    (folder / "params.yaml").write_text(yaml.safe_dump(params), "utf-8")
    return read_settings(folder, "shared", "baselines", BaselineSettings), read_settings(
        folder, "shared", "bootstrap", BootstrapSettings
    )


def test_the_projects_own_are_the_papers_grids(tmp_path):
    """TF-IDF+XGBoost: 8 depths by 4 weights; FastText: 6 rates by 4 epochs (SELU section IV-B)."""
    baselines, bootstrap = read(tmp_path)
    assert baselines.tfidf_xgboost.max_depth == tuple(range(3, 11))
    assert baselines.tfidf_xgboost.min_child_weight == (1, 3, 5, 7)
    assert baselines.fasttext.lr == (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
    assert baselines.fasttext.epoch == (5, 10, 15, 20)
    assert len(baselines.fasttext.seeds) == 5
    assert bootstrap.level == 0.95


@pytest.mark.parametrize(
    ("section", "name", "value"),
    [
        (XGBOOST, "max_depth", []),
        (XGBOOST, "max_depth", [3, 4, 3]),
        (XGBOOST, "min_child_weight", [-1]),
        (XGBOOST, "min_child_weight", [float("nan")]),
        (XGBOOST, "seed", 0),
        (XGBOOST, "squared_error", ["incivility", "incivility"]),
        (FASTTEXT, "lr", [0.0]),
        (FASTTEXT, "epoch", [5, 5]),
        (FASTTEXT, "threshold", 0.0),
        (FASTTEXT, "quoted", 1),
        (FASTTEXT, "seeds", [42, 42]),
        (BOOTSTRAP, "draws", 99),
        (BOOTSTRAP, "level", 95),
    ],
)
def test_a_setting_out_of_range_is_named(section, name, value, tmp_path):
    with pytest.raises(
        SeluError, match=rf"^params\.yaml: shared\.{section}\b[^\n]*; restore it from git\.$"
    ) as caught:
        read(tmp_path, section, name, value)
    assert name in str(caught.value) or "twice" in str(caught.value)


@pytest.mark.parametrize("section", [XGBOOST, BOOTSTRAP])
def test_a_setting_that_there_is_not_is_to_be_taken_out(section, tmp_path):
    sentence = "there is no such setting; take it out, or restore it from git"
    with pytest.raises(SeluError, match=rf"^params\.yaml: shared\.{section}\.trees: {sentence}\.$"):
        read(tmp_path, section, "trees", "new")
