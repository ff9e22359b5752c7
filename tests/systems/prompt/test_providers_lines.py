"""What of a provider's words is kept and said: no secrets, and lines of results whatever their shape."""

from __future__ import annotations

import json

import pytest
from api_faults import Faults
from api_rules import Failure
from calls import BOTH_PROTOCOLS, EACH_CALL, Called, answered
from carried import OFFLINE, Carried
from hypothesis import given
from hypothesis import strategies as st

from selu.systems.prompt import wire
from selu.systems.prompt.providers import LaterError, Line, RefusedError
from selu.vocabulary import SeluError

pytestmark = pytest.mark.filterwarnings("ignore:The model 'claude:DeprecationWarning")

SECRET = "sk-very-secret-0123456789"


# ---- secrets


@pytest.mark.ci
@BOTH_PROTOCOLS
@EACH_CALL
def test_no_secret_is_in_what_is_said(carried, protocol, call):
    key = {"openai": carried.server.openai_key, "anthropic": carried.server.anthropic_key}[protocol]
    called = Called(carried, protocol, secrets=[SECRET])
    called.submit()
    for status in (401, 402, 404, 405, 413):
        for before in (0, 280, 290, 299):  # where a long message is cut
            text = "x" * before + f" {SECRET} \n {key} \ud800"
            body = {"error": {"message": text, "type": SECRET, "code": SECRET}}
            answered(carried.server, json.dumps(body).encode(), status)
            with pytest.raises((SeluError, RefusedError)) as error:
                called(call)
            message = str(error.value)
            assert "sk-v" not in message
            assert key[:8] not in message
            assert "[key]" in message or before
            assert "\n" not in message
            assert len(message) < 500
            message.encode()
            assert error.value.__suppress_context__


@BOTH_PROTOCOLS
def test_no_secret_is_in_what_is_kept(tmp_path, protocol):
    with Carried(tmp_path) as carried:
        carried.server.answer = lambda prompt: f"{SECRET} it is"
        called = Called(carried, protocol, secrets=[SECRET])
        assert SECRET not in json.dumps(called("ask"))
        called.submit()
        assert wire.read(protocol, called("ask")).text == "[key] it is"
        called("status")
        assert [wire.read(protocol, line.body).text for line in called.results()] == ["[key] it is"] * 3
        failure = Failure(400, SECRET, SECRET, SECRET)
        carried.server.answer = lambda prompt: failure
        called.batches.clear()
        called.submit("selu-aa-2")
        called("status")
        lines = called.results()
        assert [line.body for line in lines] == [None] * 3
        assert SECRET not in repr(lines)


def test_no_secret_is_in_why_a_batch_failed(carried):
    called = Called(carried, "openai", secrets=["token_limit_exceeded"])
    carried.server.faults = Faults(batch_failed=1.0)
    called.submit()
    found = called("status")
    assert found.state == "failed"
    assert found.why.startswith("[key]: The limit of enqueued tokens")


# ---- lines


def results_of(carried, protocol):
    """The files of results that the server keeps."""
    files = getattr(carried.server, protocol).files.values()
    return [file for file in files if file.purpose == "batch_output"]


@BOTH_PROTOCOLS
@pytest.mark.parametrize(
    ("fault", "whys"),
    [
        ("row_error", ("server_error: The server had an error", "api_error: The server had an error")),
        ("batch_expired", ("batch_expired: This request was not computed", "expired")),
    ],
)
def test_why_a_row_has_no_reply(carried, protocol, fault, whys):
    carried.server.faults = Faults(2, **{fault: 1.0})
    called = Called(carried, protocol)
    called.submit(rows=10)
    status = called("status")
    lines = called.results()
    bad = [line.why for line in lines if line.body is None]
    assert len(lines) == 10
    assert bad
    assert all(why.startswith(whys[protocol == "anthropic"]) for why in bad)
    assert status.answered == 10 - len(bad)
    assert status.state == "ended"


@BOTH_PROTOCOLS
@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85"])
def test_a_line_of_results_ends_with_lf_alone(carried, protocol, end):
    carried.server.answer = lambda prompt: f"a{end}b"
    called = Called(carried, protocol)
    called.submit()
    called("status")
    (results,) = results_of(carried, protocol)
    lines = [json.loads(line) for line in results.content.splitlines()]
    results.content = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
    assert [wire.read(protocol, line.body).text for line in called.results()] == [f"a{end}b"] * 3


@BOTH_PROTOCOLS
def test_a_line_that_is_none_is_passed_over_but_not_the_first(carried, protocol):
    carried.server.answer = lambda prompt: "yes"
    called = Called(carried, protocol)
    called.submit()
    called("status")
    (results,) = results_of(carried, protocol)
    first, second, third = results.content.splitlines(keepends=True)
    results.content = first + second[:30] + b"\n\n" + third
    assert [line.id for line in called.results()] == ["selu-aa-1-0", "selu-aa-1-2"]
    results.content = b"<html>\n" + second + third
    with pytest.raises(LaterError):
        called.results()


@pytest.mark.ci
@BOTH_PROTOCOLS
def test_a_line_of_30_mb_is_passed_over(carried, protocol):
    carried.server.answer = lambda prompt: "x" * (30_000_000 if prompt.startswith("Is 1 ") else 5)
    called = Called(carried, protocol)
    called.submit()
    assert called("status").state == "ended"
    assert [line.id for line in called.results()] == ["selu-aa-1-0", "selu-aa-1-2"]


NAMES = ("custom_id", "response", "status_code", "body", "error", "code", "result", "type", "message")
LINES = st.recursive(
    st.none() | st.booleans() | st.sampled_from((200, 500, "succeeded", "errored")) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=1), inner)
    ),
    max_leaves=15,
)


@BOTH_PROTOCOLS
@given(LINES)
def test_a_line_of_another_shape_is_a_value_error(protocol, value):
    try:
        found = OFFLINE[protocol]._parsed(json.dumps(value).encode())
    except ValueError:
        return
    assert isinstance(found, Line)
    assert isinstance(found.why, str)
