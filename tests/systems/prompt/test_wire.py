"""Bodies of requests and replies, held to the official SDKs' own types."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import date

import pytest
from anthropic.types import Message
from anthropic.types.messages.batch_create_params import Request
from api_server import CLAUDE, GPT, Server
from calls import BOTH_PROTOCOLS
from carried import MODELS, OFFLINE, PARAMS, SETTINGS, provider_of
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from pydantic import TypeAdapter

from selu.systems.prompt.settings import ModelSettings
from selu.systems.prompt.wire import Reply, body, read, schema
from selu.vocabulary import SeluError

pytestmark = pytest.mark.filterwarnings("ignore:The model 'claude:DeprecationWarning")

LABELS = ("bug", "feature request", "question")
KINDS = ("binary", "multi_class", "multi_label", "regression")
PARAMS_OF = [PARAMS, *({**PARAMS, "schema": schema(kind, LABELS)} for kind in KINDS)]
VARIANTS = pytest.mark.parametrize("params", PARAMS_OF, ids=["plain", *KINDS])
TOKENS = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def checked(kind, value):
    """A value as a type reads it, which leaves out what it does not know and changes nothing."""

    def plain(found):
        if isinstance(found, dict):
            return {name: plain(each) for name, each in found.items()}
        return [plain(each) for each in found] if hasattr(found, "__iter__") and found != str(found) else found

    return plain(TypeAdapter(kind).validate_python(value, strict=True))


def line(protocol, params, name="selu-0-1-7"):
    """A line of a batch as it goes over the wire."""
    text = OFFLINE[protocol].line(name, body(protocol, MODELS[protocol], "Is 'ü' \ud800\n\0 even?", params))
    assert text.count(b"\n") == 1
    assert text.endswith(b"\n")
    return json.loads(text)


# ---- requests


@VARIANTS
def test_a_line_of_a_batch_is_as_openai_has_it(params):
    sent, kind = line("openai", params), CompletionCreateParamsNonStreaming
    assert list(sent) == ["custom_id", "method", "url", "body"]
    assert (sent["method"], sent["url"], sent["custom_id"]) == ("POST", "/v1/chat/completions", "selu-0-1-7")
    assert checked(kind, sent["body"]) == sent["body"]
    assert sent["body"]["messages"][0]["content"] == "Is 'ü' ?\n\0 even?"


@VARIANTS
def test_a_line_of_a_batch_is_of_anthropics_type_but_for_the_temperature(params):
    sent = line("anthropic", params)
    known = checked(Request, sent)
    assert sent["params"].pop("temperature") == 0.0
    assert known == sent


@BOTH_PROTOCOLS
def test_what_is_sent_where_and_where_not(protocol):
    sent = body(protocol, "m", "p", PARAMS)
    assert sent["temperature"] == 0.0
    assert sent["max_tokens"] == 50
    assert ("seed" in sent) == (protocol == "openai")
    assert "temperature" not in body(protocol, "m", "p", {**PARAMS, "temperature": None})
    assert body(protocol, "m", "p", {**PARAMS, "schema": None}) == sent


def test_requests_of_tracked_runs_are_those_that_were_sent():
    """The ledger of programs rests on it: Claude's structured answers alone changed, and no run has them."""
    params = {**PARAMS, "schema": schema("multi_class", LABELS)}
    asked = [("openai", PARAMS), ("openai", params), ("anthropic", PARAMS)]
    sent = json.dumps([body(protocol, "m", "Is it?", each) for protocol, each in asked]).encode()
    assert (
        hashlib.sha256(sent).hexdigest() == "fd3a0611a827f32b140d176219c855886d54a1a2f380ffba10e1cd804fae22f6"
    )


def test_claude_is_held_to_a_form_while_it_reasons():
    claude = ModelSettings("anthropic", "m", 9, temperature=False, reasoning=1024)
    sent = line("anthropic", {**SETTINGS.find_params(claude), "schema": schema("binary", LABELS)})
    assert checked(Request, sent) == sent
    assert sent["params"]["thinking"] == {"type": "enabled", "budget_tokens": 1024}
    form = {"type": "json_schema", "schema": schema("binary", LABELS)}
    assert sent["params"]["output_config"] == {"format": form}


def test_models_of_today_are_asked_in_their_own_terms():
    """Those that reason refuse max_tokens and a temperature, and think at the cost of the answer's tokens."""
    usual = ModelSettings("openai", "m", 9)
    assert SETTINGS.find_params(usual) == PARAMS  # so that runs of others keep their identity
    gpt = replace(usual, limit="max_completion_tokens", temperature=False, reasoning=2000, effort="low")
    sent = line("openai", SETTINGS.find_params(gpt))["body"]
    assert checked(CompletionCreateParamsNonStreaming, sent) == sent
    params = {name: value for name, value in sent.items() if name not in ("model", "messages", "seed")}
    assert params == {"max_completion_tokens": 2050, "reasoning_effort": "low"}
    claude = replace(usual, provider="anthropic", temperature=False, reasoning=1024)
    sent = line("anthropic", SETTINGS.find_params(claude))
    assert checked(Request, sent) == sent
    assert sent["params"]["max_tokens"] == 1074 == SETTINGS.count_answer(claude)
    assert sent["params"]["thinking"] == {"type": "enabled", "budget_tokens": 1024}
    assert "temperature" not in sent["params"]
    assert (SETTINGS.for_model(usual).at_once, SETTINGS.for_model(replace(usual, at_once=64)).at_once) == (
        4,
        64,
    )


