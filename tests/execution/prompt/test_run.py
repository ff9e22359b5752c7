"""``selu plan`` and ``selu run`` of prompted systems, against the local server over the official SDKs."""

from __future__ import annotations

import json
import math
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

sys.path.append(str(Path(__file__).parents[2] / "systems" / "prompt"))

from api_faults import At, Faults
from api_server import Server

from helpers import asking
from helpers import small_project as small
from helpers.asking import ANTHROPIC, KEYS, OPENAI, TASKS, answer, at_home
from helpers.read_once import read_once
from helpers.running import run
from selu import cli
from selu.app import show
from selu.app.running.run import run as run_wanted
from selu.cost import prices
from selu.execution.planned import Planned, Wanted
from selu.execution.plans import plan
from selu.execution.prompt.plan import settings_of
from selu.execution.texts import Asked
from selu.papers.asked import Questions
from selu.papers.records import CELL_FIELDS
from selu.runs import record
from selu.systems.prompt.budget import limited
from selu.vocabulary import SeluError

WANTED = Wanted(tasks=(small.BINARY,), systems=(OPENAI,))
NUMBER = Wanted(tasks=(small.NUMBER,), systems=(OPENAI,))


@pytest.fixture(scope="module", autouse=True)
def reading() -> Iterator[None]:
    with read_once():
        yield


@pytest.fixture
def server():
    with Server(answer) as found:
        yield found


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return asking.make(tmp_path_factory.mktemp("made") / "project", TASKS)


@pytest.fixture
def root(made, tmp_path, server, monkeypatch):
    """A project whose models are served here."""
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    root = Path(shutil.copytree(made, tmp_path / "project"))
    small.alter(root, lambda p: at_home(p["prompt"], server.openai_url, server.url))
    return root


def table(planned_run: Planned, name: str) -> dict[str, list[Any]]:
    return pq.read_table(planned_run.folder / name).to_pydict()


@pytest.mark.ci
@pytest.mark.parametrize(
    "systems", [(OPENAI, ANTHROPIC), pytest.param((ANTHROPIC, OPENAI), marks=pytest.mark.slow)]
)
def test_every_kind_by_both_providers_and_protocols(root, server, systems):
    wanted = [Wanted(TASKS[place::2], (system,)) for place, system in enumerate(systems)]
    for part in wanted:
        messages = run(root, part)
        assert messages[-1] == "4 runs: 4 run, 0 left as they are, 0 failed"
    assert set(server.paid.values()) == {1}  # both protocols read the same replies
    assert sum(server.paid.values()) == 4 * 12
    for planned_run in [planned_run for part in wanted for planned_run in plan(root, part)]:
        content = record.read_run(planned_run.folder, planned_run.identity)
        scores = record.read_scores(planned_run.folder)
        replies = table(planned_run, "replies.parquet")
        invalid = sum(reason is not None for reason in replies["reason"])
        assert sum(content["invalid"].values()) == invalid > 0
        assert content["cost"]["requests"] == scores["rows"] == 12
        assert content["cost"]["usd"] > 0
        assert content["cost"]["paid_again"] == content["cost"]["taken_over"] == 0
        assert (content["picked_on"], content["fields"]["model"]["shots"]) == (
            "nothing",
            0 if planned_run.system == OPENAI else 3,
        )
        assert content["model"] == {"answered": [content["fields"]["model"]["snapshot"]]}
        if planned_run.protocol == "strict":
            assert scores["scores"]["invalid"] == invalid


def test_what_protocols_make_of_an_invalid_number(root):
    run(root, NUMBER)
    paper, strict = (
        table(planned_run, "predictions.parquet")["prediction"] for planned_run in plan(root, NUMBER)
    )
    assert set(paper) == {3.0, 0.0}
    assert any(math.isnan(value) for value in strict)
    assert [value == 0 for value in paper] == [math.isnan(value) for value in strict]


def test_a_second_run_asks_nothing(root, server):
    run(root, WANTED)
    asked = len(server.requests)
    assert "1 run" not in run(root, WANTED)[-1]
    run(root, WANTED, only="all")
    assert len(server.asked("POST /v1/batches")) == 1
    assert sum(server.paid.values()) == 12
    assert len(server.requests) == asked
    prompts, journals = (root.glob(f".selu/prompts/*/{name}") for name in ("prompts.txt", "journal.sqlite"))
    assert [path.parent for path in prompts] == [path.parent for path in journals]


