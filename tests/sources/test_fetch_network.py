"""Fetching from a real server that answers well, slowly, wrongly, or not at all."""

from __future__ import annotations

import email.utils
import re
import time

import pytest
from made import COMMIT, Clock, mirrored, network, pin, pinned, raw_path, remote, sha256
from one_file import DATA, FILE, URL, get, refused, whole
from server import Server

from selu.sources import transfer
from selu.sources.fetch import fetch
from selu.sources.network import Hosts, Patience, retry_after
from selu.sources.verify import POINTER, RefusedError, UnavailableError
from selu.vocabulary import SeluError


def test_a_plain_file(server, folder):
    server.put(URL, DATA)
    found = get(server, folder)
    assert (found.origin, found.verified, found.already, found.bytes) == ("original", True, False, len(DATA))
    assert found.files == {"a.csv": folder / "original" / "a.csv"}
    whole(folder)
    assert [asked.path for asked in server.asked] == [f"/owner/name/{COMMIT}/data/a%20file%20%281%29.csv"]
    assert server.asked[0].headers["accept-encoding"] == "identity"
    again = get(server, folder)
    assert again.already
    assert len(server.asked) == 1


def test_a_slow_server_is_waited_for_and_told(server, folder):
    small = pinned("a.csv", DATA[:30])
    server.put(raw_path(small), DATA[:30], "drip", 0.01)
    lines: list[str] = []
    clock = {"sleep": time.sleep, "clock": lambda: 10 * time.monotonic()}  # ten times as fast as ours
    get(server, folder, small, lines=lines, **clock, slowest=0.1)
    assert any(re.search(r"a.csv: 0.0 of 0.0 MB, \d.\d\d MB/s, \d+ s left", line) for line in lines), lines


def test_a_server_too_slow_to_wait_for(server, folder):
    small = pinned("a.csv", DATA[:200], FILE.path)
    server.put(URL, DATA[:200], "drip", 0.02)
    words = "less than 512 bytes a second came"
    clock = {"window": 0.2, "attempts": 1, "clock": time.monotonic}
    refused(server, folder, UnavailableError, words, file=small, **clock)


def test_a_stalled_connection(server, folder):
    server.put(URL, DATA, "stall", 60_000, times=1)
    lines: list[str] = []
    get(server, folder, lines=lines, read=0.4)
    whole(folder)
    assert any("sent nothing for 0.4 s" in line for line in lines)
    assert server.ranges(URL) == [None, "bytes=60000-"]


def test_a_server_that_says_nothing(server, folder):
    server.put(URL, DATA, "silent")
    refused(server, folder, UnavailableError, r"sent nothing for 0.4 s \(2 tries\)", attempts=2, read=0.4)


def test_the_time_for_one_file_is_limited(server, folder):
    small = pinned("a.csv", DATA[:200], FILE.path)
    server.put(URL, DATA[:200], "drip", 0.02)
    words = r"1 s are over at \d+ bytes \(kept\)"
    clock = {"sleep": time.sleep, "clock": time.monotonic}
    refused(server, folder, UnavailableError, words, file=small, total=1.0, slowest=0.0, **clock)
    assert (folder / "original" / "a.csv.part").stat().st_size > 1


@pytest.mark.parametrize("fault", ["wrong bytes", "wrong size"])
def test_other_bytes_are_refused(server, folder, fault):
    server.put(URL, DATA, fault)
    words = refused(server, folder, RefusedError, "is not the pinned a.csv")
    assert sha256(DATA) in words
    if fault == "wrong bytes":
        assert sha256(DATA[::-1]) in words
    assert not (folder / "original" / "a.csv.part").exists()
    assert len(server.asked) == 1


def test_a_shorter_file_is_refused_with_its_hash(server, folder):
    server.put(URL, DATA[:-1])
    words = refused(server, folder, RefusedError, "199999 bytes with sha256")
    assert sha256(DATA[:-1]) in words


