from __future__ import annotations

import errno
import sys
from pathlib import Path

import fsspec
import pytest

from selu.names import shown
from selu.runs import record
from selu.sweep import gathering
from selu.vocabulary import MachineError, SeluError

CELL = ("sentiment", "minilm-l6", "paper-s42")
FIELDS = dict(zip(("task", "system", "run"), CELL, strict=True))
IDENTITY = "a" * 64


def folder(root: Path) -> Path:
    return root.joinpath("results", "selu", *CELL)


def made(root: Path, identity: str = IDENTITY, predictions: bytes = b"answers") -> Path:
    """A run with its scores."""
    place = folder(root)
    content = {"state": "present", "identity": identity, "fields": FIELDS}
    record.write_run(place, {record.PREDICTIONS: predictions}, content)
    sha = record.read_run(place)["files"][record.PREDICTIONS]
    record.write_scores(place, {"identity": identity, "predictions": sha, "value": 0.5})
    return place


def files(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in place.iterdir()}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return made(tmp_path / "theirs")


def test_a_run_comes_home_byte_for_byte(tmp_path, run):
    carried = gathering.read_files(run, IDENTITY)
    assert carried == files(run)
    gathering.put_in_place(folder(tmp_path / "ours"), carried, IDENTITY)
    assert files(folder(tmp_path / "ours")) == files(run)
    assert record.read_scores(folder(tmp_path / "ours"))["value"] == 0.5


def test_it_replaces_an_older_run_whole(tmp_path, run):
    old = made(tmp_path / "ours", "b" * 64, b"old answers")
    (old / "left.txt").write_text("left")
    gathering.put_in_place(old, gathering.read_files(run, IDENTITY), IDENTITY)
    assert files(old) == files(run)


@pytest.mark.parametrize("name", [record.PREDICTIONS, record.RUN, record.SCORES])
def test_one_changed_byte_and_nothing_is_put_in_place(tmp_path, run, name):
    ours = made(tmp_path / "ours", predictions=b"standing answers")
    before = files(ours)
    carried = gathering.read_files(run, IDENTITY)
    torn = bytearray(carried[name])
    torn[len(torn) // 2] ^= 1
    with pytest.raises(MachineError) as caught:
        gathering.put_in_place(ours, {**carried, name: bytes(torn)}, IDENTITY)
    assert str(caught.value) == (
        "what arrived as sentiment/minilm-l6/paper-s42 is damaged, or another run: nothing was put in place; "
        "run the sweep again."
    )
    assert files(ours) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda kept: kept.pop(record.PREDICTIONS),
        lambda kept: kept.pop(record.RUN),
        lambda kept: kept.update({"more.txt": b""}),
        lambda kept: kept.update({"../more.txt": b""}),
    ],
)
def test_files_that_are_not_the_run_s_own(tmp_path, run, change):
    carried = gathering.read_files(run, IDENTITY)
    change(carried)
    with pytest.raises(MachineError, match=r"^what arrived as sentiment/minilm-l6/paper-s42 "):
        gathering.put_in_place(folder(tmp_path / "ours"), carried, IDENTITY)
    assert not folder(tmp_path / "ours").exists()


def test_another_run_than_was_asked_for(tmp_path, run):
    with pytest.raises(MachineError, match="another run"):
        gathering.put_in_place(folder(tmp_path / "ours"), gathering.read_files(run, IDENTITY), "c" * 64)
    with pytest.raises(SeluError, match="of another run than asked for"):
        gathering.read_files(run, "c" * 64)


def test_a_failed_run_arrives_but_not_over_a_present_one(tmp_path, run):
    theirs = folder(tmp_path / "failed")
    record.write_failed(theirs, {"error": "no number", "identity": IDENTITY, "fields": FIELDS})
    carried = gathering.read_files(theirs, IDENTITY)
    gathering.put_in_place(folder(tmp_path / "ours"), carried, IDENTITY)
    assert record.state(folder(tmp_path / "ours"), IDENTITY) is record.State.FAILED
    gathering.put_in_place(run, carried, IDENTITY)
    assert record.state(run, IDENTITY) is record.State.PRESENT


@pytest.mark.parametrize("kind", ["path", "file", "memory"])
def test_a_place_gives_back_what_was_brought(tmp_path, run, kind):
    path = str(tmp_path / "gathered")
    store = gathering.Store({"path": path, "file": f"file://{path}", "memory": f"memory:/{path}"}[kind])
    store.check()
    assert store.held() == set()
    assert store.get(IDENTITY) is None
    carried = gathering.read_files(run, IDENTITY)
    store.put(IDENTITY, carried)
    assert store.held() == {IDENTITY}
    assert store.get(IDENTITY) == carried


