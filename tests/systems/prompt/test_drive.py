"""Requests driven through batches and one by one, against the local server."""

from __future__ import annotations

import random

import pytest
from api_faults import AFTER, BATCH, BEFORE, ROW, At, Faults
from api_rules import Failure
from api_server import CLAUDE, GPT
from calls import BATCHES, BOTH_PROTOCOLS, answered
from carried import Carried

from selu.systems.prompt import drive
from selu.systems.prompt.budget import Budget
from selu.systems.prompt.drive import StoppedError
from selu.vocabulary import MachineError, SeluError

ALONE = pytest.mark.parametrize("alone", [False, True])


@BOTH_PROTOCOLS
@ALONE
def test_each_row_is_asked_once(carried, protocol, alone):
    assert carried.drive(protocol, alone) == carried.wanted()
    assert carried.paid(protocol) == [1] * 20
    assert carried.drive(protocol, alone) == carried.wanted()  # again: nothing to do
    assert carried.paid(protocol) == [1] * 20


@BOTH_PROTOCOLS
def test_batches_keep_the_limit_of_bytes(carried, protocol):
    provider = carried.provider(protocol)
    provider.most_bytes = 1000
    carried.drive(protocol, provider=provider)
    assert len(carried.server.batches) > 3
    assert carried.paid(protocol) == [1] * 20


@BOTH_PROTOCOLS
def test_no_more_batches_are_out_than_allowed(carried, protocol):
    carried.server.polls_to_end = 2
    carried.drive(protocol, batch_requests=3, open_batches=2)
    assert len(carried.server.batches) == 7
    assert max(int(message.split()[-3]) for message in carried.messages if message.endswith("batches out")) == 2


def schedule(seed):
    """Faults of every kind, each limited, so that the server is well at last."""
    draw = random.Random(seed)
    kinds = [kind for kind in BEFORE + AFTER + BATCH + ROW if kind not in ("no_credit", "silent")]
    chosen = draw.sample(kinds, draw.randint(1, 7))
    rates = {kind: At(draw.choice([0.05, 0.3, 1.0]), times=draw.randint(1, 4)) for kind in chosen}
    if draw.random() < 0.02:
        rates["silent"] = At(0.3, times=1)
    return Faults(seed, hidden_for=draw.randint(1, 4), **rates)


SEEDS = [*range(8), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1000, 1200))]


@pytest.mark.ci
@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_goes_wrong_each_row_is_answered_and_paid_for_once(tmp_path, seed):
    draw = random.Random(-seed - 1)
    protocol, alone = draw.choice(["openai", "anthropic"]), draw.random() < 0.3
    with Carried(tmp_path) as carried:
        carried.server.faults = schedule(seed)
        carried.server.polls_to_end = draw.randint(0, 2)
        provider = carried.provider(protocol, timeout=2.0 if "silent" in carried.server.faults.rates else 20.0)
        limits = {"attempts": 40, "batch_requests": draw.choice([3, 7, 20])}
        assert carried.drive(protocol, alone, provider=provider, **limits) == carried.wanted()
        paid, happened = carried.paid(protocol), carried.server.faults.happened
        # Replies to single requests and lines of a batch that never came are gone with what they cost.
        unseen = sum(happened[kind] for kind in AFTER) if alone else happened["row_lost"]
        assert sum(paid) - len(paid) <= unseen
        assert min(paid) == 1
        with carried.journal() as journal:
            assert journal.paid_again() == 0
            assert not journal.sendings("announced", "sent")
            kept = {sending.tag for sending in journal.untidy()}
        left = {file.name.removesuffix(".jsonl") for file in carried.server.openai.files.values()}
        assert {tag for tag in left if tag.startswith("selu-")} <= kept


@BOTH_PROTOCOLS
def test_a_batch_accepted_without_an_answer_is_found_and_not_sent_again(carried, protocol):
    carried.server.faults = Faults(lost_reply=At(1, times=1, route=f"POST {BATCHES[protocol]}"), hidden=At(1))
    assert carried.drive(protocol) == carried.wanted()
    assert any(message.endswith("had been accepted") for message in carried.messages)
    assert carried.paid(protocol) == [1] * 20


@BOTH_PROTOCOLS
def test_a_batch_that_was_never_accepted_is_sent_again(carried, protocol):
    carried.server.faults = Faults(server_error=At(1, times=1, route=f"POST {BATCHES[protocol]}"))
    assert carried.drive(protocol) == carried.wanted()
    assert any("was never accepted" in message for message in carried.messages)
    assert carried.paid(protocol) == [1] * 20


