"""Every fault of the local server, as the official SDKs see it."""

from __future__ import annotations

import email.utils
import json
import time

import anthropic
import httpx2
import openai
import pytest
from anthropic.types.messages import MessageBatchIndividualResponse
from anthropic.types.shared import ErrorResponse
from api_faults import AFTER, BATCH, BEFORE, KINDS, ROW, At, Faults
from api_server import Server
from hypothesis import given
from hypothesis import strategies as st
from openai.types import Batch
from sdks import (
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

pytestmark = pytest.mark.filterwarnings("ignore:The model 'claude:DeprecationWarning")

NAMES = [f"row-{number}" for number in range(200)]
ERRORS = {  # OpenAI's, Anthropic's
    "rate_limit": (openai.RateLimitError, anthropic.RateLimitError),
    "rate_limit_ms": (openai.RateLimitError, anthropic.RateLimitError),
    "rate_limit_date": (openai.RateLimitError, anthropic.RateLimitError),
    "rate_limit_bare": (openai.RateLimitError, anthropic.RateLimitError),
    "no_credit": (openai.RateLimitError, anthropic.BadRequestError),
    "server_error": (openai.InternalServerError, anthropic.InternalServerError),
    "unavailable": (openai.InternalServerError, anthropic.ServiceUnavailableError),
    "overloaded": (None, anthropic.OverloadedError),
    "html_502": (openai.InternalServerError, anthropic.InternalServerError),
    "html_ok": (openai.APIResponseValidationError, anthropic.APIResponseValidationError),
    "reset": (openai.APIConnectionError, anthropic.APIConnectionError),
    "lost_reply": (openai.APIConnectionError, anthropic.APIConnectionError),
    "silent": (openai.APITimeoutError, anthropic.APITimeoutError),
    "truncated": (openai.APIConnectionError, anthropic.APIConnectionError),
    "bad_json": (json.JSONDecodeError, json.JSONDecodeError),  # the SDKs leave it as it is
    "slow": (None, None),
}
STATUS = {
    "no_credit": (429, 400),
    "server_error": (500,) * 2,
    "unavailable": (503,) * 2,
    "html_502": (502,) * 2,
}


@pytest.fixture
def server():
    with Server() as running:
        yield running


@pytest.fixture
def gpt(server):
    with gpt_of(server, _strict_response_validation=True, timeout=5) as client:
        yield client


@pytest.fixture
def claude(server):
    with claude_of(server, _strict_response_validation=True, timeout=5) as client:
        yield client


def error_of(call):
    try:
        call()
    except Exception as error:
        return error
    return None


# ---- requests


@pytest.mark.parametrize("kind", BEFORE + AFTER)
def test_a_fault_of_a_request(server, gpt, claude, kind):
    wait = 0.5 if kind == "silent" else 5
    server.faults = Faults(**{kind: 1.0})
    first = error_of(lambda: gpt.chat.completions.create(**chat(), timeout=wait))
    second = error_of(lambda: claude.messages.create(**message(), timeout=wait))
    for place, (error, wanted) in enumerate(zip((first, second), ERRORS[kind], strict=True)):
        assert (type(error) if error else None) is wanted
        if kind in STATUS:
            assert error.status_code == STATUS[kind][place]
    assert server.faults.happened[kind] == 2 - (kind == "overloaded")
    accepted = {"overloaded": 1}.get(kind, 2 if kind in AFTER else 0)
    assert server.paid.total() == accepted
    server.faults = Faults()
    assert gpt.chat.completions.create(**chat()).choices  # on a good connection again
    assert claude.messages.create(**message()).content
    assert server.broken == []


def test_errors_have_the_published_bodies(server, gpt, claude):
    for kind in ("rate_limit", "server_error", "overloaded", "no_credit"):
        server.faults = Faults(**{kind: 1.0})
        refused = error_of(lambda: claude.messages.create(**message()))
        as_published(ErrorResponse, refused.body)
        assert refused.request_id == refused.body["request_id"]
    limited = error_of(lambda: gpt.chat.completions.create(**chat()))
    assert (limited.code, limited.type) == ("insufficient_quota",) * 2
    assert limited.request_id.startswith("req_")


def test_what_breaks_the_connection(server, gpt):
    causes = {}
    for kind in ("reset", "lost_reply", "truncated"):
        server.faults = Faults(**{kind: 1.0})
        causes[kind] = error_of(lambda: gpt.models.list()).__cause__
    assert isinstance(causes["reset"], httpx2.ReadError)
    assert "reset by peer" in str(causes["reset"])
    assert "without sending a response" in str(causes["lost_reply"])
    assert "incomplete" in str(causes["truncated"]) or "complete message" in str(causes["truncated"])


def test_how_long_to_wait(server, gpt):
    seen = {}
    for kind in ("rate_limit", "rate_limit_ms", "rate_limit_date", "rate_limit_bare"):
        server.faults = Faults(**{kind: 1.0})
        errors = [error_of(lambda: gpt.models.list()) for _ in range(3)]
        seen[kind] = [error.response.headers for error in errors]
    waits = [float(headers["retry-after"]) for headers in seen["rate_limit"]]
    assert sorted(waits) == [0, 0.02, 0.05]
    assert {headers["retry-after-ms"] for headers in seen["rate_limit_ms"]} == {"15"}
    for headers in seen["rate_limit_date"]:
        moment = email.utils.parsedate_to_datetime(headers["retry-after"]).timestamp()
        assert abs(moment - time.time()) < 60
    assert all("retry-after" not in headers for headers in seen["rate_limit_bare"])


def test_a_page_instead_of_json_is_text_to_an_sdk_that_is_not_strict(server):
    server.faults = Faults(html_ok=1.0)
    assert isinstance(gpt_of(server).chat.completions.create(**chat()), str)
    assert isinstance(claude_of(server).messages.create(**message()), str)


def test_downloads_that_are_cut_off(server, gpt, claude):
    first = gpt.batches.retrieve(gpt_batch(gpt, NAMES).id)
    second = claude_batch(claude, NAMES)
    server.faults = Faults(truncated=At(route="GET /v1/files/{id}/content"))
    with pytest.raises(openai.APIConnectionError):
        gpt.files.content(first.output_file_id)
    with (  # read as a stream, it is the transport's error and not the SDK's
        gpt.files.with_streaming_response.content(first.output_file_id) as answer,
        pytest.raises(httpx2.RemoteProtocolError),
    ):
        list(answer.iter_lines())
    server.faults = Faults(truncated=At(route="GET /v1/messages/batches/{id}/results"))
    whole = []
    with pytest.raises(httpx2.RemoteProtocolError):
        whole.extend(claude.messages.batches.results(second.id))
    server.faults = Faults(html_ok=At(route="GET /v1/messages/batches/{id}/results"))
    with pytest.raises(json.JSONDecodeError):
        list(claude.messages.batches.results(second.id))


@pytest.mark.parametrize("kind", AFTER)
def test_a_batch_is_accepted_before_its_reply_is_lost(server, kind):
    server.faults = Faults(**{kind: At(1, times=1, route="POST /v1/batches")})
    wait = 0.5 if kind == "silent" else 5
    gpt, claude = gpt_of(server, timeout=wait), claude_of(server, timeout=wait)
    first = error_of(lambda: gpt_batch(gpt, NAMES, metadata={"shard": "7"}))
    server.faults = Faults(**{kind: At(1, times=1, route="POST /v1/messages/batches")})
    second = error_of(lambda: claude_batch(claude, NAMES))
    assert (first is None, second is None) == ((kind == "slow"),) * 2
    (found,) = gpt.batches.list()
    assert found.metadata == {"shard": "7"} == server.batches[0].metadata
    assert [batch.id for batch in claude.messages.batches.list()] == [server.batches[1].id]
    assert set(server.paid.values()) == {1}


@pytest.mark.parametrize("kind", sorted({*BEFORE} - {"overloaded"}))
def test_a_batch_is_not_accepted_where_the_request_is_not(server, gpt, claude, kind):
    file = gpt.files.create(file=("rows.jsonl", lines([row("a")])), purpose="batch").id
    server.faults = Faults(**{kind: 1.0})
    for create in (
        lambda: gpt.batches.create(
            input_file_id=file, endpoint="/v1/chat/completions", completion_window="24h"
        ),
        lambda: claude_batch(claude, NAMES),
        lambda: gpt.files.create(file=("more.jsonl", b"{}"), purpose="batch"),
    ):
        assert error_of(create) is not None
    server.faults = Faults()
    assert [found.id for found in gpt.files.list()] == [file]
    assert server.batches == []
    assert not server.paid


# ---- the schedule


RATES = st.dictionaries(st.sampled_from(BEFORE + AFTER), st.floats(0, 0.3))
ROUTES = st.lists(st.sampled_from(["POST /v1/batches", "GET /v1/batches", "POST /v1/messages"]), max_size=60)


@given(seed=st.integers(0, 1000), rates=RATES, routes=ROUTES)
def test_a_schedule_is_the_same_every_time_and_for_each_route(seed, rates, routes):
    first, second = Faults(seed, **rates), Faults(seed, **rates)
    met = [(route, first.of_request(route)) for route in routes]
    assert met == [(route, second.of_request(route)) for route in routes]
    for alone in set(routes):  # whatever the other routes are asked in between
        third = Faults(seed, **rates)
        assert [fault for route, fault in met if route == alone] == [
            third.of_request(alone) for route in routes if route == alone
        ]


def test_another_seed_is_another_schedule():
    drawn = set()
    for seed in range(100):
        faults = Faults(seed, reset=0.5)
        drawn.add(tuple(faults.of_request("GET /") for _ in range(3)))
    assert len(drawn) == 8


@given(seed=st.integers(0, 1000), times=st.integers(0, 5), skip=st.integers(0, 5))
def test_a_fault_that_is_limited(seed, times, skip):
    faults = Faults(seed, server_error=At(1, times=times, skip=skip, route="a"))
    met = [faults.of_request(route) for route in "ab" * 20]
    assert met[1::2] == [None] * 20
    assert met[::2] == [None] * skip + ["server_error"] * times + [None] * (20 - skip - times)
    assert faults.happened.total() == times


def test_rates_are_kept():
    faults = Faults(3, server_error=0.1)
    met = [faults.of_request("GET /") for _ in range(5000)]
    assert abs(met.count("server_error") / 5000 - 0.1) < 0.02


def test_an_unknown_fault_is_refused():
    with pytest.raises(TypeError, match="no such fault: meteor"):
        Faults(meteor=1.0)
    assert set(KINDS) == {*BEFORE, *AFTER, *BATCH, *ROW}
    assert set(ERRORS) == {*BEFORE, *AFTER}


# ---- batches and rows


def ended(server, gpt, claude, **faults):
    """A batch of each provider under faults; by custom_id in the order of the results: what there is."""
    server.faults = Faults(5, **faults)
    first = gpt.batches.with_raw_response.retrieve(gpt_batch(gpt, NAMES).id).http_response.json()
    as_published(Batch, first)
    good = rows_of(gpt, first["output_file_id"]) if first["output_file_id"] else []
    bad = rows_of(gpt, first["error_file_id"]) if first["error_file_id"] else []
    second = claude.messages.batches.retrieve(claude_batch(claude, NAMES).id)
    results = list(claude.messages.batches.results(second.id))
    for result in results:
        as_published(MessageBatchIndividualResponse, json.loads(result.model_dump_json(exclude_unset=True)))
    return first, good, bad, second, results


def test_lost_rows_are_paid_and_in_no_file(server, gpt, claude):
    first, good, bad, second, results = ended(server, gpt, claude, row_lost=0.1)
    for batch, found in zip(server.batches, (good, [vars(result) for result in results]), strict=True):
        assert 5 < len(batch.lost) < 50
        assert [row["custom_id"] for row in found] == [name for name in NAMES if name not in batch.lost]
    assert (first["request_counts"]["completed"], second.request_counts.succeeded) == (200, 200)
    assert bad == []
    assert len(server.paid) == server.paid.total() == 400


def test_doubled_rows_are_paid_once(server, gpt, claude):
    _, good, _, _, results = ended(server, gpt, claude, row_doubled=At(0.5, times=12))
    doubled = [name for batch in server.batches for name in batch.doubled]
    assert len(doubled) == 12
    assert len(good) + len(results) == 412
    assert set(server.paid.values()) == {1}


@pytest.mark.parametrize(
    ("kind", "status", "type_"),
    [("row_error", 500, "api_error"), ("row_rate_limit", 429, "rate_limit_error")],
)
def test_rows_that_go_wrong_are_not_paid(server, gpt, claude, kind, status, type_):
    first, good, bad, second, results = ended(server, gpt, claude, **{kind: 0.2})
    assert [row["custom_id"] for row in bad] == server.batches[0].errored != []
    assert {row["response"]["status_code"] for row in bad} == {status}
    assert first["request_counts"]["failed"] == len(bad) == 200 - len(good)
    wrong = [result for result in results if result.result.type == "errored"]
    assert [result.custom_id for result in wrong] == server.batches[1].errored != []
    assert {result.result.error.error.type for result in wrong} == {type_}
    assert second.request_counts.errored == len(wrong)
    assert server.paid.total() == 400 - len(bad) - len(wrong)


def test_shuffled_rows(server, gpt, claude):
    _, good, bad, _, results = ended(server, gpt, claude, shuffled=1.0, row_error=0.1)
    assert [row["custom_id"] for row in good] != sorted((row["custom_id"] for row in good), key=NAMES.index)
    assert sorted(row["custom_id"] for row in good + bad) == sorted(NAMES)
    names = [result.custom_id for result in results]
    assert sorted(names) == sorted(NAMES)
    assert names != NAMES


def test_rows_of_somebody_else(server, gpt, claude):
    _, good, _, _, results = ended(server, gpt, claude, foreign=1.0)
    assert {row["custom_id"] for row in good} - {*NAMES} == {*server.batches[0].foreign}
    assert {result.custom_id for result in results} - {*NAMES} == {*server.batches[1].foreign}
    assert len(server.batches[0].foreign) == 3
    assert server.paid.total() == 400


def test_an_expired_batch_has_a_part_of_the_results(server, gpt, claude):
    first, good, bad, second, results = ended(server, gpt, claude, batch_expired=1.0)
    assert first["status"] == "expired"
    assert first["expired_at"]
    assert [row["custom_id"] for row in good + bad] == NAMES
    assert {(row["response"], row["error"]["code"]) for row in bad} == {(None, "batch_expired")}
    assert 0 < len(good) < 200
    kinds = [result.result.type for result in results]
    assert (second.request_counts.succeeded, second.request_counts.expired) == (
        kinds.count("succeeded"),
        kinds.count("expired"),
    )
    assert 0 < kinds.count("expired") < 200
    assert server.paid.total() == len(good) + kinds.count("succeeded")


def test_a_batch_that_fails_for_a_reason_that_passes(server, gpt, claude):
    first, good, bad, second, results = ended(server, gpt, claude, batch_failed=1.0)
    assert (first["status"], first["errors"]["data"][0]["code"]) == ("failed", "token_limit_exceeded")
    assert good == bad == []
    assert second.request_counts.errored == 200
    assert {result.result.error.error.type for result in results} == {"overloaded_error"}
    assert not server.paid
    server.faults = Faults()
    again = gpt.batches.create(
        input_file_id=first["input_file_id"], endpoint="/v1/chat/completions", completion_window="24h"
    )
    assert gpt.batches.retrieve(again.id).status == "completed"


def test_a_batch_that_lists_do_not_show_yet(server, gpt, claude):
    server.faults = Faults(hidden=At(1, times=1), hidden_for=2)
    hidden = gpt_batch(gpt, NAMES[:1]).id
    shown = gpt_batch(gpt, NAMES[:1]).id
    seen = [[batch.id for batch in gpt.batches.list()] for _ in range(4)]
    assert seen == [[shown], [shown], [shown, hidden], [shown, hidden]]
    assert gpt.batches.retrieve(hidden).status == "completed"
    server.faults = Faults(hidden=1.0, hidden_for=1)
    other = claude_batch(claude, NAMES[:1]).id
    assert [[batch.id for batch in claude.messages.batches.list()] for _ in range(2)] == [[], [other]]


def test_rows_go_wrong_the_same_way_every_time():
    def lost():
        with Server(faults=Faults(9, row_lost=0.1, row_error=0.1, shuffled=1.0)) as server:
            gpt = gpt_of(server)
            said = said_of(gpt, gpt.batches.retrieve(gpt_batch(gpt, lines(map(row, NAMES))).id))
            return said, server.batches[0].lost, server.batches[0].errored

    assert lost() == lost()
