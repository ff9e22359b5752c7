from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selu.systems.prompt.budget import Budget, Prices, prices, tokens
from selu.systems.prompt.settings import ModelSettings
from selu.systems.prompt.wire import Reply

AMOUNTS = st.integers(0, 2**20).map(lambda n: n / 1024)  # sums of them are exact


def test_what_a_reply_costs():
    price = Prices(2e-6, 1e-5)
    assert price.cost(Reply("yes", False, False, 1000, 10, None)) == pytest.approx(0.0021)
    assert price.bound(1000, 10) == pytest.approx(0.0021)
    assert price.cost(Reply(None, False, False, 0, 0, None)) == 0


@pytest.mark.parametrize(("batches", "share"), [(True, 0.5), (False, 1.0)])
def test_batches_have_a_price_of_their_own(batches, share):
    model = ModelSettings("openai", "m", 100, usd_in=2.5, usd_out=10.0, batches=batches)
    assert prices(model) == Prices(share * 2.5e-6, share * 1e-5)


@given(st.floats(0, 1000), st.lists(st.tuples(AMOUNTS, st.floats(0, 1)), max_size=30))
def test_no_more_is_out_than_the_limit(limit, wanted):
    limit = round(limit * 1024) / 1024
    budget, out = Budget(limit), 0.0
    assert Budget().take(1e300)  # there may be no limit
    for bound, given_back in wanted:
        fits = out + bound <= limit
        assert budget.take(bound) is fits
        if fits:
            rest = round(bound * given_back * 1024) / 1024
            budget.give(rest)
            out += bound - rest


def test_the_limit_holds_for_threads_together():
    budget = Budget(1000.0)
    with ThreadPoolExecutor(8) as pool:
        taken = sum(pool.map(lambda _: budget.take(1.0), range(3000)))
    assert taken == 1000
    assert not budget.take(0.5)
    budget.give(0.5)
    assert budget.take(0.5)


@pytest.mark.parametrize(
    ("text", "count"), [("", 8), ("abc", 9), ("abcd", 10), ("é", 9), ("\N{PILE OF POO}", 10), ("\ud800", 9)]
)
def test_tokens_are_of_bytes(text, count):
    assert tokens(text, 3.0) == count
