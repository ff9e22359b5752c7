"""A local model: held to its name, its server ended and started as it must be, each row answered once."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from pathlib import Path

import pytest
import served
from api_faults import Faults
from api_rules import json_answer
from calls import answered
from carried import PARAMS, Carried, killed

from selu.systems.prompt import own_server, wire
from selu.systems.prompt.hiding import Hidden
from selu.systems.prompt.own_server import OwnServer
from selu.systems.prompt.provider_local import Local
from selu.systems.prompt.providers import LaterError, UnconfirmedError
from selu.systems.prompt.serve import GROUP, remembered, taken
from selu.vocabulary import MachineError

MODEL = "tiny-q4"
SETTINGS = {"file": "none.gguf", "model": MODEL, "context": 100, "threads": 1, "seed": 1}


def body(prompt="Is it so?"):
    return wire.body("openai", MODEL, prompt, PARAMS)


def local(server, version=None):
    return Local("none", server.openai_url, 5.0, Hidden([]), MODEL, version)


@pytest.fixture
def server(carried, monkeypatch):
    monkeypatch.setattr("carried.MODELS", {"openai": MODEL})
    carried.server.openai_key = "none"
    carried.server.openai.models = {MODEL: MODEL}
    return carried.server


# ---- a server at an address


def test_a_server_that_serves_the_model_is_asked(server):
    provider = local(server)
    assert wire.read("openai", provider.ask(body())).text in ("yes", "no")
    assert provider.version is None  # which it does not tell


def test_a_server_of_another_model_is_refused_before_it_is_asked(server):
    server.openai.models = {"other": "other"}
    with pytest.raises(MachineError, match=f"serves other, not {MODEL}"):
        local(server)
    assert not server.paid


def test_an_answer_of_another_model_is_none(carried, server):
    provider = local(server)
    server.openai.models = {MODEL: "other"}
    with carried.journal() as journal, pytest.raises(MachineError, match=f"answers as other, not as {MODEL}"):
        carried.drive("openai", alone=True, journal=journal, provider=provider)
    with carried.journal() as journal:
        assert not journal.answered()


@pytest.mark.parametrize(
    ("listed", "words"),
    [
        (b"<html>No.</html>", "does not answer"),
        (b'{"data": [{"id": null}]}', "serves None, not"),
        (b'{"object": "list", "data": []}', "serves no model"),
    ],
)
def test_a_list_of_models_that_is_none(server, listed, words):
    answered(server, listed)
    with pytest.raises(MachineError, match=words):
        local(server)


def test_a_server_that_fails_when_asked_for_its_models(server):
    server.faults = Faults(1, server_error=1.0)
    with pytest.raises(MachineError, match=r"does not answer \(status 500\): start it"):
        local(server)


def test_a_server_that_is_not_there():
    with pytest.raises(MachineError, match=r"at http://127\.0\.0\.1:9/v1 does not answer .*: start it"):
        Local("none", "http://127.0.0.1:9/v1", 1.0, Hidden([]), MODEL)


@pytest.mark.parametrize(
    ("path", "field"), [("/version", "version"), ("/api/version", "version"), ("/props", "build_info")]
)
def test_a_server_is_held_to_its_version(server, path, field):
    find = server.find
    server.find = lambda method, asked: (server.openai, path, []) if asked == path else find(method, asked)
    call = server.call
    server.call = lambda route, *arguments: (
        json_answer({field: "0.11.2"}) if route == path else call(route, *arguments)
    )
    server.openai.check_key = lambda headers: None  # such pages ask for none
    assert local(server).version == "0.11.2"
    assert local(server, "0.11.2").version == "0.11.2"
    with pytest.raises(MachineError, match=r"is of version 0\.11\.2, and params.yaml has 0\.10"):
        local(server, "0.10")


def test_garbage_is_asked_for_again_and_never_kept(carried, server):
    provider = local(server)
    server.faults = Faults(1, server_error=0.2, html_ok=0.1, bad_json=0.1, truncated=0.1, reset=0.1)
    requests = carried.drive("openai", alone=True, provider=provider, attempts=30)
    assert sum(server.faults.happened.values()) > 5
    assert set(requests.values()) <= {"yes", "no"}
    assert len(requests) == carried.rows


def test_an_answer_without_an_end_is_given_up(server):
    provider = local(server)
    answered(server, b'{"choices": "' + b"x" * (2 << 20) + b'"}')
    with pytest.raises(UnconfirmedError, match="without an end"):
        provider.ask(body())


# ---- a server of our own


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.setattr(own_server, "COMMAND", served.COMMAND)
    (tmp_path / "served").mkdir()
    monkeypatch.setenv("SERVED", str(tmp_path / "served"))
    with OwnServer(SETTINGS, tmp_path / "server.log", 20.0) as found:
        yield found


def asked_of(own, timeout=5.0):
    return Local(own.key, own.url(), timeout, Hidden([own.key]), MODEL, "served 1", own)


def started(folder):
    return [int(path.name) for path in (folder / "served").iterdir()]


def gone(folder):
    """Whether no server runs any more, within seconds."""
    until = time.time() + 5
    while time.time() < until:
        if not any(Path(f"/proc/{pid}").exists() and _state(pid) != "Z" for pid in started(folder)):
            return True
        time.sleep(0.02)
    return False


def _state(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


@pytest.mark.ci
def test_it_answers_and_ends_with_the_run(own, tmp_path):
    provider = asked_of(own)
    assert wire.read("openai", provider.ask(body())).text == served.answer("Is it so?")
    structured = {**PARAMS, "schema": wire.schema("binary", ["yes", "no"])}
    found = provider.ask(wire.body("openai", MODEL, "Is it so?", structured))
    assert wire.read("openai", found, structured=True).text == served.answer("Is it so?")
    own.stop()
    assert gone(tmp_path)


@pytest.mark.ci
def test_nobody_else_is_answered(own):
    asked_of(own)
    with pytest.raises(MachineError, match="refuses the key"):
        Local("none", own.url(), 5.0, Hidden([]), MODEL)


@pytest.mark.ci
def test_one_that_died_is_started_again(own, tmp_path):
    provider = asked_of(own)
    for _ in range(3):
        os.kill(own._process.pid, signal.SIGKILL)
        own._process.wait()
        assert provider.ask(body())
    assert len(started(tmp_path)) == 4


@pytest.mark.ci
def test_a_request_that_a_death_cut_off_is_asked_again(own, monkeypatch):
    monkeypatch.setenv("DIES_ASKED", "1")
    provider = asked_of(own)
    with pytest.raises(LaterError, match="its server ended"):  # no answer is on its way, so that none is lost
        provider.ask(body())


@pytest.mark.ci
def test_one_that_never_answers_is_given_up(own, tmp_path, monkeypatch):
    monkeypatch.setenv("DIES", "1")
    with pytest.raises(MachineError, match=r"did not start; what it printed is in .*server\.log"):
        asked_of(own)


@pytest.mark.ci
def test_it_ends_with_a_client_that_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(own_server, "COMMAND", served.COMMAND)
    (tmp_path / "served").mkdir()
    monkeypatch.setenv("SERVED", str(tmp_path / "served"))

    def work():
        with OwnServer(SETTINGS, tmp_path / "server.log", 20.0) as found:
            asked_of(found)
            os.kill(os.getpid(), signal.SIGKILL)

    assert killed(work)
    assert len(started(tmp_path)) == 1
    assert gone(tmp_path)


@pytest.mark.ci
@pytest.mark.parametrize(("rows", "kills"), [(100, 4), pytest.param(600, 10, marks=pytest.mark.slow)])
def test_each_row_is_answered_once_whoever_is_killed(tmp_path, monkeypatch, rows, kills):
    """Server and client are killed in turn, at seeded times."""
    monkeypatch.setattr(own_server, "COMMAND", served.COMMAND)
    (tmp_path / "served").mkdir()
    monkeypatch.setenv("SERVED", str(tmp_path / "served"))
    monkeypatch.setenv("DELAY", "0.005")
    times, left = random.Random(7), kills
    with Carried(tmp_path, rows) as carried:
        monkeypatch.setattr("carried.MODELS", {"openai": MODEL})

        def work(pause, whom):
            with OwnServer(SETTINGS, tmp_path / "server.log", 20.0) as found:
                provider = asked_of(found)

                def kill():
                    time.sleep(pause)
                    os.kill(os.getpid() if whom == "client" else found._process.pid, signal.SIGKILL)

                if whom:
                    threading.Thread(target=kill, daemon=True).start()
                with carried.journal() as journal:
                    carried.clock = time
                    carried.drive("openai", True, journal=journal, provider=provider, attempts=50)

        while left:
            whom = ("client", "server")[left % 2]
            killed(lambda whom=whom: work(times.uniform(0.05, 0.5), whom))
            left -= 1
            assert gone(tmp_path)
        assert not killed(lambda: work(0.0, None))
        with carried.journal() as journal:
            found = carried.replies("openai", journal)
            assert found == {row: served.answer(carried.prompt(row)) for row in range(rows)}
            assert journal.paid_again() == 0
    assert gone(tmp_path)


# ---- what a prompt shares with the one before


def test_whole_groups_of_a_prompt_are_remembered_and_never_its_last_token():
    before = list(range(100))
    assert remembered(before, before) == 96 - 96 % GROUP
    assert remembered(before, [*range(40), 999, 41]) == 32
    assert remembered(before, list(range(97))) == 96
    assert remembered(before, list(range(96))) == 80
    assert remembered([], before) == remembered(before, [5]) == 0


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        ("binary", 'root ::= "a b" | "say \\"c\\""'),
        ("multi_label", 'root ::= "none" | one (", " one){0,1}\none ::= "a b" | "say \\"c\\""'),
        ("regression", 'root ::= "-"? [0-9]{1,9} ("." [0-9]{1,6})?'),
    ],
)
def test_a_schema_goes_out_as_a_grammar_of_bare_answers(kind, rule):
    schema = wire.schema(kind, ["a b", 'say "c"'])
    asked = wire.body("openai", MODEL, "?", {**PARAMS, "schema": schema})
    assert taken(asked) == {**taken(body("?")), "grammar": rule}
    assert taken(body()) == body()


REAL = Path(os.environ.get("SELU_MODELS", "none"), "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF")


@pytest.mark.slow
@pytest.mark.weights
def test_no_answer_of_the_real_server_depends_on_the_prompts_before(tmp_path):
    pytest.importorskip("llama_cpp")
    file = REAL / "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
    texts = [
        "the log is kept for a year",
        "pages load in a second",
        "a user can sort the list",
        "",
        "it is blue",
    ]
    prompts = [f"Is this requirement functional? Answer yes or no, then say why.\n{text}" for text in texts]
    bodies = [wire.body("openai", MODEL, prompt, PARAMS) for prompt in prompts]
    held = {**PARAMS, "schema": wire.schema("binary", ["purple", "green"])}
    with OwnServer(SETTINGS | {"file": str(file), "context": 2048}, tmp_path / "server.log") as own:
        provider = asked_of(own, 300.0)
        replies = [wire.read("openai", provider.ask(body)).text for body in bodies]
        assert [wire.read("openai", provider.ask(body)).text for body in reversed(bodies)] == replies[::-1]
        found = wire.read("openai", provider.ask(wire.body("openai", MODEL, prompts[0], held)), structured=True)
        assert found.text in ("purple", "green")
        own.stop()  # and one that remembers nothing says the same
        assert wire.read("openai", provider.ask(bodies[2])).text == replies[2]