def test_never_more_than_the_pinned_bytes_are_read(server, folder):
    server.put(URL, DATA, "endless")
    start = time.monotonic()
    refused(server, folder, RefusedError, "more came")
    assert (folder / "original" / "a.csv.part").stat().st_size <= len(DATA)
    assert time.monotonic() - start < 20


def test_never_more_than_the_stated_limit_without_a_pinned_size(server, folder, monkeypatch):
    monkeypatch.setattr(transfer, "LARGEST", 100_000)
    server.put(URL, DATA, "endless")
    refused(server, folder, RefusedError, "more came", file=pinned("a.csv", DATA, FILE.path, known=False))
    server.put(URL, DATA)
    words = "200000 bytes are announced"
    refused(server, folder, RefusedError, words, file=pinned("a.csv", DATA, FILE.path, known=False))


def test_a_length_that_is_too_long(server, folder):
    server.put(URL, DATA, "longer", 10)
    refused(server, folder, RefusedError, "200010 bytes are announced")


def test_a_length_that_is_never_met(server, folder):
    """Each answer announces the right length and ends in the same place; that brings nothing further."""
    server.put(URL, DATA, "cut", 0)
    refused(server, folder, UnavailableError, r"broke off \(5 tries\)")
    assert len(server.asked) == 5


def test_no_length_at_all(server, folder):
    server.put(URL, DATA, "no length")
    get(server, folder)
    whole(folder)


def test_an_answer_that_was_re_encoded(server, folder):
    server.put(URL, DATA, header={"Content-Encoding": "gzip"})
    refused(server, folder, UnavailableError, r"was re-encoded on its way \(gzip\)")


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (404, "answered 404: it was removed, renamed or made private"),
        (410, "answered 410: it was removed for good"),
        (403, "answered 403: access refused; SELU_GITHUB_TOKEN may hold a token for it"),
        (418, "answered 418"),
    ],
)
def test_a_status_that_would_come_again(server, folder, status, words):
    server.put(URL, DATA, str(status))
    refused(server, folder, UnavailableError, words)
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [500, 502, 503, 504, 429, 408])
def test_a_status_that_passes(server, folder, status):
    server.put(URL, DATA, str(status), times=3)
    clock = Clock()
    get(server, folder, clock=clock.time, sleep=clock.sleep)
    whole(folder)
    assert clock.slept == [1.0, 2.0, 4.0]


def test_a_status_that_does_not_pass(server, folder):
    server.put(URL, DATA, "503")
    clock = Clock()
    refused(server, folder, UnavailableError, r"answered 503 \(5 tries\)", clock=clock.time, sleep=clock.sleep)
    assert clock.slept == [1.0, 2.0, 4.0, 8.0]


def test_pauses_have_a_random_part_and_an_upper_end():
    assert [Patience(jitter=lambda: 0.0).pause(n) for n in (1, 2, 3)] == [0.5, 1.0, 2.0]
    assert Patience(jitter=lambda: 1.0).pause(30) == 60.0


@pytest.mark.parametrize("date", [False, True])
def test_retry_after_is_honoured(server, folder, date):
    wait = email.utils.formatdate(time.time() + 17.9, usegmt=True) if date else "17"
    server.put(URL, DATA, "429", times=1, header={"Retry-After": wait})
    clock = Clock()
    get(server, folder, clock=clock.time, sleep=clock.sleep)
    whole(folder)
    assert clock.slept == [pytest.approx(17, abs=1.5)]


def test_a_long_retry_after_is_told_not_waited_for(server, folder):
    server.put(URL, DATA, "429", header={"Retry-After": "3600"})
    clock = Clock()
    words = "answered 429 and asks to wait 3600 s"
    refused(server, folder, UnavailableError, words, clock=clock.time, sleep=clock.sleep)
    assert clock.slept == []


def test_an_unreadable_retry_after_is_none():
    assert retry_after("soon") is None
    assert retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0


def test_a_pointer_instead_of_the_file(server, folder):
    pointer = POINTER + b"v1\noid sha256:" + b"0" * 64 + b"\nsize 200000\n"
    for file in (FILE, pinned("a.csv", DATA, FILE.path, known=False)):
        server.put(URL, pointer)
        refused(server, folder, RefusedError, "a git-LFS pointer came instead of the file", file=file)


