"""The local server as the official SDKs see it: requests one at a time, refusals, files."""

from __future__ import annotations

import contextlib
import json
import socket
from concurrent.futures import ThreadPoolExecutor

import anthropic
import openai
import pytest
from anthropic.types import Message, ModelInfo
from anthropic.types.shared import ErrorResponse
from api_http import Form
from api_rules import Failure, Reply, fingerprint, tokens
from api_server import Server
from hypothesis import assume, given
from hypothesis import strategies as st
from openai.types import FileObject, Model
from openai.types.chat import ChatCompletion
from sdks import CHAT, CLAUDE, GPT, as_published, chat, claude_of, gpt_of, message, raw

pytestmark = pytest.mark.filterwarnings("ignore:The model 'claude:DeprecationWarning")


@pytest.fixture
def server():
    with Server(lambda prompt: prompt.upper()) as running:
        yield running


@pytest.fixture
def gpt(server):
    with gpt_of(server, _strict_response_validation=True) as client:
        yield client


@pytest.fixture
def claude(server):
    with claude_of(server, _strict_response_validation=True) as client:
        yield client


@pytest.fixture(scope="module")
def kept():
    """A client of a server that stays."""
    with Server() as server, gpt_of(server) as client:
        yield client


# ---- one at a time


def test_chat_completion(server, gpt):
    found = gpt.chat.completions.create(**chat("écho"))
    choice = found.choices[0]
    assert (choice.message.content, choice.finish_reason, found.model) == ("ÉCHO", "stop", GPT)
    assert (found.usage.prompt_tokens, found.usage.completion_tokens) == (tokens("écho"), tokens("ÉCHO"))
    assert found._request_id.startswith("req_")
    as_published(ChatCompletion, raw(gpt.chat.completions, **chat()).json())
    assert server.paid_by == {CHAT: {fingerprint(chat("écho")): 1, fingerprint(chat()): 1}}


def test_message(server, claude):
    found = claude.messages.create(**message("écho", system="short"))
    assert (found.content[0].text, found.stop_reason, found.model) == ("SHORT\n\nÉCHO", "end_turn", CLAUDE)
    assert (found.usage.input_tokens, found.usage.output_tokens) == (tokens("short\n\nécho"),) * 2
    assert found._request_id.startswith("req_")
    as_published(Message, raw(claude.messages, **message()).json())
    assert server.paid[fingerprint(message())] == 1


@pytest.mark.parametrize(
    ("reply", "gpt_says", "claude_says"),
    [
        (Reply("cut", "length"), ("length", "cut", None), ("max_tokens", ["cut"])),
        (Reply("", "content_filter"), ("content_filter", "", None), ("refusal", [])),
        (Reply("I will not", "refusal"), ("stop", None, "I will not"), ("refusal", ["I will not"])),
        (
            Reply("word " * 100),
            ("length", ("word " * 100)[:199], None),
            ("max_tokens", [("word " * 100)[:199]]),
        ),
    ],
)
def test_reasons_to_stop(server, gpt, claude, reply, gpt_says, claude_says):
    server.answer = lambda prompt: reply
    choice = gpt.chat.completions.create(**chat()).choices[0]
    assert (choice.finish_reason, choice.message.content, choice.message.refusal) == gpt_says
    found = claude.messages.create(**message())
    assert (found.stop_reason, [block.text for block in found.content]) == claude_says


@pytest.mark.parametrize(
    ("field", "said", "value"),
    [
        ({"type": "string", "enum": ["bug", "other"]}, "bug", "bug"),
        ({"type": "number"}, "2.5", 2.5),
        ({"type": "array", "items": {"type": "string"}}, "a, b", ["a", "b"]),
        ({"type": "array", "items": {"type": "string"}}, "none", []),
    ],
)
def test_structured_answers(server, gpt, claude, field, said, value):
    server.answer = lambda prompt: said
    schema = {"type": "object", "properties": {"answer": field}, "required": ["answer"]}
    form = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
    found = raw(gpt.chat.completions, **chat(response_format=form)).json()
    as_published(ChatCompletion, found)
    assert json.loads(found["choices"][0]["message"]["content"]) == {"answer": value}
    tools = {
        "tools": [{"name": "answer", "input_schema": schema}],
        "tool_choice": {"type": "tool", "name": "answer"},
    }
    used = raw(claude.messages, **message(**tools)).json()
    as_published(Message, used)
    assert (used["stop_reason"], used["content"][0]["input"]) == ("tool_use", {"answer": value})