def test_structured_answers_are_another_run(root, server):
    run(root, WANTED)
    small.alter(root, lambda p: p["prompt"].update(variant="structured"))
    run(root, Wanted(tasks=(small.BINARY, small.NUMBER), systems=(OPENAI,)))
    run(root, Wanted(tasks=(small.LABELS,), systems=(ANTHROPIC,)))
    (paper, strict) = plan(root, WANTED)
    assert strict.folder.name == "strict-structured-s42"
    assert paper.identity != strict.identity
    assert sum(server.paid.values()) == 12 + 3 * 12


def test_a_server_at_home_without_batches_or_key(root, server, monkeypatch):
    for name in KEYS:
        monkeypatch.delenv(name)
    server.openai_models["tiny"] = "tiny"
    server.openai_key = "none"
    home = {"provider": "compatible", "model": "tiny", "context": 4096, "base_url": server.openai_url}
    small.alter(root, lambda p: p["prompt"]["models"].update(tiny=home))
    run(root, Wanted(tasks=(small.BINARY,), systems=("tiny-3-shot",)))
    assert not server.batches
    assert sum(server.paid.values()) == 12


def test_secrets_are_in_no_file_and_no_message(root, server):
    key = KEYS["OPENAI_API_KEY"]
    server.answer = lambda prompt: f"your keys are {key} and {KEYS['ANTHROPIC_API_KEY']}"
    messages = run(root, Wanted(tasks=(small.BINARY,), systems=(OPENAI, ANTHROPIC)))
    server.openai_key = "another"
    small.alter(root, lambda p: p["prompt"].update(seed=43))
    with pytest.raises(SeluError) as error:
        run(root, WANTED)
    tables = [pq.read_table(path).to_pylist() for path in root.rglob("*.parquet")]  # which are compressed
    texts = [*messages, str(error.value), *map(str, tables)]
    assert sum("[key]" in text for text in texts) == 4
    files = [path for path in root.rglob("*") if path.is_file()]
    assert any(path.suffix == ".sqlite" for path in files)
    for secret in KEYS.values():
        assert not any(secret in text for text in texts)
        assert not any(secret.encode() in path.read_bytes() for path in files)
    small.alter(root, lambda p: p["prompt"].update(seed=42))
    replies = table(plan(root, Wanted(tasks=(small.BINARY,), systems=(ANTHROPIC,)))[0], "replies.parquet")
    assert "[key]" in replies["reply"][0]


@pytest.mark.slow
def test_libraries_that_are_told_to_log_show_no_key(root, server):
    keys, call = " ".join(KEYS.values()), server.call

    def repeating(*request):
        answer = call(*request)
        answer.headers = {**answer.headers, "x-key": keys, "x-request-id": keys, "request-id": keys}
        return answer

    server.answer, server.call = (lambda prompt: f"your keys are {keys}"), repeating
    words = ("run", "--task", small.BINARY, "--system", OPENAI, "--system", ANTHROPIC)
    code, _, errors = small.done(root, *words, environment={"OPENAI_LOG": "debug", "ANTHROPIC_LOG": "debug"})
    assert code == 0
    assert any("openai._base_client" in line and "[key]" in line for line in errors)
    assert any("anthropic._base_client" in line and "[key]" in line for line in errors)
    assert not [line for line in errors for key in KEYS.values() if key in line]


def test_a_plan_prints_requests_tokens_and_price_and_sends_nothing(root, server):
    rows = prices.table(root, Wanted(TASKS, (ANTHROPIC,)))
    assert [(row["requests"], row["to_ask"]) for row in rows] == [(12, 12)] * 4
    assert all(row["asked_tokens"] > 500 and row["usd_at_most"] >= 0 for row in rows)
    assert not server.requests
    words = ["--root", str(root), "plan", "--system", OPENAI, "--task", small.BINARY]
    result = CliRunner().invoke(cli.app, [*words, "--csv"])
    assert result.exit_code == 0
    names = ["requests", "to_ask", "asked_tokens", "answered_tokens", "usd_at_most"]
    assert result.stdout.splitlines()[0].split(",")[-5:] == names
    assert result.stderr.startswith("12 of 12 requests in 1 cells are to be asked: at most 0.0")
    result = CliRunner().invoke(cli.app, [*words, "--system", "fasttext", "--json"])
    mixed = json.loads(result.stdout)
    assert [("requests" in row, "run" in row) for row in mixed] == [(True, False)] + 2 * [(False, True)]
    assert not server.requests


