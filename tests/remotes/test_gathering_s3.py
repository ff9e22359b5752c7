from __future__ import annotations

import pytest
from bucket import CLOSED
from s3fs import S3FileSystem

from selu.runs import record
from selu.sweep import gathering
from selu.vocabulary import MachineError

URL = f"s3://{CLOSED}/sweep"
FIELDS = {"task": "sentiment", "system": "minilm-l6", "run": "paper-s42"}
IDENTITY = "a" * 64
ADVICE = "check the address and your rights."
LATER = "run it again once the network is back; what is there already is not copied twice."


@pytest.fixture(autouse=True)
def fresh(server, monkeypatch):
    """A file system of its own for each test: fsspec keeps them, with the keys they were made with."""
    S3FileSystem.clear_instance_cache()
    monkeypatch.setattr(S3FileSystem, "retries", 2)
    yield
    S3FileSystem.clear_instance_cache()


@pytest.fixture
def carried(tmp_path) -> dict[str, bytes]:
    """A run's files, of a megabyte."""
    folder = tmp_path.joinpath("theirs", "selu", *FIELDS.values())
    content = {"state": "present", "identity": IDENTITY, "fields": FIELDS}
    record.write_run(folder, {record.PREDICTIONS: bytes(range(256)) * 4000}, content)
    return gathering.read_files(folder, IDENTITY)


def refusal(call, *arguments) -> str:
    with pytest.raises(MachineError) as caught:
        call(*arguments)
    return str(caught.value)


@pytest.mark.ci
def test_who_may_only_read_gets_runs_and_brings_none(server, sign, carried):
    sign("writer")
    gathering.Store(URL).put(IDENTITY, carried)
    before = server.objects(CLOSED)
    S3FileSystem.clear_instance_cache()
    sign("reader")
    store = gathering.Store(URL)
    assert store.get(IDENTITY) == carried
    refused = f"--gather {URL} can't be written to (no rights): {ADVICE}"
    assert [refusal(store.check), refusal(store.put, IDENTITY, carried)] == [refused, refused]
    assert server.objects(CLOSED) == before


@pytest.mark.ci
@pytest.mark.parametrize(
    ("who", "why"), [("wrong", "no rights"), ("nobody", "no rights"), (None, "no key in the environment")]
)
def test_a_key_that_opens_nothing_is_one_sentence(server, sign, carried, who, why):
    sign(who)
    store = gathering.Store(URL)
    assert refusal(store.check) == refusal(store.put, IDENTITY, carried)
    assert refusal(store.check) == f"--gather {URL} can't be written to ({why}): {ADVICE}"
    assert (
        refusal(store.held) == refusal(store.get, IDENTITY) == f"--gather {URL} can't be read ({why}): {ADVICE}"
    )
    assert server.objects(CLOSED) == {}


@pytest.mark.ci
def test_a_bucket_of_a_misspelt_name_is_not_made(server, sign):
    sign("writer")
    assert refusal(gathering.Store("s3://privat/sweep").check) == (
        f"--gather s3://privat/sweep can't be written to (no such place): {ADVICE}"
    )
    assert len(server.client("s3").list_buckets()["Buckets"]) == 2


@pytest.mark.slow
def test_a_line_that_stays_broken_leaves_no_run_and_the_next_call_takes_up(
    server, line, sign, carried, monkeypatch
):
    monkeypatch.setattr(gathering, "_ATTEMPTS", 1)
    sign("writer")
    store = gathering.Store(URL)
    line.cut(300_000)
    assert refusal(store.put, IDENTITY, carried) == (
        f"--gather {URL} can't be written to (no connection): {LATER}"
    )
    assert not any(key.endswith(record.RUN) for key in server.objects(CLOSED))
    line.mend()
    assert store.get(IDENTITY) is None
    store.put(IDENTITY, carried)
    line.cut(300_000)
    assert refusal(store.get, IDENTITY) == f"--gather {URL} can't be read (no connection): {LATER}"
    line.mend()
    assert store.get(IDENTITY) == carried
