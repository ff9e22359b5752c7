"""The server that all is tested against counts what users would pay; what it sends has the SDKs' own shapes."""

from __future__ import annotations

import pytest
from api_faults import At, Faults
from calls import BOTH, Called
from carried import MODELS, PARAMS

from selu.systems.prompt import wire

pytestmark = pytest.mark.filterwarnings("ignore:The model 'claude:DeprecationWarning")


@BOTH
def test_a_structured_answer(carried, protocol):
    carried.server.answer = lambda prompt: "bug"
    params = {**PARAMS, "schema": wire.schema("multi_class", ["bug", "question"])}
    found = carried.provider(protocol).ask(wire.body(protocol, MODELS[protocol], "is it?", params))
    assert wire.read(protocol, found).text == '{"answer": "bug"}'


@BOTH
@pytest.mark.parametrize(
    ("faults", "cancel", "counts"),  # of rows: paid, in the results, answered there
    [
        ({}, False, (40, 40, 40)),
        ({"shuffled": 1.0, "foreign": 1.0}, False, (40, 43, 43)),
        ({"row_lost": At(1, times=5)}, False, (40, 35, 35)),
        ({"row_doubled": At(1, times=5)}, False, (40, 45, 45)),
        ({"row_error": At(0.5, times=5)}, False, (35, 40, 35)),
        ({"batch_expired": 1.0}, False, None),
        ({}, True, (20, 40, 20)),
    ],
    ids=str,
)
def test_a_batch_is_billed_for_what_was_computed_whoever_asks_for_it(carried, protocol, faults, cancel, counts):
    server, called = carried.server, Called(carried, protocol)
    server.polls_to_end, server.faults = 1, Faults(5, **faults)
    called.submit(rows=40)
    called("status")
    if cancel:
        called("cancel")
    paid = server.paid  # before it is asked for again
    assert set(paid.values()) == {1}
    assert called("status").state == "ended"
    lines = called.results()
    answered = sum(line.body is not None for line in lines)
    assert server.paid == paid
    assert (len(paid), len(lines), answered) == (counts or (answered, 40, answered))
    assert answered > 0
    names = [line.id for line in lines if line.body and "else" not in line.id]
    assert (names == sorted(names, key=lambda name: int(name.split("-")[-1]))) == ("shuffled" not in faults)