def test_malformed_structures_are_refused(gpt, claude):
    with pytest.raises(openai.BadRequestError):
        gpt.chat.completions.create(**chat(response_format={"type": "json_schema", "json_schema": {}}))
    with pytest.raises(anthropic.BadRequestError):
        claude.messages.create(**message(tool_choice={"type": "tool", "name": "answer"}))
    with pytest.raises(anthropic.BadRequestError):
        claude.messages.create(**message(tools=[{"name": "answer"}]))


def test_models(gpt, claude, server):
    assert gpt.models.retrieve(GPT).id == GPT
    assert GPT in [model.id for model in gpt.models.list()]
    assert claude.models.retrieve(CLAUDE).lifecycle == "active"
    assert [model.id for model in claude.models.list()] == [CLAUDE]
    as_published(Model, gpt.models.with_raw_response.retrieve(GPT).http_response.json())
    as_published(ModelInfo, claude.models.with_raw_response.retrieve(CLAUDE).http_response.json())
    for client, error in ((gpt, openai.NotFoundError), (claude, anthropic.NotFoundError)):
        with pytest.raises(error):
            client.models.retrieve("none")


def test_many_at_once_are_each_paid_once(server, gpt):
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda n: gpt.chat.completions.create(**chat(f"p{n}")), range(64)))
    assert [one.choices[0].message.content for one in found] == [f"P{n}" for n in range(64)]
    assert len({one.id for one in found}) == len({one._request_id for one in found}) == 64
    assert server.paid == {fingerprint(chat(f"p{n}")): 1 for n in range(64)}


def test_keys_are_seen_where_they_are_sent(server, gpt, claude):
    gpt.chat.completions.create(**chat())
    claude.messages.create(**message())
    sent = [request.headers["authorization"] for request in server.requests]
    assert sent == [f"Bearer {server.openai_key}", f"Bearer {server.anthropic_key}"]
    assert server.requests[1].headers["anthropic-version"]


# ---- refusals


def test_wrong_keys_are_refused(server, gpt, claude):
    with pytest.raises(openai.AuthenticationError) as caught:
        gpt.with_options(api_key="sk-wrong-secret-abcd").models.list()
    assert caught.value.code == "invalid_api_key"
    assert "secret" not in str(caught.value)
    with pytest.raises(anthropic.AuthenticationError) as refused:
        claude.with_options(api_key="wrong").messages.create(**message())
    assert refused.value.type == "authentication_error"
    as_published(ErrorResponse, refused.value.body)
    assert not server.paid


@pytest.mark.parametrize("header", ["x-api-key", "authorization"])
def test_anthropic_takes_both_headers(server, header):
    import requests

    value = server.anthropic_key if header == "x-api-key" else f"Bearer {server.anthropic_key}"
    for version, status in (("2023-06-01", 200), ("yesterday", 400)):
        headers = {header: value, "anthropic-version": version}
        found = requests.post(f"{server.url}/v1/messages", json=message(), headers=headers, timeout=5)
        assert found.status_code == status
    assert requests.post(f"{server.url}/v1/messages", json=message(), timeout=5).status_code == 401
    assert requests.post(f"{server.openai_url}/chat/completions", json=chat(), timeout=5).status_code == 401


@pytest.mark.parametrize(
    ("change", "error", "param"),
    [
        ({"model": "gpt-0"}, openai.NotFoundError, None),
        ({"messages": []}, openai.BadRequestError, "messages"),
        ({"messages": [{"role": "robot", "content": "a"}]}, openai.BadRequestError, "messages[0].role"),
        ({"messages": [{"role": "user", "content": 3}]}, openai.BadRequestError, "messages[0].content"),
        ({"temperature": 3}, openai.BadRequestError, "temperature"),
        ({"max_tokens": 0}, openai.BadRequestError, "max_tokens"),
        ({"max_tokens": 100_000}, openai.BadRequestError, "max_tokens"),
        ({"extra_body": {"colour": "red"}}, openai.BadRequestError, "colour"),
    ],
)
def test_malformed_chats_are_refused(server, gpt, change, error, param):
    with pytest.raises(error) as caught:
        gpt.chat.completions.create(**chat(**change))
    assert caught.value.type == "invalid_request_error"
    assert caught.value.param == param
    assert not server.paid


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"model": "claude-0"}, anthropic.NotFoundError),
        ({"messages": []}, anthropic.BadRequestError),
        ({"messages": [{"role": "system", "content": "a"}]}, anthropic.BadRequestError),
        ({"extra_body": {"temperature": 1.5}}, anthropic.BadRequestError),
        ({"max_tokens": 0}, anthropic.BadRequestError),
        ({"extra_body": {"seed": 1}}, anthropic.BadRequestError),
        ({"extra_body": {"max_tokens": None}}, anthropic.BadRequestError),
    ],
)
def test_malformed_messages_are_refused(server, claude, change, error):
    with pytest.raises(error) as caught:
        claude.messages.create(**message(**change))
    as_published(ErrorResponse, caught.value.body)
    assert not server.paid


