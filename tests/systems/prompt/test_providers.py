"""Each call of both providers under each fault, and what it says: later, unconfirmed, refused, or fix this."""

from __future__ import annotations

import pytest
from api_faults import At, Faults
from api_server import Server
from calls import BOTH_PROTOCOLS, CREATING, EACH_CALL, Called, answered, first_kind, kind_of, route
from carried import MODELS, PARAMS, provider_of
from hypothesis import given
from hypothesis import strategies as st

from selu.systems.prompt import wire
from selu.systems.prompt.providers import LaterError, RefusedError, Status, UnconfirmedError, _after
from selu.vocabulary import MachineError

pytestmark = pytest.mark.filterwarnings("ignore:The model 'claude:DeprecationWarning")


@pytest.fixture
def called(carried, protocol, call):
    """Ready for a call: there is a batch, ended where results are wanted."""
    found = Called(carried, protocol)
    if call not in CREATING:
        found.submit()
    if call in ("results", "find"):
        assert found("status").state == "ended"
    return found


# ---- what is well


@BOTH_PROTOCOLS
@EACH_CALL
def test_each_call_of_a_provider_that_is_well(called, protocol, call):
    found = called(call)
    if call == "ask":
        assert wire.read(protocol, found).text in ("yes", "no")
    elif call in ("submit", "find"):
        assert found == called.server.batches[0].id
    elif call == "status":
        assert found == Status("ended", "completed" if protocol == "openai" else "", 3)
    elif call == "results":
        assert [line.id for line in found] == [f"selu-aa-1-{row}" for row in range(3)]
        assert {wire.read(protocol, line.body).text for line in found} <= {"yes", "no"}
        assert {line.why for line in found} == {""}
    else:
        assert found is None
        assert called.server.batches[0].cancelled


@BOTH_PROTOCOLS
def test_a_batch_that_is_on_its_way_is_running(carried, protocol):
    carried.server.polls_to_end = 5
    called = Called(carried, protocol)
    called.submit()
    assert [called("status").state for _ in range(6)] == ["running"] * 5 + ["ended"]


# ---- what is not


FATES = ("server_error", "html_ok", "reset", "lost_reply", "silent", "truncated", "bad_json")


@pytest.mark.ci
@BOTH_PROTOCOLS
@EACH_CALL
def test_what_nobody_knows_the_fate_of(called, protocol, call):
    patient, hasty = called.provider, called.carried.provider(protocol, timeout=0.3)
    for fault in FATES:
        called.server.faults = Faults(**{fault: At(1, route=route(protocol, call))})
        called.provider = hasty if fault == "silent" else patient
        with pytest.raises(kind_of(call)) as error:
            called(call)
        assert "\n" not in str(error.value)
        assert called.server.faults.happened[fault] == 1  # the SDK asked once
        called.server.faults, called.provider = Faults(), patient
        if call != "cancel":
            called(call)


@BOTH_PROTOCOLS
@EACH_CALL
def test_no_credit_and_a_wrong_key_are_said(called, protocol, call):
    called.server.faults = Faults(no_credit=At(1, route=route(protocol, call)))
    if (protocol, call) != ("anthropic", "cancel"):  # where it is as a batch that has ended
        with pytest.raises(MachineError, match=r"account has no credit left .*: fill it up"):
            called(call)
    called.server.openai_key = called.server.anthropic_key = "another"
    with pytest.raises(MachineError, match="refuses the key"):
        called(call)


NO_WAITING = (401, 402, 403, 404, 405, 415)
REFUSED = (400, 409, 413, 422)
UNKNOWN = (408, 500, 501, 599)


@pytest.mark.ci
@BOTH_PROTOCOLS
@EACH_CALL
@pytest.mark.parametrize("html", [False, True])
def test_each_status(called, protocol, call, html):
    first = first_kind(protocol, call)
    kinds = {429: LaterError} | dict.fromkeys(NO_WAITING, MachineError) | dict.fromkeys(UNKNOWN, first)
    # What creates nothing is none of the requests that a provider may refuse.
    kinds |= dict.fromkeys(REFUSED, RefusedError if first is UnconfirmedError else MachineError)
    if call == "cancel":  # a batch that has ended needs none
        for status in (400, 409):
            del kinds[status]
            answered(called.server, b'{"error": {"message": "It has ended."}}', status)
            called(call)
    for status, kind in kinds.items():
        answered(called.server, b"<html>No.</html>" if html else b'{"error": {"message": "No."}}', status)
        with pytest.raises(kind) as error:
            called(call)
        assert type(error.value) is kind
        assert "\n" not in str(error.value)


SHAPES = [
    *(b"", b"\xff\xfe", b"{}", b"[]", b"null", b"5", b'"x"', b'{"id": "x"}', b'{"id": 5}', b'{"id": ""}'),
    *(b'{"data": null}', b'{"data": [null]}', b'{"data": {"id": "x"}}', b'{"data": [5]}', b'{"error": null}'),
    b'{"data": [{"id": "x"}], "has_more": false}',
    b'{"data": [{"id": "x", "created_at": "soon", "request_counts": null}]}',
    b'{"id": "x", "status": 5, "processing_status": 5}',
    b'{"id": "x", "status": "failed", "errors": 5}',
    b'{"id": "x", "status": "completed", "processing_status": "ended", "request_counts": 5}',
    b'{"id": "x", "status": "completed", "output_file_id": 5}',
    *(b'{"a": ' * 100_000, b"[" * 100_000 + b"]" * 100_000, b'{"a": ' * 100_000 + b"1" + b"}" * 100_000),
]


@pytest.mark.ci
@BOTH_PROTOCOLS
@EACH_CALL
def test_json_of_another_shape_breaks_nothing(called, protocol, call):
    for body in SHAPES:
        answered(called.server, body)
        try:
            found = called(call)
        except (LaterError, kind_of(call)):
            continue
        if call == "ask":
            with pytest.raises(ValueError, match="no reply"):
                wire.read(protocol, found)
        elif call == "submit":
            assert found == "x"
        elif call == "find":
            assert found is None
        elif call == "status":
            assert found.state in ("running", "ended", "failed")
        else:
            assert call == "cancel" or protocol == "openai"  # where no file of results is named


# ---- how long to wait


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "5"}, 5),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "1e9"}, 3600),
        ({"retry-after": "inf"}, 3600),
        ({"retry-after": "nan"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry-after": "Wed, 21 Oct 2215 07:28:00 GMT"}, 3600),
        ({"retry-after": "Wed, 21 Oct 99999 07:28:00 GMT"}, None),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9),
        ({"retry-after-ms": "nan", "retry-after": "9"}, 9),
    ],
)
def test_forms_of_a_wait(headers, seconds):
    assert _after(headers) == seconds


@given(st.text() | st.dates().map("{:%a, %d %b %Y} 00:00:00 -0000".format))
def test_any_other_wait_breaks_nothing(value):
    after = _after({"retry-after": value})
    assert after is None or 0 <= after <= 3600


@BOTH_PROTOCOLS
def test_a_server_that_is_not_there(protocol):
    with Server() as server:
        found = provider_of(server, protocol)
    with pytest.raises(LaterError, match="no connection"):  # so that it surely went nowhere
        found.ask(wire.body(protocol, MODELS[protocol], "?", PARAMS))
    with pytest.raises(LaterError):
        found.status("batch_1")