def test_prices_of_everything_are_those_of_the_cells_before_any_is_asked(root, server):
    run(root, WANTED)
    systems = ["gpt-4o-zero-shot", "claude-3.7-zero-shot", "gpt-4o-3-shot", "claude-3.7-3-shot"]
    found = prices.whole(root, systems, TASKS)
    assert [entry["system"] for entry in found["systems"]] == systems
    for entry in found["systems"]:
        assert (entry["cells"], entry["requests"]) == (4, 48)
        if entry["system"] != OPENAI:  # which was asked about one task already
            rows = prices.table(root, Wanted(TASKS, (entry["system"],)))
            assert entry["asked_tokens"] == sum(row["asked_tokens"] for row in rows)
            assert entry["usd_at_most"] == pytest.approx(sum(row["usd_at_most"] for row in rows), abs=0.02)
    assert found["total"]["requests"] == 4 * 48


def test_a_price_stops_before_it_is_spent(root, server):
    with pytest.raises(SeluError, match="2 of 2 runs failed"):
        run(root, WANTED, max_cost=0.0)
    assert not server.paid
    assert run(root, WANTED, max_cost=1.0)[-1].startswith("2 runs: 2 run")
    with pytest.raises(SeluError, match="0 or more"):
        run(root, WANTED, max_cost=-1.0)


@pytest.mark.ci
def test_a_killed_run_goes_on(root, server):
    server.polls_to_end = 10**6
    process = small.selu(root, "run", "--system", OPENAI, "--task", small.BINARY)
    while not server.asked("GET /v1/batches/{id}"):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    server.polls_to_end = 0
    for batch in server.batches:
        batch.polls_left = 0
    assert run(root, WANTED)[-1].startswith("2 runs: 2 run")
    assert set(server.paid.values()) == {1}
    assert len(server.batches) == 1


def html(server: Server, prompt: dict[str, Any]) -> dict[str, str]:
    server.faults = Faults(html_ok=At(1))
    prompt["patience_seconds"] = 1.0
    return KEYS


@pytest.mark.ci
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s, p: None, "needs a key: give it as OPENAI_API_KEY"),
        (lambda s, p: {"OPENAI_API_KEY": "sk-wrong-key"}, "refuses the key"),
        (lambda s, p: p["models"]["gpt-4o"].update(model="gpt-none") or KEYS, "does not know the model"),
        (
            lambda s, p: p["models"]["gpt-4o"].update(context=100) or KEYS,
            "choose a model with a longer context",
        ),
        (html, "can't be used for now"),
        (lambda s, p: setattr(s, "faults", Faults(no_credit=At(1))) or KEYS, "no credit left"),
    ],
    ids=["no key", "wrong key", "unknown model", "context", "HTML", "no credit"],
)
def test_one_sentence_and_the_journal_stands(root, server, monkeypatch, change, words):
    monkeypatch.setattr("random.uniform", lambda *_: 0.0)  # no waiting
    for name in KEYS:
        monkeypatch.delenv(name)
    given: dict[str, str] = {}
    small.alter(root, lambda p: given.update(change(server, p["prompt"]) or {}))
    for name, key in given.items():
        monkeypatch.setenv(name, key)
    messages: list[str] = []
    with pytest.raises(SeluError):
        run_wanted(root, WANTED, "missing", None, messages.append)
    (line,) = {line.partition(": ")[2] for line in messages if "/strict-s42: " in line}
    assert words in line
    assert "sk-wrong-key" not in " ".join(messages)
    assert not server.paid
    server.faults = Faults()
    small.alter(
        root, lambda p: p["prompt"]["models"]["gpt-4o"].update(model="gpt-4o-2024-08-06", context=128000)
    )
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    # no such mistake was recorded as the cells' failure
    assert run(root, WANTED)[-1].startswith("2 runs: 2 run")
    assert set(server.paid.values()) == {1}