def test_a_missing_field_is_refused(server, gpt, claude):
    for field in ("model", "messages"):
        with pytest.raises(openai.BadRequestError):
            gpt.post("/chat/completions", body={**chat(), field: None}, cast_to=object)
    for field in ("model", "messages", "max_tokens"):
        body = {name: value for name, value in message().items() if name != field}
        with pytest.raises(anthropic.BadRequestError, match=f"{field}: Field required"):
            claude.post("/v1/messages", body=body, cast_to=object)


def test_the_rule_can_refuse(server, gpt, claude):
    server.answer = lambda prompt: Failure(400, "invalid_request_error", "too long", "context_length_exceeded")
    with pytest.raises(openai.BadRequestError) as caught:
        gpt.chat.completions.create(**chat())
    assert caught.value.code == "context_length_exceeded"
    with pytest.raises(anthropic.BadRequestError):
        claude.messages.create(**message())
    assert not server.paid


def test_an_error_of_the_rule_itself_is_not_hidden():
    server = Server(lambda prompt: str(1 / 0))
    with contextlib.suppress(ZeroDivisionError), server, pytest.raises(openai.APIConnectionError):
        gpt_of(server).chat.completions.create(**chat())
    assert isinstance(server.broken[0], ZeroDivisionError)


# ---- files


@given(content=st.binary(min_size=1, max_size=300), name=st.sampled_from(["a.jsonl", "b c.txt"]))
def test_files_come_back_as_they_went(kept, content, name):
    file = kept.files.create(file=(name, content), purpose="batch")
    assert (file.bytes, file.filename, file.purpose) == (len(content), name, "batch")
    assert kept.files.content(file.id).read() == content


@given(
    content=st.lists(st.sampled_from([b"\r\n", b"--", b"--mar", b"--mark", b"\r\n--mar", b"x", b"\r"])).map(
        b"".join
    ),
    size=st.integers(1, 40),
)
def test_a_form_is_read_the_same_in_pieces_of_any_size(tmp_path_factory, content, size):
    assume(b"\r\n--mark" not in content)
    form = (
        b'--mark\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
        b'--mark\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'
        + content
        + b"\r\n--mark--\r\n"
    )
    path = tmp_path_factory.mktemp("form") / "file"
    pieces = (form[start : start + size] for start in range(0, len(form), size))
    parts = Form(pieces, "mark", lambda: path).read().parts
    assert parts == {"purpose": "batch", "file": ("f", path)}
    assert path.read_bytes() == content


def test_files_are_listed_and_deleted(server, gpt):
    made = [gpt.files.create(file=(f"{n}.jsonl", b"{}"), purpose="batch") for n in range(5)]
    as_published(FileObject, gpt.files.with_raw_response.retrieve(made[0].id).http_response.json())
    newest = [file.id for file in reversed(made)]
    assert [file.id for file in gpt.files.list()] == newest
    assert [file.id for file in gpt.files.list(limit=2)] == newest  # over three pages
    assert [file.id for file in gpt.files.list(order="asc", after=newest[2])] == newest[1::-1]
    assert gpt.files.delete(newest[0]).deleted
    assert [file.id for file in gpt.files.list()] == newest[1:]
    for gone in (gpt.files.retrieve, gpt.files.content, gpt.files.delete):
        with pytest.raises(openai.NotFoundError):
            gone(newest[0])
    assert len(list(server.folder.iterdir())) == 4


def test_an_upload_that_is_cut_off_leaves_no_file(server, gpt):
    for sent in (b"", b'--m\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n{"custom'):
        with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2]))) as client:
            head = f"POST /v1/files HTTP/1.1\r\nAuthorization: Bearer {server.openai_key}\r\n"
            head += "Content-Type: multipart/form-data; boundary=m\r\nContent-Length: 1000\r\n\r\n"
            client.sendall(head.encode() + sent)
    assert list(gpt.files.list()) == []
    assert gpt.chat.completions.create(**chat()).choices
    assert server.broken == []


def test_only_batches_are_uploaded(gpt):
    with pytest.raises(openai.BadRequestError):
        gpt.files.create(file=("a", b"x"), purpose="fine-tune")
    with pytest.raises(openai.BadRequestError):
        gpt.files.create(file=("a", b""), purpose="batch")
