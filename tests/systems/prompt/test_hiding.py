from __future__ import annotations

import io
import json
import logging
import sys

import pytest
from api_rules import Answer
from hypothesis import given
from hypothesis import strategies as st

from selu.systems.prompt import hiding
from selu.systems.prompt.hiding import Hidden

pytestmark = pytest.mark.filterwarnings("ignore:The model 'claude:DeprecationWarning")

KEY, OTHER = "sk-abcdefgh", "sk-abcdefgh-and-more"
TEXTS = st.text() | st.sampled_from([KEY, f"a{KEY}b"])
RECORDS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.just(KEY), inner, max_size=3),
    max_leaves=10,
)


def test_a_key_within_another_leaves_no_rest():
    assert Hidden([KEY]).record({KEY: [f"x{KEY}", 1]}) == {"[key]": ["x[key]", 1]}
    for secrets in ([KEY, OTHER], [OTHER, KEY]):
        assert Hidden(secrets).text(f"{OTHER} {KEY}") == "[key] [key]"


def test_what_is_no_key():
    hidden = Hidden([None, "", "none", "12345"])
    assert hidden.text("none of 12345") == "none of 12345"
    assert Hidden(["123456"]).text("123456") == "[key]"


@given(RECORDS)
def test_no_key_is_left_and_nothing_else_is_changed(record):
    found = Hidden([KEY]).record(record)
    assert KEY not in json.dumps(found, ensure_ascii=False)
    if KEY not in json.dumps(record, ensure_ascii=False):
        assert found == record
    assert Hidden([]).record(record) == record


# ---- logs


@pytest.fixture
def logged(monkeypatch):
    """What a user's own handler writes at the lowest level, from any logger; nothing is hidden yet."""
    stream = io.StringIO()
    handler, root, make = logging.StreamHandler(stream), logging.getLogger(), logging.getLogRecordFactory()
    level = root.level
    monkeypatch.setattr(hiding, "_logged", set())
    logging.setLogRecordFactory(logging.LogRecord)
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)
    logging.setLogRecordFactory(make)


def test_no_log_shows_a_key(logged):
    Hidden([KEY, "12345"]).in_logs()
    Hidden([OTHER]).in_logs()
    logger = logging.getLogger("any.library")
    logger.debug("asked with %s and %r, %d", KEY, {"headers": [KEY, OTHER]}, 5)
    logger.info(f"100 % of {OTHER}")
    try:
        raise ValueError(f"no {KEY}")
    except ValueError:
        logger.exception("it went wrong")
    logger.debug("a number: %d, a key of 5 letters: %s", 7, "12345")
    text = logged.getvalue()
    assert KEY not in text
    assert "asked with [key] and {'headers': ['[key]', '[key]']}, 5" in text
    assert "100 % of [key]" in text
    assert "ValueError: no [key]" in text
    assert "a number: 7, a key of 5 letters: 12345" in text


def test_logs_without_a_key_are_as_they_were(logged):
    make = logging.getLogRecordFactory()
    Hidden([None, ""]).in_logs()
    assert logging.getLogRecordFactory() is make  # nothing to hide
    Hidden([KEY]).in_logs()
    Hidden([KEY]).in_logs()
    record = logging.getLogRecordFactory()("a", logging.INFO, "f", 1, "of %s", (5,), None)
    assert (record.msg, record.args) == ("of %s", (5,))
    try:
        raise ValueError("no number")
    except ValueError:
        info = sys.exc_info()
    record = logging.getLogRecordFactory()("a", logging.INFO, "f", 1, "it failed", (), info)
    assert record.exc_info is info
    odd = logging.getLogRecordFactory()("a", logging.INFO, "f", 1, "%d", ("no number",), None)
    assert odd.msg == "%d"  # what the handler complains of


@pytest.mark.ci
@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_an_sdk_that_logs_all_it_can_shows_no_key(carried, protocol, logged):
    """Keys in prompts, in replies, in headers, and in the words of refusals, as a server may repeat them."""
    server = carried.server
    keys = f"{server.openai_key} {server.anthropic_key}"
    server.answer, call, asked = (lambda _: f"your keys: {keys}"), server.call, carried.prompt
    carried.prompt = lambda row: f"{asked(row)} {keys}"
    left = [Answer(json.dumps({"error": {"message": keys}}).encode(), 500), Answer(f"<html>{keys}".encode())]

    def repeating(*request):
        answer = call(*request)
        answer = left.pop() if left else answer
        answer.headers = {**answer.headers, "x-key": keys, "x-request-id": keys, "request-id": keys}
        return answer

    server.call = repeating
    for alone in (True, False):
        with carried.journal(f"alone {alone}") as journal:
            provider = carried.provider(protocol, secrets=[server.openai_key, server.anthropic_key])
            found = carried.drive(protocol, alone, journal=journal, provider=provider, attempts=20)
        assert set(found.values()) == {"your keys: [key] [key]"}
    text = logged.getvalue()
    assert "HTTP Response: " in text
    assert "[key]" in text  # there was something to hide
    assert not [line for line in text.splitlines() if server.openai_key in line or server.anthropic_key in line]
