"""Batches of the local server as the official SDKs see them: their life, results, refusals, lists, ledger."""

from __future__ import annotations

import json

import anthropic
import openai
import pytest
from anthropic.types.messages import MessageBatch, MessageBatchIndividualResponse
from api_faults import At, Faults
from api_rules import Failure, Limits, fingerprint
from api_server import Server
from openai.types import Batch
from openai.types.chat import ChatCompletion
from sdks import (
    CHAT,
    as_published,
    chat,
    claude_batch,
    claude_of,
    gpt_batch,
    gpt_of,
    lines,
    message,
    row,
    rows_of,
    said_of,
)

NAMES = [f"row-{number}" for number in range(10)]


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


def shown(gpt, batch):
    """A batch as JSON; asking lets it go on."""
    return gpt.batches.with_raw_response.retrieve(batch.id).http_response.json()


def results(claude, batch):
    return {line.custom_id: line.result for line in claude.messages.batches.results(batch.id)}


# ---- life


@pytest.mark.parametrize(
    ("polls", "states"),
    [
        (0, ["completed", "completed"]),
        (1, ["in_progress", "completed"]),
        (2, ["in_progress", "finalizing", "completed"]),
        (3, ["validating", "in_progress", "finalizing", "completed"]),
        (5, ["validating", "in_progress", "in_progress", "in_progress", "finalizing", "completed"]),
    ],
)
def test_the_life_of_a_batch(server, gpt, polls, states):
    server.polls_to_end = polls
    batch = gpt_batch(gpt, NAMES, metadata={"shard": "1"})
    assert (batch.status, batch.metadata, batch.request_counts.total) == ("validating", {"shard": "1"}, 0)
    assert gpt.batches.list().data[0].status == "validating"  # a list does not let it go on
    for state in states:
        found = shown(gpt, batch)
        as_published(Batch, found)
        assert found["status"] == state
        assert (found["output_file_id"] is None) == (state != "completed")
    assert found["request_counts"] == {"total": 10, "completed": 10, "failed": 0}
    assert found["error_file_id"] is None
    batch = Batch.model_validate(found)
    assert said_of(gpt, batch) == [(name, f"PROMPT {name.upper()}") for name in NAMES]
    assert gpt.files.retrieve(batch.output_file_id).purpose == "batch_output"
    replies = rows_of(gpt, batch.output_file_id)
    for reply in replies:
        assert (reply["error"], reply["response"]["status_code"]) == (None, 200)
        as_published(ChatCompletion, reply["response"]["body"])
    assert batch.usage.input_tokens == sum(r["response"]["body"]["usage"]["prompt_tokens"] for r in replies)


@pytest.mark.parametrize("polls", [0, 1, 3])
def test_the_life_of_a_message_batch(server, claude, polls):
    server.polls_to_end = polls
    batch = claude_batch(claude, NAMES)
    for left in range(polls, -1, -1):
        with pytest.raises(anthropic.NotFoundError):
            claude.get(f"/v1/messages/batches/{batch.id}/results", cast_to=object)
        found = claude.messages.batches.with_raw_response.retrieve(batch.id).http_response.json()
        as_published(MessageBatch, found)
        assert found["processing_status"] == ("in_progress" if left else "ended")
        assert found["request_counts"]["processing" if left else "succeeded"] == 10
        assert (found["results_url"] is None) == bool(left)
    body = claude.messages.batches.with_raw_response.results(batch.id).http_response.read().decode()
    for line in body.splitlines():
        as_published(MessageBatchIndividualResponse, json.loads(line))
    said = {name: result.message.content[0].text for name, result in results(claude, batch).items()}
    assert said == {name: f"PROMPT {name.upper()}" for name in NAMES}


@pytest.mark.parametrize(("polls", "done"), [(0, 0), (2, 5)])
def test_a_cancelled_batch_gives_what_was_computed(server, gpt, claude, polls, done):
    server.polls_to_end = 3
    first, second = gpt_batch(gpt, NAMES), claude_batch(claude, NAMES)
    for _ in range(polls):
        shown(gpt, first)
        claude.messages.batches.retrieve(second.id)
    cancelled = gpt.batches.cancel(first.id)
    assert (cancelled.status, cancelled.output_file_id) == ("cancelling", None)
    assert claude.messages.batches.cancel(second.id).processing_status == "canceling"
    found = shown(gpt, first)
    as_published(Batch, found)
    assert (found["status"], found["request_counts"]["completed"]) == ("cancelled", done)
    left = rows_of(gpt, found["error_file_id"])
    assert [row["custom_id"] for row in left] == NAMES[done:]
    assert {(row["response"], row["error"]["code"]) for row in left} == {(None, "batch_cancelled")}
    ended = claude.messages.batches.retrieve(second.id)
    assert (ended.request_counts.succeeded, ended.request_counts.canceled) == (done, 10 - done)
    assert [result.type for result in results(claude, second).values()].count("canceled") == 10 - done
    assert server.paid == {
        fingerprint(body(f"prompt {name}")): 1 for name in NAMES[:done] for body in (chat, message)
    }
    with pytest.raises(openai.BadRequestError):
        gpt.batches.cancel(first.id)
    with pytest.raises(anthropic.BadRequestError):
        claude.messages.batches.cancel(second.id)