@pytest.mark.ci
@BOTH_PROTOCOLS
def test_a_batch_that_turns_up_late_is_cancelled_and_its_replies_kept_apart(carried, protocol):
    carried.server.polls_to_end = 3
    carried.server.faults = Faults(
        lost_reply=At(1, times=1, route=f"POST {BATCHES[protocol]}"), hidden=At(1, times=1), hidden_for=5
    )
    assert carried.drive(protocol, settle_seconds=20.0) == carried.wanted()
    assert any("turned up late" in message for message in carried.messages)
    if protocol == "openai":  # Anthropic's shows whose it is only when it has ended
        assert carried.server.asked(f"POST {BATCHES[protocol]}/{{id}}/cancel")
    assert max(carried.paid(protocol)) <= 2
    with carried.journal() as journal:
        assert not journal.sendings("announced", "sent", "lost")


@BOTH_PROTOCOLS
def test_a_wait_that_the_provider_asks_for_is_kept(carried, protocol):
    carried.server.faults = Faults(rate_limit=At(1, times=2))
    carried.drive(protocol, poll_seconds=50.0)
    assert min(carried.clock.slept) < 1.5  # what the header says, not our own pause


@pytest.mark.ci
@BOTH_PROTOCOLS
@ALONE
def test_a_provider_out_of_reach_is_said_and_nothing_is_lost(carried, protocol, alone, monkeypatch):
    monkeypatch.setattr(drive, "_BATCH_PATIENCE", 7200.0)
    carried.server.faults = Faults(server_error=At(1, skip=6))
    with pytest.raises(MachineError, match="can't be used for now"):
        carried.drive(protocol, alone, batch_requests=3, attempts=1000)
    carried.server.faults = Faults()
    assert carried.drive(protocol, alone, attempts=1000) == carried.wanted()


@pytest.mark.ci
@BOTH_PROTOCOLS
@ALONE
def test_rows_that_fail_for_good_are_left_without_a_reply(carried, protocol, alone):
    rule = carried.server.answer
    failure = Failure(400, "invalid_request_error", "too long", "context_length_exceeded")
    carried.server.answer = lambda prompt: failure if prompt.startswith("Is 5 ") else rule(prompt)
    found = carried.drive(protocol, alone)
    assert sorted(found) == [row for row in range(20) if row != 5]
    with carried.journal() as journal:
        assert list(journal.failures()) == [5]
    assert len([message for message in carried.messages if "failed" in message]) == 0


@pytest.mark.ci
@BOTH_PROTOCOLS
@ALONE
def test_the_budget_stops_before_it_is_spent(carried, protocol, alone):
    with pytest.raises(StoppedError, match="0 of 20 rows"):
        carried.drive(protocol, alone, Budget(0.0001))
    assert sum(carried.paid(protocol)) == 0
    budget = Budget(0.3 if alone else 0.4)
    with pytest.raises(StoppedError, match="--max-cost is reached"):
        carried.drive(protocol, alone, budget, batch_requests=3)
    with carried.journal() as journal:
        answered = journal.answered()
    assert 0 < answered < 20
    assert carried.drive(protocol, alone) == carried.wanted()
    assert carried.paid(protocol) == [1] * 20


@pytest.mark.ci
@BOTH_PROTOCOLS
@ALONE
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda c, p: c.provider(p, key="sk-wrong-key-12345"), "refuses the key"),
        (lambda c, p: c.server.openai_models.clear() or c.server.anthropic_models.clear(), "does not|refuses"),
        (lambda c, p: setattr(c.server, "faults", Faults(no_credit=At(1))), "no credit left"),
    ],
    ids=["wrong key", "unknown model", "no credit"],
)
def test_what_no_waiting_mends_is_said_at_once(carried, protocol, alone, make, words):
    provider = make(carried, protocol)
    with pytest.raises(SeluError, match=words) as error:
        carried.drive(protocol, alone, provider=provider)
    assert "sk-wrong-key-12345" not in str(error.value)
    assert "\n" not in str(error.value)
    carried.server.faults = Faults()
    carried.server.openai_models |= {GPT: GPT}
    carried.server.anthropic_models |= {CLAUDE: CLAUDE}
    assert carried.drive(protocol, alone) == carried.wanted()
    assert carried.paid(protocol) == [1] * 20


def test_a_batch_of_too_many_tokens_is_halved(carried):
    carried.server.openai.queue = 3
    assert carried.drive("openai", batch_requests=20) == carried.wanted()
    sizes = [len(batch.requests) for batch in carried.server.batches]
    assert list(dict.fromkeys(sizes)) == [20, 10, 5, 2]
    assert carried.paid("openai") == [1] * 20


@pytest.mark.ci
def test_a_request_that_alone_has_too_many_tokens_is_given_up(carried):
    carried.server.openai.queue = 0
    assert carried.drive("openai", attempts=2) == {}
    with carried.journal() as journal:
        assert all(why.startswith("token_limit_exceeded") for why in journal.failures().values())
        assert len(journal.failures()) == 20


@ALONE
def test_a_wait_is_no_longer_than_what_is_left_of_patience(carried, alone):
    answered(carried.server, b"{}", 429, **{"Retry-After": "99999999"})
    with pytest.raises(MachineError, match="too many requests"):
        carried.drive("openai", alone, patience_seconds=50.0, attempts=1000)
    assert 40 < sum(carried.clock.slept) < 60
