from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pandas as pd
import pytest
import tiny

from helpers import small_project as small
from selu.execution.grids.given import find_encoder
from selu.execution.plans import Wanted, plan
from selu.vocabulary import SeluError

RESCORED = Path("reports") / "blanca" / "rescored.json"


def rows(label) -> pd.DataFrame:
    draw = random.Random(3)
    texts = [[" ".join(draw.choices(tiny.WORDS, k=draw.randrange(3, 9))) for _ in range(60)] for _ in "ab"]
    return pd.DataFrame(
        {
            "id": [f"p{number:06}" for number in range(60)],
            "text_a": texts[0],
            "text_b": texts[1],
            "label": [label(number) for number in range(60)],
            "group": [""] * 60,
            "source": ["made"] * 60,
        },
        dtype=object,
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory, root) -> Path:
    made = small.make(tmp_path_factory.mktemp("own"), ())
    small.put(made, "class_usage", rows(float), "partial")
    small.put(made, "forum_to_class", rows(lambda number: number % 3 % 2), "partial")
    for name in ("paper", "pins"):
        shutil.copytree(root / "data" / name / "blanca", made / "data" / name / "blanca")
    (made / RESCORED).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(root / RESCORED, made / RESCORED)
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tiny.make("bert", tmp_path_factory.mktemp("models") / "my bert")


def run(project, folder, *options):
    tasks = ("--task", "class_usage", "--task", "forum_to_class")
    return small.done(project, "run", "--paper", "blanca", "--encoder", str(folder), *tasks, *options)


@pytest.mark.slow
def test_an_encoder_is_run_scored_and_placed_among_the_published_ones(project, folder):
    code, out, messages = run(project, folder)
    assert code == 0, messages
    id = find_encoder(str(folder), print).id
    assert id.startswith("my-bert-")
    (page,) = [Path(line.removeprefix("wrote ")) for line in out.splitlines() if line.endswith("index.md")]
    assert page.parent == project / "reports" / "own" / "blanca" / id
    scores = json.loads((page.parent / "scores.json").read_text())
    assert {score["task"]: score["pairs"] for score in scores} == {"class_usage": 12, "forum_to_class": 12}
    table = pd.read_csv(page.parent / "encoders_usage.csv")
    assert len(table) == 11
    place = int(table[table["Encoder"] == id]["Rank"].iloc[0])
    assert f"place {place} of 11; 10 are published encoders" in page.read_text()
    assert run(project, folder)[2][-1] == "nothing to do: 2 results are up to date"


def test_a_declared_encoder_with_pinned_weights_is_known_where_it_is_not(project, monkeypatch, tmp_path):
    """Tracked runs count wherever they are read, not only where 438 MB of weights lie."""
    identities = set()
    for place in (tmp_path, tmp_path / "nowhere"):
        monkeypatch.setenv("SELU_MODELS", str(place))
        (run,) = plan(project, Wanted(("class_usage",), ("all-mpnet-base-v2",)))
        identities.add(run.identity)
        assert run.grid[0]["weights"].startswith("78c0197b")
        assert run.local["hub"] == "sentence-transformers/all-mpnet-base-v2"
    assert len(identities) == 1


def test_another_pooling_is_another_encoder(project, folder, tmp_path):
    from sentence_transformers import SentenceTransformer

    library = SentenceTransformer(str(folder), device="cpu")
    ids = set()
    for mode in ("cls", "mean"):
        library[1].pooling_mode = mode
        library.save(str(tmp_path / mode / "same"))
        ids.add(find_encoder(str(tmp_path / mode / "same"), print).id)
    assert len(ids) == 2


@pytest.mark.slow
def test_vectors_that_can_t_be_scored_end_in_a_sentence_and_leave_nothing(project, folder, tmp_path):
    from safetensors.numpy import load_file, save_file

    broken = shutil.copytree(folder, tmp_path / "broken")
    weights = load_file(broken / "model.safetensors")
    zeros = {name: weight * float("nan") for name, weight in weights.items()}
    save_file(zeros, broken / "model.safetensors", {"format": "pt"})
    code, _, messages = run(project, broken)
    assert code == 2
    assert any("gives a vector that is not finite for text 1 of" in line for line in messages)
    assert not list((project / "results").glob("**/broken-*/*/scores.json"))
    assert not list((project / "reports" / "own").glob("**/broken-*"))


@pytest.mark.parametrize(
    ("name", "message"),
    [("nowhere", "is neither a folder nor OWNER/NAME of the hub"), (".", "holds no weights as safetensors")],
)
def test_what_is_no_encoder_is_refused(tmp_path, monkeypatch, name, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SeluError, match=message):
        find_encoder(name, print)


def test_a_benchmark_that_takes_no_encoder_and_a_system_beside_one_are_refused(project, folder):
    code, _, messages = small.done(project, "run", "--paper", "nlbse24", "--encoder", str(folder))
    assert (code, messages[-1]) == (
        2,
        "selu: no task that is asked for takes an encoder: name tasks of blanca.",
    )
    code, _, messages = run(project, folder, "--system", "tfidf-svd")
    assert code == 2
    assert "an encoder is given, and tfidf-svd named beside it" in messages[-1]
