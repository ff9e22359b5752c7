"""SIGKILL at every step of the journal: each row is answered once, none is paid for twice but in one window."""

from __future__ import annotations

import contextlib
import os
import signal

import pytest
from api_faults import At, Faults
from carried import killed

from selu.systems.prompt import journal


def kill_at(step, before):
    """Have this process killed before or after its ``step``-th transaction is on the disk."""
    left, written = [step], journal.Journal._written

    @contextlib.contextmanager
    def last(self):
        left[0] -= 1
        with written(self):
            yield
            if before and not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    journal.Journal._written = last


def at_every_step(carried, protocol, alone, before, **settings):
    """Begin again for every step and be killed there; then the rest is done."""
    step = 0
    while True:
        step += 1
        name = f"{step}"

        def work(name=name, step=step):
            kill_at(step, before)
            with carried.journal(name) as opened:
                carried.drive(protocol, alone, journal=opened, **settings)

        was = carried.paid(protocol)
        ended = not killed(work)
        with carried.journal(name) as opened:
            assert carried.drive(protocol, alone, journal=opened, attempts=20, **settings) == carried.wanted()
            yield [now - then for now, then in zip(carried.paid(protocol), was, strict=True)], opened
        if ended:
            assert step > 6
            return


@pytest.mark.ci
@pytest.mark.parametrize(
    ("protocol", "before", "batch"),
    [
        ("openai", True, 12),
        ("anthropic", False, 12),
        pytest.param("openai", False, 7, marks=pytest.mark.slow),
        pytest.param("anthropic", True, 7, marks=pytest.mark.slow),
    ],
)
def test_batches_are_paid_for_once(carried, protocol, before, batch):
    for paid, opened in at_every_step(carried, protocol, False, before, batch_requests=batch):
        assert paid == [1] * carried.rows
        assert opened.paid_again() == 0
        assert not carried.server.openai.files  # what was sent and what came back is removed, whoever did it


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_batches_that_lists_show_late_are_paid_for_once(carried, protocol):
    carried.server.faults = Faults(hidden=At(0.5), hidden_for=3)
    for paid, _ in at_every_step(carried, protocol, False, False):
        assert paid == [1] * carried.rows


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "before"), [("openai", True), ("anthropic", False)])
def test_single_requests_are_paid_twice_only_where_they_were_in_flight(carried, protocol, before):
    carried.rows = 8  # each is a sending of its own, so that these are steps enough
    for paid, opened in at_every_step(carried, protocol, True, before, at_once=2):
        assert min(paid) == 1
        assert sum(paid) - carried.rows <= 2
        assert opened.paid_again() == 0
