"""A model of the hub that params.yaml names, as docs/ADDING.md shows one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "systems" / "finetune"))

from helpers import own_project as mine
from helpers import small_project as small
from selu.app import list as listing
from selu.app import predict, show
from selu.cost import profiles, training
from selu.execution import plans
from selu.execution.finetune import hub_models
from selu.execution.finetune import plan as finetune_plan
from selu.execution.planned import Planned, Wanted
from selu.runs import record
from selu.sources.questions import Form
from selu.vocabulary import SeluError

((ID, MODEL),) = mine.MODELS.items()
CONFIG = {
    "model_type": "bert", "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
    "intermediate_size": 48, "vocab_size": 110, "max_position_embeddings": 512,
}  # fmt: skip
PARAMETERS = (110 + 512) * 32 + 2 * (4 * 32 * 32 + 2 * 32 * 48) + 32 * 32


@pytest.fixture
def root(tmp_path, monkeypatch):
    for name in ("SELU_MODELS", "HF_HOME", "HF_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    root = small.make(tmp_path / "project")
    return named(root, **MODEL)


def named(root: Path, id: str = ID, **model: object) -> Path:
    small.alter(root, lambda p: p["finetune"].update(models={id: model}))
    return root


def configured(folder: Path, **changes: object) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({**CONFIG, **changes}))
    return folder


def cached(folder: Path) -> Path:
    return folder / "cache" / f"models--{MODEL['hub'].replace('/', '--')}"


def planned(root: Path, *systems: str) -> list[Planned]:
    return plans.plan(root, Wanted(systems=systems, tasks=(small.BINARY,)))


def refused(root: Path, *systems: str) -> str:
    with pytest.raises(SeluError) as caught:
        planned(root, *systems)
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value)


def test_it_is_run_when_it_is_named_and_not_otherwise(root):
    runs = planned(root, ID)
    assert {run.name for run in runs} == {
        f"{small.BINARY}/{ID}/{protocol}-s{seed}" for protocol in ("paper", "strict") for seed in (42, 43, 44)
    }
    assert runs[0].fields["model"] == {name: MODEL[name] for name in ("revision", "architecture", "context")}
    assert runs[0].local == {"hub": MODEL["hub"], "package": "", "inside": ""}
    assert ID not in {run.system for run in planned(root)}
    assert ID not in finetune_plan.known(small.make(root / "other"))


@pytest.mark.ci
@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"architecture": "other"}, f"models.{ID}.architecture: Input should be 'encoder-only'"),
        ({"hub": "tiny"}, f"shared.finetune.models.{ID}.hub: 'tiny' is not OWNER/NAME"),
        ({"revision": "main"}, f"shared.finetune.models.{ID}.revision: 'main' is neither a commit"),
        ({"context": 0}, f"shared.finetune.models.{ID}.context: "),
        ({"size": 3}, f"shared.finetune.models.{ID}.size: "),
    ],
)
def test_a_wrong_entry_is_named(root, change, says):
    assert says in refused(named(root, **{**MODEL, **change}))


@pytest.mark.ci
@pytest.mark.parametrize("id", ["bert-base", "minilm-l6", "gpt-4o-zero-shot", "fasttext", "../up", "Tiny"])
def test_an_id_is_one_s_own(root, id):
    message = refused(named(root, id, **MODEL))
    assert "is the id of another system" in message or f"{id!r} is not an id" in message


def test_its_size_is_counted_where_its_configuration_is(root, tmp_path, monkeypatch):
    assert finetune_plan.known(root)[ID][0].parameters is None
    configured(cached(tmp_path) / "snapshots" / MODEL["revision"])
    assert finetune_plan.known(root)[ID][0].parameters == PARAMETERS
    monkeypatch.setenv("SELU_MODELS", str(tmp_path / "models"))
    configured(tmp_path / "models" / MODEL["hub"], num_hidden_layers=0)  # as in a training, this one counts
    assert finetune_plan.known(root)[ID][0].parameters == (110 + 512) * 32 + 32 * 32
    named(root, **MODEL, parameters=7)
    assert planned(root, ID)[0].parameters == 7


def test_without_a_revision_the_cache_s_main_one_is_looked_at(root, tmp_path):
    cache = cached(tmp_path)
    (cache / "refs").mkdir(parents=True)
    (cache / "refs" / "main").write_text("c" * 40)
    configured(cache / "snapshots" / ("c" * 40))
    named(root, **{name: value for name, value in MODEL.items() if name != "revision"})
    assert hub_models.known(root)[ID].revision is None
    assert hub_models.known(root)[ID].system.parameters == PARAMETERS


def test_an_architecture_that_is_not_known_is_refused_for_its_own_runs_alone(root, tmp_path, monkeypatch):
    configured(tmp_path / "models" / ID, model_type="distilbert")
    monkeypatch.setenv("SELU_MODELS", str(tmp_path / "models"))
    assert f"models.{ID}: its config.json: model_type is 'distilbert'; known: bert" in refused(root, ID)
    assert planned(root, "minilm-l6")


def test_what_it_takes_on_a_machine(root, tmp_path, monkeypatch):
    wanted = Wanted(tasks=(small.BINARY,), systems=(ID,))
    with pytest.raises(SeluError, match=f"'hf download {MODEL['hub']} config.json' gets it"):
        training.cost(root, wanted, "a100")
    configured(tmp_path / "models" / ID)
    monkeypatch.setenv("SELU_MODELS", str(tmp_path / "models"))
    found = training.cost(root, wanted, "a100")
    assert [cell["cell"] for cell in found["cells"]] == [f"{small.BINARY}/{ID}"] * 2
    assert found["once"] is None  # the paper's table has no such cell
    every = training.cost(root, Wanted(tasks=(small.BINARY,)), "a100")
    assert ID not in {cell["system"] for cell in every["cells"]}


def test_a_profile_may_name_it(root):
    text = (
        (small.ROOT / "params.yaml")
        .read_text("utf-8")
        .replace("models: {}", f"models: {json.dumps(mine.MODELS)}")
    )
    (root / "params.yaml").write_text(
        text.replace("laptop: {systems: [", f"laptop: {{systems: [bert-base, {ID}, ")
    )
    profiles.set_profile(root, "laptop")
    assert profiles.settings_of(root).in_force.systems[:2] == ("bert-base", ID)


def test_it_is_listed_and_shown_as_not_in_the_paper(tmp_path):
    root = mine.make(tmp_path)
    (row,) = listing.rows(root, "systems", [f"id={ID}"])
    assert (row["paper"], row["architecture"]) == (False, "encoder-only")
    shown = show.record(root, ID)
    assert shown["weights"] == {"hub": MODEL["hub"], "revision": MODEL["revision"]}


@pytest.mark.slow
def test_from_its_entry_to_a_trained_model_that_answers(tmp_path, monkeypatch):
    """Every command of the document about a model, on the document's own task; the weights are random."""
    root = mine.make(tmp_path / "project")
    small.alter(root, lambda p: p["finetune"].update(epochs=2, evaluations=2))
    tiny_bert(tmp_path / "models" / MODEL["hub"])
    # of one task: `sentiment` of the document has rows that nobody may pass on
    commands = [[word.replace("sentiment", mine.TASK) for word in words] for words in mine.COMMANDS[3:6]]
    monkeypatch.setenv("SELU_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("SELU_FINETUNE_PYTHON", sys.executable)
    for words in (mine.COMMANDS[0], *commands):
        out = mine.invoked(root, *words)
    assert "run strict-s42, state present, ours" in out
    for run in plans.plan(root, Wanted(tasks=(mine.TASK,), systems=(ID,))):
        content = record.read_run(run.folder, run.identity)
        assert (content["model"]["origin"], content["standing"]) == ("folder", "own")
    texts = b"drop it because it failed\nbump the parser\n"
    answers = predict.predict(root, ID, mine.TASK, predict.Texts(texts, Form.LINES), print)
    assert len(answers.splitlines()) == 2
    assert set(answers.splitlines()) <= {"no", "yes"}


def tiny_bert(folder: Path) -> None:
    import tiny
    import transformers

    tokenizer = tiny._tokenizer("bert")
    tokenizer.save_pretrained(folder)
    sizes = {**CONFIG, "vocab_size": len(tokenizer), "pad_token_id": tokenizer.pad_token_id}
    del sizes["model_type"]
    transformers.BertForMaskedLM(transformers.BertConfig(**sizes)).save_pretrained(folder)