@pytest.mark.parametrize(
    ("provider", "wrong", "sentence"),
    [
        ("openai", {"effort": "low"}, "reasoning and effort go with limit: max_completion_tokens"),
        ("anthropic", {"limit": "max_completion_tokens"}, "know neither max_completion_tokens nor effort"),
        ("anthropic", {"reasoning": 100}, "reasoning is 100: give Anthropic's models 1,024 tokens or more"),
        ("anthropic", {"reasoning": 2000}, "take no temperature while they reason: say temperature: false"),
    ],
)
def test_what_a_provider_would_refuse_is_refused_before_it_costs_anything(provider, wrong, sentence):
    with pytest.raises(SeluError, match=sentence):
        ModelSettings(provider, "m", 9, **wrong)


def test_until_when_a_model_can_be_asked():
    leaving = ModelSettings("openai", "gpt", 9, ends="2027-01-14")
    before, after = (leaving.describe_end(date.fromisoformat(day)) for day in ("2026-11-24", "2027-01-14"))
    assert before == "gpt leaves its provider on 2027-01-14, in 51 days: ask it before"
    assert after == "gpt left its provider on 2027-01-14, and can't be asked any more"
    assert ModelSettings("openai", "gpt", 9).describe_end(date(2026, 11, 24)) is None


@pytest.mark.ci
@BOTH_PROTOCOLS
@pytest.mark.parametrize("alone", [True, False])
def test_the_wire_carries_the_temperature_and_the_version_that_knows_it(protocol, alone, tmp_path):
    with Server(answers=("yes",)) as server:
        provider = provider_of(server, protocol)
        billed = []
        server.bill = billed.append
        asked = body(protocol, MODELS[protocol], "is it?", PARAMS)
        if alone:
            provider.ask(asked)
        else:
            file = tmp_path / "rows.jsonl"
            file.write_bytes(provider.line("a-0", asked) + provider.line("a-1", asked))
            provider.submit("a", file)
            rows = server.batches[0].requests
            assert [row["custom_id"] for row in rows] == ["a-0", "a-1"]
            billed += [row.get("body") or row["params"] for row in rows[:1]]
        assert billed == [asked]
        headers = server.requests[-1].headers
        if protocol == "anthropic":
            assert headers["anthropic-version"] == "2023-06-01"
        assert headers["content-type"] == "application/json"
        assert "transfer-encoding" not in headers


# ---- structured answers


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_allows_an_answer_and_nothing_else(kind):
    made = schema(kind, LABELS)
    assert made["required"] == list(made["properties"]) == ["answer"]
    assert made["additionalProperties"] is False  # as OpenAI's strict mode wants it
    answer = made["properties"]["answer"]
    if kind == "regression":
        assert answer == {"type": "number"}
    elif kind == "multi_label":
        assert answer == {"type": "array", "items": {"type": "string", "enum": list(LABELS)}}
    else:
        assert answer == {"type": "string", "enum": list(LABELS)}


@BOTH_PROTOCOLS
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("bug", "bug"),
        (3, "3"),
        (0.5, "0.5"),
        (["bug", "question"], "bug, question"),
        (["bug"], "bug"),
        ([], "none"),
    ],
)
def test_a_structured_answer_comes_back_as_a_plain_one(protocol, value, text):
    given = {"answer": value}
    record = gpt(content=json.dumps(given)) if protocol == "openai" else claude([text_block(json.dumps(given))])
    assert read(protocol, record, structured=True).text == text
    assert json.loads(read(protocol, record).text) == given


@BOTH_PROTOCOLS
def test_a_model_is_asked_for_a_structured_answer(carried, protocol):
    carried.server.answer = lambda prompt: "bug"
    params = {**PARAMS, "schema": schema("multi_class", LABELS)}
    found = carried.provider(protocol).ask(body(protocol, MODELS[protocol], "is it?", params))
    assert read(protocol, found).text == '{"answer": "bug"}'


@pytest.mark.parametrize(
    "text",
    [
        *("", "bug", "{}", "[]", "null", '{"answer": "bu', '{"other": "bug"}', "[" * 100_000),
        *(f'{{"answer": {value}}}' for value in ("null", "[null]", "true", '[["a"]]', '{"answer": "bug"}')),
    ],
)
def test_what_is_no_structured_answer_is_left_for_the_parser_to_refuse(text):
    assert read("openai", gpt(content=text), structured=True).text == text


# ---- replies