def test_a_run_that_is_still_being_brought_counts_as_none(tmp_path, run):
    store = gathering.Store(str(tmp_path / "gathered"))
    store.put(IDENTITY, gathering.read_files(run, IDENTITY))
    (tmp_path / "gathered" / IDENTITY / record.RUN).unlink()
    assert store.get(IDENTITY) is None


def test_its_record_is_written_last(tmp_path, run, monkeypatch):
    store, order = gathering.Store(str(tmp_path / "gathered")), []
    real = type(store._system).pipe_file

    def noted(system: fsspec.AbstractFileSystem, path: str, value: bytes) -> None:
        order.append(Path(path).name)
        real(system, path, value)

    monkeypatch.setattr(type(store._system), "pipe_file", noted)
    store.put(IDENTITY, gathering.read_files(run, IDENTITY))
    assert order[-1] == record.RUN
    assert len(order) == 3


def test_a_lost_call_is_made_again(tmp_path, run, monkeypatch):
    store, calls = gathering.Store(str(tmp_path / "gathered")), []
    real = type(store._system).pipe_file

    def lossy(system: fsspec.AbstractFileSystem, path: str, value: bytes) -> None:
        calls.append(path)
        if len(calls) % 2:
            raise ConnectionResetError(104, "Connection reset by peer")
        real(system, path, value)

    monkeypatch.setattr(type(store._system), "pipe_file", lossy)
    carried = gathering.read_files(run, IDENTITY)
    store.put(IDENTITY, carried)
    assert store.get(IDENTITY) == carried


@pytest.mark.parametrize(
    ("url", "error", "sentence"),
    [
        ("/sys/gathered", None, "/sys/gathered can't be written to (no rights)"),  # where root may not, neither
        ("FOLDER/gathered", None, "FOLDER/gathered can't be written to (File exists)"),
        (
            "memory://user:secret@gathered",
            PermissionError("Access Denied for secret"),
            "memory://user:...@gathered can't be written to (no rights)",
        ),
        (
            "memory://gathered",
            OSError(errno.EBUSY, "try later, user with the key secret"),
            "memory://gathered can't be written to (Device or resource busy)",
        ),
    ],
)
def test_a_place_that_refuses_is_one_sentence_without_its_own_words(
    tmp_path, monkeypatch, url, error, sentence
):
    def refuse(*_arguments: object) -> None:
        raise error

    (tmp_path / "gathered").touch()
    store = gathering.Store(url.replace("FOLDER", str(tmp_path)))
    if error:
        monkeypatch.setattr(type(store._system), "pipe_file", refuse)
    with pytest.raises(MachineError) as caught:
        store.check()
    sentence = sentence.replace("FOLDER", str(tmp_path))
    assert str(caught.value) == f"--gather {sentence}: check the address and your rights."


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("s3://x", "--gather s3://x needs a library: install s3fs ('make remotes-environment' does)."),
        ("nothing://x", "--gather nothing://x: give a folder, or a place as s3://, gs:// or ssh://."),
    ],
)
def test_an_address_that_can_not_be_used(monkeypatch, url, sentence):
    monkeypatch.setitem(sys.modules, "s3fs", None)
    known = sys.modules["fsspec.registry"]._registry  # it remembers what was imported before
    monkeypatch.delitem(known, "s3", raising=False)
    with pytest.raises(SeluError) as caught:
        gathering.Store(url)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("s3://bucket/folder", "s3://bucket/folder"),
        ("ssh://me@host:22/folder", "ssh://me@host:22/folder"),
        ("ftp://me:hunter@2secret@127.0.0.1:1/x", "ftp://me:...@127.0.0.1:1/x"),
        ("ssh://me:pa/secret@host", "ssh://me:...@host"),
        ("s3://AKIA:sec/secret@bucket/x", "s3://AKIA:...@bucket/x"),
        ("https://secret@host/x", "https://:...@host/x"),
        ("https://host/x?password=secret", "https://host/x?..."),
        ("failed at s3://k:secret@b/x; is it there?", "failed at s3://k:...@b/x; is it there?"),
    ],
)
def test_no_secret_of_a_url_is_shown(url, expected):
    assert shown(url) == expected