def test_a_batch_outlives_its_input_file(server, gpt):
    batch = gpt_batch(gpt, NAMES)
    gpt.files.delete(batch.input_file_id)
    assert gpt.batches.retrieve(batch.id).status == "completed"


# ---- what is refused


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        (lines([row("a")]) + b'{"custom_id": \n', "invalid_json_line", 2),
        (b"[]\n", "invalid_json_line", 1),
        (lines([row("a"), row("b"), row("a")]), "duplicate_custom_id", 3),
        (lines([{**row("a"), "custom_id": None}]), "missing_required_parameter", 1),
        (lines([row("a", url="/v1/embeddings")]), "url_mismatch", 1),
        (lines([row("a", method="GET")]), "invalid_method", 1),
        (lines([row("a", body={**chat(), "model": "gpt-0"})]), "model_not_found", 1),
        (lines([row("a"), row("b", body={**chat(), "model": "o3"})]), "model_mismatch", 2),
        (b"\n", "empty_file", None),
        (lines([row(name) for name in (*NAMES, "one more")]), "too_many_tasks", None),
        (lines([row("a", body=chat("x" * 5000))]), "file_too_large", None),
    ],
)
def test_a_malformed_file_fails_the_batch(server, gpt, content, code, line):
    server.openai_models["o3"] = "o3-2025-04-16"
    server.limits = Limits(openai_requests=10, openai_bytes=5_000)
    batch = gpt_batch(gpt, content)
    found = shown(gpt, batch)
    as_published(Batch, found)
    assert (found["status"], found["output_file_id"]) == ("failed", None)
    assert (found["errors"]["data"][0]["code"], found["errors"]["data"][0]["line"]) == (code, line)
    assert not server.paid


def test_a_malformed_batch_is_refused(gpt):
    file = gpt.files.create(file=("rows.jsonl", lines([row("a")])), purpose="batch").id
    good = {"input_file_id": file, "endpoint": CHAT, "completion_window": "24h"}
    for change in (
        {"input_file_id": "file-none"},
        {"endpoint": "/v1/embeddings"},
        {"completion_window": "1h"},
        {"metadata": {"k": "v" * 513}},
        {"metadata": {str(n): "v" for n in range(17)}},
    ):
        with pytest.raises(openai.BadRequestError):
            gpt.batches.create(**{**good, **change})
    with pytest.raises(openai.NotFoundError):
        gpt.batches.retrieve("batch_none")
    assert gpt.batches.list().data == []


@pytest.mark.parametrize(
    ("requests", "error"),
    [
        ([], anthropic.BadRequestError),
        ([{"custom_id": "a b", "params": message()}], anthropic.BadRequestError),
        ([{"custom_id": "a" * 65, "params": message()}], anthropic.BadRequestError),
        ([{"custom_id": "a", "params": message()}] * 2, anthropic.BadRequestError),
        ([{"custom_id": "a"}], anthropic.BadRequestError),
        ([{"custom_id": f"a{n}", "params": message()} for n in range(11)], anthropic.BadRequestError),
        ([{"custom_id": "a", "params": message("x" * 5000)}], anthropic.ContentTooLargeError),
    ],
)
def test_a_malformed_message_batch_is_refused(server, claude, requests, error):
    server.limits = Limits(anthropic_requests=10, anthropic_bytes=5_000)
    with pytest.raises(error):
        claude.messages.batches.create(requests=requests)
    assert claude.messages.batches.list().data == []
    with pytest.raises(anthropic.NotFoundError):
        claude.messages.batches.retrieve("msgbatch_none")


@pytest.mark.parametrize("body", [b"{", b'{"requests": [', b'{"requests": [{"custom_id": "a"', b"{}", b"\xff"])
def test_a_body_that_is_no_json_is_refused(claude, body):
    with pytest.raises(anthropic.BadRequestError):
        claude.post("/v1/messages/batches", content=body, cast_to=object)


