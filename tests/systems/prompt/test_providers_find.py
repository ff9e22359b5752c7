"""A batch of which nobody knows whether it was accepted is looked for among all."""

from __future__ import annotations

import json
import time

import pytest
from calls import BOTH_PROTOCOLS, Called, route

from selu.systems.prompt import providers
from selu.systems.prompt.providers import LaterError, UndecidedError

pytestmark = pytest.mark.filterwarnings("ignore:The model 'claude:DeprecationWarning")


def paged(server, size):
    """Have lists come in pages of this size."""
    call = server.call

    def small(route, ids, query, body):
        return call(route, ids, {**query, "limit": str(size)} if "limit" in query else query, body)

    server.call = small


@pytest.mark.ci
@BOTH_PROTOCOLS
def test_a_batch_is_found_across_pages(carried, protocol):
    called = Called(carried, protocol)
    names = {f"selu-aa-{number}": called.submit(f"selu-aa-{number}") for number in range(7)}
    for batch in called.batches:
        called.provider.status(batch)
    paged(carried.server, 2)
    before = len(carried.server.asked(route(protocol, "find")))
    for tag, batch in names.items():
        assert called.find(tag) == batch
    assert called.find("selu-aa-77") is None
    assert called.find("selu-aa") is None
    assert called.find("selu-aa-0", since=100_000) is None  # all are older
    # newest first, two a page; the last but one goes through all, the last looks at the first page only
    asked = len(carried.server.asked(route(protocol, "find"))) - before
    assert asked == 4 + 3 + 3 + 2 + 2 + 1 + 1 + 4 + 4 + 1


def test_anthropics_batches_from_before_are_not_looked_at(carried):
    called = Called(carried, "anthropic")
    carried.server.now = lambda: time.time() - 7200
    old = called.submit()
    called("status")
    assert called.find() is None
    assert called.find(since=-7200) == old


def test_anthropics_batches_are_told_by_size_and_tag(carried):
    called = Called(carried, "anthropic")
    own = called.submit("selu-aa-1", rows=3)
    called.submit("selu-aa-11", rows=3)  # a tag that begins alike
    called.submit("selu-bb-1", rows=3)
    called.submit("selu-aa-2", rows=4)
    for batch in called.batches:
        called.provider.status(batch)
    assert called.find("selu-aa-1", rows=3) == own
    assert called.find("selu-aa-1", rows=4) is None
    assert called.find("selu-aa-1", rows=3, known=[own]) is None


def test_anthropics_batch_is_undecided_while_one_of_its_size_runs(carried):
    carried.server.polls_to_end = 2
    called = Called(carried, "anthropic")
    own = called.submit("selu-aa-1", rows=3)
    assert called.find("selu-aa-1", rows=4) is None  # another size: it can't be it
    assert called.find("selu-aa-1", rows=3, known=[own]) is None
    for _ in range(2):
        with pytest.raises(UndecidedError):
            called.find("selu-aa-1", rows=3)
    assert called.find("selu-aa-1", rows=3) == own


def test_a_batch_that_was_cancelled_is_found(carried):
    carried.server.polls_to_end = 5
    for protocol in ("openai", "anthropic"):
        called = Called(carried, protocol)
        own = called.submit()
        called("cancel")
        called("status")
        assert called.find() == own


@BOTH_PROTOCOLS
def test_a_list_without_an_end_is_given_up(carried, protocol, monkeypatch):
    monkeypatch.setattr(providers, "_LISTS", 0.3)
    called = Called(carried, protocol)
    called.provider.status(called.submit())
    call = carried.server.call

    def endless(route, ids, query, body):
        found = call(route, ids, {}, body)
        found.body = json.dumps({**json.loads(found.body), "has_more": True}).encode()
        return found

    carried.server.call = endless
    with pytest.raises(LaterError):
        called.find("selu-aa-77", rows=4)