def test_a_redirect_is_followed(server, folder):
    server.put(URL, b"", "redirect", header={"Location": "/elsewhere?secret=1"})
    server.put("/elsewhere", DATA)
    get(server, folder)
    whole(folder)


def test_a_redirect_without_end(server, folder):
    server.put(URL, b"", "redirect", header={"Location": URL})
    refused(server, folder, UnavailableError, "redirects more than 5 times")


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "http://127.0.0.1:port/"])
def test_a_redirect_to_no_web_address(server, folder, target):
    server.put(URL, b"", "redirect", header={"Location": target})
    refused(server, folder, UnavailableError, "redirects to")


def test_a_host_that_is_not_there_is_asked_twice_and_then_left(server, folder):
    with Server() as gone:
        nowhere = network(gone.url)
    origin = remote("original", FILE)
    with pytest.raises(UnavailableError, match=r"can't be reached from this machine \(2 tries\)"):
        fetch(pin(origin), folder, network=nowhere)
    clock = nowhere.patience
    assert clock.clock() == 1.0  # one pause
    with pytest.raises(UnavailableError, match="could not be reached a moment ago"):
        fetch(pin(origin), folder, network=nowhere)
    assert clock.clock() == 1.0


def test_the_next_origin_is_tried(server, folder, tmp_path):
    """A pickle, a removed file, wrong bytes: each is named, then the one that has it is taken."""
    server.put("/gone/name", b"")
    wrong = raw_path(FILE, "wrong/name")
    server.put(wrong, DATA, "wrong bytes")
    server.put(URL, DATA)
    origins = (
        mirrored(FILE),
        remote("package", FILE, lfs=True),
        remote("original", FILE, repository="gone/name"),
        remote("original-2", FILE, repository="wrong/name"),
        remote("original-3", FILE),
    )
    lines: list[str] = []
    found = fetch(pin(*origins), folder, network=network(server.url), progress=lines.append)
    assert found.origin == "original-3"
    assert [re.match(r"incivility: (\S+):", line)[1] for line in lines] == [
        "mirror",
        "package",
        "original",
        "original-2",
    ]


def test_one_error_says_why_for_each_origin(server, folder):
    server.put(URL, DATA, "404")
    server.put(raw_path(FILE, "other/name"), DATA, "503")
    both = pin(remote("original", FILE), remote("original-2", FILE, repository="other/name"))
    with pytest.raises(UnavailableError) as caught:
        fetch(both, folder, network=network(server.url))
    words = str(caught.value)
    assert "original: http" in words
    assert "answered 404" in words
    assert "original-2: http" in words
    assert "answered 503 (5 tries)" in words
    assert "Access: open" in words
    assert str(folder) in words


def test_no_room_on_the_disk(server, folder, monkeypatch):
    import collections
    import shutil

    usage = collections.namedtuple("usage", "free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(2 * len(DATA)))
    server.put(URL, DATA)
    with pytest.raises(SeluError, match=r"0 MB free where 68 MB are needed: free some"):
        get(server, folder)
    assert server.asked == []
    with pytest.raises(SeluError, match="are needed"):  # a size that only the server knows
        get(server, folder, pinned("a.csv", DATA, FILE.path, known=False))


@pytest.mark.parametrize(
    "address", ["ftp://x", "https://", "https://me:secret@x", "https://x?y=1", "http://x:port"]
)
def test_a_host_that_is_none(monkeypatch, address):
    monkeypatch.setenv("SELU_RAW_HOST", address)
    with pytest.raises(SeluError, match="SELU_RAW_HOST is not the address of a host") as caught:
        Hosts.from_environment()
    assert "secret" not in str(caught.value)


def test_hosts_from_the_environment(monkeypatch):
    monkeypatch.setenv("SELU_RAW_HOST", "http://127.0.0.1:8000/raw/")
    assert Hosts.from_environment() == Hosts("http://127.0.0.1:8000/raw", "https://github.com")