def gpt(content: str | None = "yes", finish="stop", refusal=None, **changes):
    """A body that the SDK's own model wrote."""
    message = {"role": "assistant", "content": content, "refusal": refusal}
    choice = {"index": 0, "finish_reason": finish, "logprobs": None, "message": message}
    about = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": GPT}
    made = ChatCompletion.model_validate({**about, "choices": [choice], "usage": TOKENS, **changes})
    return json.loads(made.model_dump_json())


def claude(content, stop="end_turn", **changes):
    about = {"id": "msg_1", "type": "message", "role": "assistant", "model": CLAUDE}
    usage = {"input_tokens": 7, "output_tokens": 2}
    made = Message.model_validate(
        {**about, "content": content, "stop_reason": stop, "stop_sequence": None, "usage": usage, **changes}
    )
    return json.loads(made.model_dump_json())


def text_block(text):
    return {"type": "text", "text": text}


def thought(text):
    return {"type": "thinking", "thinking": text, "signature": "s"}


def reply(text, cut=False, refused=False, model=GPT):
    return Reply(text, cut, refused, 7, 2, model)


@pytest.mark.parametrize(
    ("record", "found"),
    [
        (gpt(), reply("yes")),
        (gpt(finish="length"), reply("yes", cut=True)),
        (gpt(finish="content_filter"), reply("yes", refused=True)),
        (gpt(None, "content_filter"), reply(None, refused=True)),
        (gpt(None, refusal="I can't."), reply("I can't.", refused=True)),
        (gpt(None, "tool_calls"), reply(None)),
        (gpt(""), reply("")),
        (gpt("", "length"), reply("", cut=True)),
        (gpt(usage=None), Reply("yes", False, False, 0, 0, GPT)),
    ],
)
def test_openais_replies(record, found):
    assert read("openai", record) == found


@pytest.mark.parametrize(
    ("record", "found"),
    [
        (claude([text_block("yes")]), reply("yes", model=CLAUDE)),
        (claude([text_block("y"), text_block("es")]), reply("yes", model=CLAUDE)),
        (claude([text_block("yes")], "max_tokens"), reply("yes", cut=True, model=CLAUDE)),
        (claude([text_block("yes")], "model_context_window_exceeded"), reply("yes", cut=True, model=CLAUDE)),
        (claude([text_block("yes")], "stop_sequence"), reply("yes", model=CLAUDE)),
        (claude([text_block("yes")], "pause_turn"), reply("yes", model=CLAUDE)),
        (claude([], "refusal"), reply("", refused=True, model=CLAUDE)),
        (claude([text_block("I")], "refusal"), reply("I", refused=True, model=CLAUDE)),
        (claude([]), reply("", model=CLAUDE)),
        (claude([thought("So: "), text_block('{"answer": 3}')]), reply('{"answer": 3}', model=CLAUDE)),
    ],
)
def test_anthropics_replies(record, found):
    assert read("anthropic", record) == found


def test_half_of_a_character_at_the_end_of_a_cut_reply_is_replaced():
    record = gpt(finish="length")
    record["choices"][0]["message"]["content"] = json.loads('"yes \\ud83d"')
    assert read("openai", record) == reply("yes ?", cut=True)
    assert read("anthropic", {**claude([]), "content": [text_block("\ud83d")]}).text == "?"


def mended(record, path, value):
    """The record with another value at a path of names and places."""
    if not path:
        return value
    name, *rest = path
    copy = record.copy()
    copy[name] = mended(record[name], rest, value)
    return copy


def paths(record, before=()):
    yield list(before)
    items = (
        record.items() if isinstance(record, dict) else enumerate(record) if isinstance(record, list) else ()
    )
    for name, value in items:
        yield from paths(value, (*before, name))


WHOLE = {
    "openai": [gpt(), gpt(None, refusal="no")],
    "anthropic": [claude([text_block("a"), text_block("b")]), claude([thought("so"), text_block("c")])],
}


@BOTH_PROTOCOLS
@settings(max_examples=50)
@given(st.data())
def test_a_body_of_another_shape_is_refused_and_breaks_nothing(protocol, data):
    record = data.draw(st.sampled_from(WHOLE[protocol]))
    for _ in range(data.draw(st.integers(1, 3))):
        record = mended(record, data.draw(st.sampled_from(list(paths(record)))), data.draw(JSON))
    for structured in (False, True):
        try:
            found = read(protocol, record, structured)
        except ValueError:
            continue
        assert found.text is None or isinstance(found.text, str)
        assert type(found.cut) is type(found.refused) is bool
        assert min(found.asked, found.answered) >= 0
        assert found.model is None or isinstance(found.model, str)


@BOTH_PROTOCOLS
@pytest.mark.parametrize(
    "content", [None, "", {}, "yes", 5, [None], ["a"], [{}], [{"type": "text"}], [text_block(None)]]
)
def test_a_reply_without_its_list_is_none(protocol, content):
    record = {**WHOLE[protocol][0], "choices" if protocol == "openai" else "content": content}
    for value in (record, content):
        with pytest.raises(ValueError, match="no reply"):
            read(protocol, value)
