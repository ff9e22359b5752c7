"""Runs of local models: of a server at an address, and of one of our own for weights that are pinned."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

sys.path.append(str(Path(__file__).parents[2] / "systems" / "prompt"))

import served
from api_faults import At, Faults
from api_rules import Answer
from api_server import Server

from helpers import asking, running
from helpers import small_project as small
from helpers.running import run
from selu.evidence import recomputing
from selu.execution import results
from selu.execution.planned import Wanted
from selu.execution.plans import plan
from selu.execution.prompt import local
from selu.execution.prompt import run as prompt_run
from selu.execution.prompt.plan import known
from selu.runs import record
from selu.systems.prompt import own_server
from selu.vocabulary import SeluError

WEIGHTS = b"GGUF" + bytes(1000)
PIN = {
    "model": "tiny-q4",
    "publisher": "owner/tiny-GGUF",
    "revision": None,
    "licence": "MIT",
    "parameters": 10,
    "quantisation": "Q4_K_M",
    "files": [
        {"name": "tiny.gguf", "sha256": hashlib.sha256(WEIGHTS).hexdigest(), "bytes": len(WEIGHTS)},
    ],
}
HERE = {"provider": "local", "model": "tiny-q4", "context": 4096, "weights": "tiny-q4"}
WANTED = Wanted(tasks=(small.BINARY,), systems=("tiny-zero-shot",))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = asking.make(tmp_path_factory.mktemp("made") / "project", (small.BINARY,))
    shutil.copy(small.ROOT / "locks" / "local.txt", root / "locks")
    folder = root / "data" / "pins" / "models"
    folder.mkdir(parents=True)
    (folder / "tiny-q4.yaml").write_text(yaml.safe_dump(PIN))
    return root


@pytest.fixture
def root(made, tmp_path, monkeypatch):
    """A project with a model of its own, whose server is one without weights."""
    root = Path(shutil.copytree(made, tmp_path / "project"))
    models = tmp_path / "models" / "owner" / "tiny-GGUF"
    models.mkdir(parents=True)
    (models / "tiny.gguf").write_bytes(WEIGHTS)
    (tmp_path / "served").mkdir()
    monkeypatch.setenv("SELU_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("SERVED", str(tmp_path / "served"))
    monkeypatch.setattr(own_server, "COMMAND", served.COMMAND)
    pinned = prompt_run.installed
    as_pinned = {"llama-cpp-python": "0.3.36"}
    monkeypatch.setattr(prompt_run, "installed", lambda *names: pinned(*names) | as_pinned)
    declare(root, HERE)
    return root


def declare(root: Path, model: dict[str, Any], name: str = "tiny") -> None:
    quick = {"timeout_seconds": 5.0, "patience_seconds": 1.0}
    small.alter(root, lambda p: (p["prompt"].update(quick), p["prompt"]["models"].update({name: model})))


def refused(root: Path, words: str) -> None:
    """It fails with this sentence, and no run, score or failure is recorded."""
    _, messages = running.refused(root, WANTED)
    assert [line for line in messages if words in line]
    assert not list(root.glob("results/**/run.json"))


def identities(root: Path) -> list[str]:
    return [planned_run.identity for planned_run in plan(root, WANTED)]


@pytest.mark.ci
def test_a_run_of_ones_own_server_says_whose_weights_answered(root, tmp_path):
    messages = run(root, WANTED)
    assert messages[-1].startswith("2 runs: 2 run")
    assert any("is served here by llama-cpp-python 0.3.36" in line for line in messages)
    paper, strict = plan(root, WANTED)
    assert (paper.environment, strict.folder.name) == ("local", "strict-s42")
    system = known(root)["tiny-zero-shot"].system
    assert (system.parameters, system.licence) == (10, "MIT")
    content = record.read_run(strict.folder, strict.identity)
    assert content["fields"]["model"]["weights"] == {
        "publisher": "owner/tiny-GGUF",
        "revision": None,
        "sha256": PIN["files"][0]["sha256"],
        "quantisation": "Q4_K_M",
    }
    assert content["fields"]["packages"]["llama-cpp-python"] == "0.3.36"
    assert content["model"] == {"answered": ["tiny-q4"], "server": "llama-cpp-python 0.3.36"}
    assert content["cost"]["usd"] == 0
    assert content["cost"]["asked_tokens"] > 100
    assert content["cost"]["wall_seconds"] > 0
    assert len(list((tmp_path / "served").iterdir())) == 1  # both protocols read what it answered once


def test_other_weights_another_server_and_another_program_are_another_run(root, monkeypatch):
    before = identities(root)
    assert identities(root) == before
    path = root / "data" / "pins" / "models" / "tiny-q4.yaml"
    path.write_text(yaml.safe_dump(PIN | {"quantisation": "Q8_0"}))
    assert set(identities(root)).isdisjoint(before)
    path.write_text(yaml.safe_dump(PIN))
    lock = root / "locks" / "local.txt"
    lock.write_text(lock.read_text().replace("llama-cpp-python==0.3.36", "llama-cpp-python==0.3.37"))
    assert set(identities(root)).isdisjoint(before)
    declare(root, {"provider": "local", "model": "tiny", "context": 9, "base_url": "http://a/v1"})
    named = identities(root)
    declare(
        root, {"provider": "local", "model": "tiny", "context": 9, "base_url": "http://a/v1", "version": "2"}
    )
    assert set(identities(root)).isdisjoint(named)


@pytest.mark.ci
def test_answers_held_to_the_labels_stand_beside_free_ones(root):
    declare(root, HERE | {"variant": "structured"}, "tiny-held")
    wanted = Wanted(tasks=(small.BINARY,), systems=("tiny-zero-shot", "tiny-held-zero-shot"))
    assert run(root, wanted)[-1].startswith("4 runs: 4 run")
    folders = [
        planned_run.folder.relative_to(root / "results").parts[-2:] for planned_run in plan(root, wanted)
    ]
    assert ("tiny-zero-shot", "strict-s42") in folders
    assert ("tiny-held-zero-shot", "strict-structured-s42") in folders


@pytest.mark.ci
def test_likelihoods_of_labels_are_runs_of_another_server(root, monkeypatch):
    monkeypatch.setattr(local, "LIKELIHOODS", served.COMMAND)
    declare(root, HERE | {"variant": "likelihood"}, "tiny-likely")
    wanted = Wanted(tasks=(small.BINARY,), systems=("tiny-likely-zero-shot", "tiny-zero-shot"))
    assert run(root, wanted)[-1].startswith("4 runs: 4 run")
    assert len(list(Path(os.environ["SERVED"]).iterdir())) == 2  # no reply is taken for one of the other kind
    free, likely = (planned_run for planned_run in plan(root, wanted) if planned_run.protocol == "strict")
    assert (likely.folder.name, free.folder.name) == ("strict-likelihood-s42", "strict-s42")
    assert likely.fields["source"]["server"] != free.fields["source"]["server"]
    declare(
        root,
        {"provider": "local", "model": "m", "context": 9, "base_url": "http://a/v1"}
        | {"variant": "likelihood"},
    )
    with pytest.raises(
        SeluError, match="m can't be asked for the likelihood of labels: a server of our own can"
    ):
        plan(root, WANTED)


@pytest.mark.ci
def test_a_sample_of_a_large_task_is_asked_scored_and_named(root):
    declare(root, HERE | {"sample": 3, "whole": 11})
    assert "on a sample of 3 test rows" in "".join(run(root, WANTED))
    _, strict = plan(root, WANTED)
    assert strict.folder.name == "strict-sample3-s42"
    asked = record.read_predictions(strict.folder, strict.identity)["id"]
    assert len(asked) == 3
    scores = record.read_scores(strict.folder)
    assert scores["rows"] == 3
    again = results.compute_scores(
        record.read_run(strict.folder, strict.identity),
        results.read_rows(root, strict),
        results.read_answers(strict.folder, results.read_rows(root, strict)),
    )
    assert again["value"] == scores["value"]
    assert not recomputing.check(root, "selu")[0]
    declare(root, HERE | {"sample": 3, "whole": 12})
    assert {planned_run.folder.name for planned_run in plan(root, WANTED)} == {"paper-s42", "strict-s42"}


@pytest.mark.parametrize(
    "content", [WEIGHTS[:-1], WEIGHTS[:-1] + b"x", b""], ids=["truncated", "another sha256", "empty"]
)
def test_weights_that_are_not_the_pinned_ones_are_refused(root, tmp_path, content):
    (tmp_path / "models" / "owner" / "tiny-GGUF" / "tiny.gguf").write_bytes(content)
    refused(root, "tiny.gguf is not the pinned tiny.gguf")
    assert not list((tmp_path / "served").iterdir())


@pytest.mark.ci
def test_a_server_that_dies_or_answers_as_another_is_refused(root, monkeypatch):
    monkeypatch.setenv("DIES", "1")
    refused(root, "did not start; what it printed is in")
    monkeypatch.delenv("DIES")
    monkeypatch.setenv("ANSWERS_AS", "another")
    refused(root, "answers as another, not as tiny-q4")
    monkeypatch.delenv("ANSWERS_AS")
    assert run(root, WANTED)[-1].startswith("2 runs: 2 run")


def test_a_server_at_an_address_is_held_to_its_model(root):
    with Server(served.answer) as server:
        server.openai_key = "none"
        server.openai.models = {"tiny": "tiny"}
        at = {"provider": "local", "context": 4096, "base_url": server.openai_url}
        declare(root, at | {"model": "other"})
        refused(root, "serves tiny, not other")
        declare(root, at | {"model": "tiny"})
        assert run(root, WANTED)[-1].startswith("2 runs: 2 run")
        assert sum(server.paid.values()) == 12
        assert "server" not in json.loads(next(root.glob("results/**/run.json")).read_text())["model"]


STREAM = Answer(
    b'data: {"choices": [{"delta": {"content": "\xff"}}]}\n\ndata: [DONE]\n\n', kind="text/event-stream"
)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("server_error", "status 500"),
        ("reset", "APIConnectionError"),
        ("truncated", "APIConnectionError"),
        ("bad_json", "JSONDecodeError"),
        ("stream", "UnicodeDecodeError"),
        ("another model", "answers as other, not as tiny"),
    ],
)
def test_what_is_no_answer_of_the_model_is_never_recorded_as_one(root, monkeypatch, fault, why):
    """A server may list the model and fail all the same: the run says so, and goes on with a better server."""
    monkeypatch.setattr("random.uniform", lambda *_: 0.0)  # no waiting
    with Server(served.answer) as server:
        server.openai_key, server.openai.models = "none", {"tiny": "tiny"}
        declare(root, {"provider": "local", "model": "tiny", "context": 4096, "base_url": server.openai_url})
        small.alter(root, lambda p: p["prompt"].update(patience_seconds=0.0))  # given up after the first
        call = server.call
        if fault == "stream":
            server.call = lambda route, *arguments: STREAM if "chat" in route else call(route, *arguments)
        elif fault == "another model":
            server.openai.models = {"tiny": "other"}
        else:
            server.faults = Faults(1, **{fault: At(route="POST /v1/chat/completions")})
        refused(root, why)
        assert not list(root.glob("results/**/*.parquet"))
        server.call, server.faults, server.openai.models = call, Faults(), {"tiny": "tiny"}
        assert run(root, WANTED)[-1].startswith("2 runs: 2 run")
        made = [json.loads(path.read_text()) for path in root.glob("results/**/run.json")]
        assert [content["model"]["answered"] for content in made] == [["tiny"]] * 2


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ({"provider": "local", "model": "m", "context": 9}, "needs weights .* a base_url, or both"),
        ({"provider": "openai", "model": "m", "context": 9, "weights": "w"}, "of local models only"),
        (HERE | {"weights": "none-such"}, "pins no model 'none-such': it has tiny-q4"),
    ],
)
def test_a_wrong_model_is_named(root, model, words):
    declare(root, model)
    with pytest.raises(SeluError, match=words):
        plan(root, WANTED)
