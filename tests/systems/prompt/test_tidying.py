"""Files that batches leave at the provider are removed once their replies are kept, and never before."""

from __future__ import annotations

import os
import signal

import pytest
from api_faults import At, Faults
from api_rules import Problem
from carried import killed

from selu.systems.prompt import drive
from selu.systems.prompt.tidying import Tidy
from selu.vocabulary import MachineError


def files(carried):
    return sorted(file.purpose for file in carried.server.openai.files.values())


def deleted(carried):
    return len(carried.server.asked("DELETE /v1/files/{id}"))


def test_files_are_removed_once_the_replies_are_kept(carried):
    carried.server.polls_to_end = 2
    carried.drive("openai", batch_requests=7)
    assert len(carried.server.batches) == 3
    assert files(carried) == []
    assert deleted(carried) == 6  # what was sent and what came back
    with carried.journal() as journal:
        assert not journal.untidy()
    assert carried.drive("openai") == carried.wanted()
    assert deleted(carried) == 6  # nothing is removed twice


def test_no_file_is_removed_before_its_replies_are_on_the_disk(carried, monkeypatch):
    monkeypatch.setattr(drive.Drive, "_take", lambda *_: None)  # as one that is read in vain
    monkeypatch.setattr(drive, "_TORN", 3)
    with pytest.raises(MachineError, match="can't be read"):
        carried.drive("openai", batch_requests=7)
    assert deleted(carried) == 0
    assert files(carried).count("batch") == 3
    monkeypatch.undo()
    assert carried.drive("openai") == carried.wanted()
    assert carried.paid("openai") == [1] * 20
    assert files(carried) == []


@pytest.mark.parametrize("fault", ["server_error", "lost_reply", "html_ok", "rate_limit", "bad_json"])
def test_a_file_that_cant_be_removed_fails_nothing_and_goes_the_next_time(carried, fault):
    carried.server.faults = Faults(**{fault: At(1, route="DELETE /v1/files/{id}")})
    assert carried.drive("openai", batch_requests=20) == carried.wanted()
    with carried.journal() as journal:
        assert len(journal.untidy()) == 1
    carried.server.faults = Faults()
    assert carried.drive("openai") == carried.wanted()
    assert files(carried) == []


def test_a_key_that_may_not_remove_files_is_no_failure(carried):
    def forbidden(_):
        raise Problem(403, "invalid_request_error", "You have insufficient permissions for this operation.")

    carried.server.instead["DELETE /v1/files/{id}"] = forbidden
    carried.drive("openai", batch_requests=20)
    assert files(carried) == ["batch", "batch_output"]


def test_a_file_that_somebody_else_removed_is_no_failure(carried):
    def without_its_file(create):
        answer = create()
        carried.server.openai.files.clear()
        return answer

    carried.server.instead["POST /v1/batches"] = without_its_file
    assert carried.drive("openai", batch_requests=20) == carried.wanted()
    assert 404 in {asked.status for asked in carried.server.asked("DELETE /v1/files/{id}")}
    with carried.journal() as journal:
        assert not journal.untidy()


def test_the_file_of_a_batch_that_is_not_taken_is_removed(carried):
    """Surely refused, and never confirmed, of which its name alone tells; files of others stay."""
    carried.server.openai.keep(b"{}", "selu-other-1.jsonl", "batch")
    for fault in ("rate_limit", "server_error"):
        carried.server.faults = Faults(**{fault: At(1, times=1, route="POST /v1/batches")})
        with carried.journal(fault) as journal:
            assert carried.drive("openai", journal=journal, batch_requests=20) == carried.wanted()
            assert not journal.untidy()
        assert [file.name for file in carried.server.openai.files.values()] == ["selu-other-1.jsonl"]


def test_a_kill_between_replies_and_removal_is_made_up_for(carried):
    def work():
        provider = carried.provider("openai")
        provider.tidy = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        carried.drive("openai", provider=provider, batch_requests=20)

    assert killed(work)
    assert files(carried) == ["batch", "batch_output"]
    assert carried.drive("openai") == carried.wanted()
    assert files(carried) == []


def test_what_was_left_is_removed_without_sending_anything(carried):
    provider = carried.provider("openai")
    provider.keeps_files = False  # so that it removes nothing
    carried.drive("openai", batch_requests=20, provider=provider)
    before = len(carried.server.asked("POST /v1/batches"))
    with carried.journal() as journal:
        Tidy(journal, carried.provider("openai")).all()
        assert not journal.untidy()
    assert files(carried) == []
    assert len(carried.server.asked("POST /v1/batches")) == before