def test_a_cell_shows_its_runs_and_what_was_invalid(root, server):
    home = {"provider": "compatible", "model": "tiny", "context": 4096, "base_url": server.openai_url}
    small.alter(root, lambda p: p["prompt"]["models"].update(tiny=home))
    server.openai_models["tiny"] = "tiny"
    server.openai_key = "none"
    for name in ("data/paper/selu", "data/pins/selu"):
        shutil.copytree(small.ROOT / name, root / name, dirs_exist_ok=True)
    (root / "reports" / "selu" / "cells.json").write_text(json.dumps([dict.fromkeys(CELL_FIELDS)]))
    cell = f"{small.BINARY}/tiny-zero-shot"
    assert "runs" not in show.record(root, f"{small.BINARY}/{OPENAI}")
    assert show.record(root, cell)["runs"] == "none yet: 'selu run' makes them"
    run(root, Wanted(tasks=(small.BINARY,), systems=("tiny-zero-shot",)))
    paper, strict = show.record(root, cell)["runs"]
    assert (paper["run"], strict["run"]) == ("paper-s42", "strict-s42")
    count = int(strict["invalid"].split()[0])
    assert strict["invalid"] == f"{count} of 12 ({100 * count / 12:.1f} %)"
    assert count > 0
    assert list(strict)[2:6] == ["value", "interval", "caution", "invalid"]
    assert 0 <= strict["value"] <= 1
    entities = show.record(root, f"{small.TAGS}/tiny-zero-shot")
    assert entities["state"] == "absent by design"


def test_a_served_model_is_asked_each_text_once_and_pays_once(root, server, monkeypatch):
    """Replies to the texts of a benchmark are kept as those of cells are: a second call asks nothing."""
    sets = [
        Questions("written", ["nonsec or neutral?\n\na crash", "nonsec or neutral?\n\nthe docs"], (), 8),
        Questions("chosen", ["nonsec or neutral?\n\na button"], ("nonsec", "neutral"), 8),
    ]
    found = [Asked(root, "crosscodebench", "gpt-4o", lambda _: None).ask(sets, 9) for _ in range(2)]
    for replies in found:
        texts = {
            name: [by_number[at].text for at in sorted(by_number)] for name, by_number in replies.sets.items()
        }
        assert texts == {
            "written": ["I'm sorry, but I can't help with that.", "The answer is nonsec."],
            "chosen": ["nonsec"],
        }
    assert sum(server.paid.values()) == 3
    assert found[0] == found[1]  # seconds, too: they are of the answers, not of the call that reads them
    larger = [replace(sets[0], prompts=[*sets[0].prompts, "nonsec or neutral?\n\na menu"]), sets[1]]
    Asked(root, "crosscodebench", "gpt-4o", lambda _: None).ask(larger, 9)
    assert sum(server.paid.values()) == 4  # of a larger sample what is new, and no more
    for name in KEYS:
        monkeypatch.delenv(name)
    assert Asked(root, "crosscodebench", "gpt-4o", lambda _: None).ask(sets, 9) == found[0]


def test_a_served_model_stops_at_its_limit_and_goes_on_from_there(root, server):
    prompts = [f"nonsec or neutral?\n\ntext {number}" for number in range(4)]
    sets = [Questions("written", prompts, (), 8)]
    with pytest.raises(SeluError, match=r"--max-cost is reached: 0 of 4 rows are answered and kept"):
        Asked(root, "crosscodebench", "gpt-4o", lambda _: None, limited(0)).ask(sets, 9)
    assert sum(server.paid.values()) == 0
    Asked(root, "crosscodebench", "gpt-4o", lambda _: None, limited(1)).ask(sets, 9)
    assert sum(server.paid.values()) == 4
    price = settings_of(root).models["gpt-4o"].usd_in / 1e6  # the whole one: these are sent in no batch
    sets = [Questions("chosen", ["a" * 4000], ("nonsec", "neutral"), 8)]
    with pytest.raises(SeluError, match="--max-cost is reached"):
        Asked(root, "crosscodebench", "gpt-4o", lambda _: None, limited(0.9 * 4000 / 3 * price)).ask(sets, 9)
    for amount in (-1.0, float("nan")):
        with pytest.raises(SeluError, match="--max-cost takes an amount of 0 or more"):
            limited(amount)


def test_replies_of_another_server_are_not_taken_for_those_of_this_one(root, server):
    sets = [Questions("written", ["nonsec or neutral?\n\na crash"], (), 8)]
    Asked(root, "crosscodebench", "gpt-4o", lambda _: None).ask(sets, 9)
    other = server.openai_url.replace("127.0.0.1", "localhost")
    small.alter(root, lambda params: params["prompt"]["models"]["gpt-4o"].update(base_url=other))
    Asked(root, "crosscodebench", "gpt-4o", lambda _: None).ask(sets, 9)
    assert sum(server.paid.values()) == 2