def test_rows_are_refused_one_by_one(server, gpt, claude):
    batch = gpt_batch(gpt, lines([row("good"), row("bad", body=chat(temperature=9))]))
    found = gpt.batches.retrieve(batch.id)
    assert (found.status, found.request_counts.completed, found.request_counts.failed) == ("completed", 1, 1)
    (bad,) = rows_of(gpt, found.error_file_id)
    assert (bad["custom_id"], bad["response"]["status_code"], bad["error"]) == ("bad", 400, None)
    assert bad["response"]["body"]["error"]["type"] == "invalid_request_error"
    both = [("good", message()), ("model", message(model="claude-0")), ("most", message(max_tokens=0))]
    requests = [{"custom_id": name, "params": params} for name, params in both]
    ended = claude.messages.batches.retrieve(claude.messages.batches.create(requests=requests).id)
    kinds = {name: getattr(result, "error", None) for name, result in results(claude, ended).items()}
    assert kinds["good"] is None
    assert kinds["model"].error.type == "not_found_error"
    assert kinds["most"].error.type == "invalid_request_error"
    assert set(server.paid.values()) == {1}


def test_where_all_rows_fail_there_is_no_output(server, gpt):
    server.answer = lambda prompt: Failure(400, "invalid_request_error", "too long", "context_length_exceeded")
    found = gpt.batches.retrieve(gpt_batch(gpt, NAMES).id)
    assert (found.status, found.output_file_id, found.request_counts.failed) == ("completed", None, 10)
    assert len(rows_of(gpt, found.error_file_id)) == 10


# ---- lists


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 20])
def test_lists_show_the_newest_first_over_all_pages(server, gpt, claude, limit):
    first = [gpt_batch(gpt, ["a"]).id for _ in range(7)][::-1]
    second = [claude_batch(claude, ["a"]).id for _ in range(7)][::-1]
    assert [batch.id for batch in gpt.batches.list(limit=limit)] == first
    assert [batch.id for batch in claude.messages.batches.list(limit=limit)] == second
    assert [batch.id for batch in gpt.batches.list(limit=limit, after=first[4])] == first[5:]
    before = [batch.id for batch in claude.messages.batches.list(limit=limit, before_id=second[5])]
    assert sorted(before, key=second.index) == second[:5]
    page = claude.messages.batches.list(limit=limit)
    assert (page.first_id, page.last_id) == (second[0], second[min(limit, 7) - 1])
    assert page.has_more == (limit < 7)


def test_lists_refuse_a_size_or_place_that_cannot_be(gpt, claude):
    for given in ({"limit": 0}, {"limit": 101}, {"after": "batch_none"}):
        with pytest.raises(openai.BadRequestError):
            gpt.batches.list(**given)
    for given in ({"limit": 0}, {"limit": 1001}, {"after_id": "msgbatch_none"}):
        with pytest.raises(anthropic.BadRequestError):
            claude.messages.batches.list(**given)


# ---- the ledger


def test_a_batch_is_paid_even_if_nobody_asks_for_it(server, gpt, claude):
    server.polls_to_end = 9
    gpt_batch(gpt, NAMES)
    gpt_batch(gpt, NAMES[:3])
    claude_batch(claude, NAMES)
    assert sorted(server.paid_by) == ["/v1/batches", "/v1/messages/batches"]
    assert sorted(server.paid_by["/v1/batches"].values()) == [1] * 7 + [2] * 3
    assert set(server.paid_by["/v1/messages/batches"].values()) == {1}
    gpt.chat.completions.create(**chat(f"prompt {NAMES[0]}"))
    assert server.paid[fingerprint(chat(f"prompt {NAMES[0]}"))] == 3


def test_to_read_the_ledger_changes_nothing(server, gpt):
    server.polls_to_end = 2
    batch = gpt_batch(gpt, NAMES)
    assert server.paid == server.paid
    assert [shown(gpt, batch)["status"] for _ in range(3)] == ["in_progress", "finalizing", "completed"]
    assert [name for name, _ in said_of(gpt, gpt.batches.retrieve(batch.id))] == NAMES


def test_a_batch_that_fails_or_ends_early_is_paid_for_what_was_computed(server, gpt):
    gpt_batch(gpt, b"{}\n")
    assert not server.paid
    server.faults = Faults(1, batch_expired=At(1, times=1))
    found = gpt.batches.retrieve(gpt_batch(gpt, NAMES).id)
    assert 0 < found.request_counts.completed < 10
    assert server.paid.total() == found.request_counts.completed


@pytest.mark.parametrize("rows", [2_000, pytest.param(50_000, marks=pytest.mark.slow)])
def test_as_many_rows_as_a_batch_may_have_are_answered(server, gpt, rows):
    names = [f"r{number}" for number in range(rows)]
    found = gpt.batches.retrieve(gpt_batch(gpt, names).id)
    assert found.request_counts.completed == rows
    with gpt.files.with_streaming_response.content(found.output_file_id) as answer:
        assert sum(1 for _ in answer.iter_lines()) == rows
    assert len(server.paid) == rows
