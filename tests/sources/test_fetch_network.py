"""Fetching from a real server that answers well, slowly, wrongly, or not at all."""

from __future__ import annotations

import collections
import email.utils
import re
import shutil
import time

import pytest
from made import COMMIT, Clock, mirrored, network, pin, pinned, raw_path, remote, sha256
from one_file import DATA, FILE, URL, get, refused, whole
from server import Server

from selu.sources import transfer
from selu.sources.fetch import fetch
from selu.sources.network import Network, Patience
from selu.sources.verify import POINTER, RefusedError, UnavailableError
from selu.vocabulary import SeluError

LOOSE = pinned("a.csv", DATA, FILE.path, known=False)


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


def test_progress_tells_rate_and_time_left():
    lines: list[str] = []
    clock = Clock()
    patience = Patience(clock=clock.time, window=100.0)
    meter = transfer.Meter("a.csv", lines.append, patience, have=2_000_000, total=22_000_000)
    for second in range(1, 5):
        clock.now = float(second)
        meter.add(2_500_000)
    assert lines == [
        "a.csv: 7.0 of 22.0 MB, 2.50 MB/s, 6 s left",
        "a.csv: 12.0 of 22.0 MB, 2.50 MB/s, 4 s left",
    ]


def test_a_server_too_slow_to_wait_for(server, folder):
    server.put(URL, DATA[:200], "drip", 0.02)
    small = pinned("a.csv", DATA[:200], FILE.path)
    patience = {"clock": time.monotonic, "window": 0.2, "attempts": 1}
    refused(server, folder, UnavailableError, "less than 512 bytes a second came", file=small, **patience)
    assert (folder / "original" / "a.csv.part").stat().st_size > 1


def test_a_server_that_sends_a_little_at_each_attempt_is_given_up(server, folder):
    server.put(URL, DATA, "drip", 0.02)
    patience = {"clock": time.monotonic, "window": 0.2, "attempts": 3}
    refused(server, folder, UnavailableError, r"512 bytes a second came \(tries: 3\)", **patience)
    assert len(server.ranges(URL)) == 3


def test_a_file_has_a_deadline_as_a_whole(server, folder):
    server.put(URL, DATA, "drip", 0.02)
    patience = {"clock": time.monotonic, "whole": 0.5, "least": 1e9}
    words = "takes too long: the same command continues where it stopped"
    refused(server, folder, UnavailableError, words, **patience)
    assert (folder / "original" / "a.csv.part").stat().st_size > 1


def test_a_head_without_an_end(server, folder):
    server.put(URL, DATA, "head drip", 0.1)
    start = time.monotonic()
    refused(server, folder, UnavailableError, r"tries: 2\)", attempts=2, connect=0.3, read=0.4)
    assert time.monotonic() - start < 5


def test_a_stalled_connection(server, folder):
    server.put(URL, DATA, "stall", 60_000, times=1)
    lines: list[str] = []
    get(server, folder, lines=lines, read=0.4)
    whole(folder)
    assert any("sent nothing for 0.4 s" in line for line in lines)
    assert server.ranges(URL) == [None, "bytes=60000-"]


def test_a_server_that_says_nothing(server, folder):
    server.put(URL, DATA, "stall", -1)
    refused(server, folder, UnavailableError, r"sent nothing for 0.4 s \(tries: 2\)", attempts=2, read=0.4)


@pytest.mark.parametrize(
    ("fault", "changes", "kind", "words", "asked"),
    [
        ("wrong bytes", {}, RefusedError, f"pinned a.csv.*{sha256(DATA)}.*{sha256(DATA[::-1])}", 1),
        (None, {"content": DATA[:-1]}, RefusedError, f"199999 bytes with sha256 {sha256(DATA[:-1])}", 1),
        ("longer", {"value": 10}, RefusedError, "200010 bytes are announced", 1),
        ("cut", {}, UnavailableError, r"broke off \(tries: 5\)", 5),  # brings nothing further
        ("404", {}, UnavailableError, "answered 404: it was removed, renamed or made private", 1),
        ("403", {}, UnavailableError, "answered 403: access refused; SELU_GITHUB_TOKEN may hold a token", 1),
        (
            None,
            {"header": {"Content-Encoding": "gzip"}},
            UnavailableError,
            r"re-encoded on its way \(gzip\)",
            1,
        ),
        ("redirect", {"header": {"Location": URL}}, UnavailableError, "redirects more than 5 times", 6),
        ("redirect", {"header": {"Location": "file:///etc/passwd"}}, UnavailableError, "redirects to", 1),
        ("redirect", {"header": {"Location": "http://[x"}}, UnavailableError, "is not an address", 2),
    ],
)
def test_an_answer_that_is_not_the_file_is_refused(server, folder, fault, changes, kind, words, asked):
    server.put(URL, **{"content": DATA, "fault": fault, **changes})
    refused(server, folder, kind, words)
    assert not list(folder.glob("original/*.part")) or kind is UnavailableError
    assert len(server.asked) == asked


def test_never_more_than_the_pinned_bytes_are_read(server, folder, monkeypatch):
    server.put(URL, DATA, "endless")
    start = time.monotonic()
    refused(server, folder, RefusedError, "more came")
    assert (folder / "original" / "a.csv.part").stat().st_size <= len(DATA)
    assert time.monotonic() - start < 20
    monkeypatch.setattr(transfer, "LARGEST", 100_000)  # without a pinned size
    refused(server, folder, RefusedError, "more came", file=LOOSE)
    server.put(URL, DATA)
    refused(server, folder, RefusedError, "200000 bytes are announced", file=LOOSE)


def test_an_answer_without_a_length_ends_with_the_pinned_size(server, folder):
    server.put(URL, DATA[:1000], "no length")
    refused(server, folder, UnavailableError, f"broke off after 1000 of {len(DATA)} bytes")
    server.put(URL, DATA, "no length")
    get(server, folder)
    whole(folder)


def date(seconds):
    return email.utils.formatdate(time.time() + seconds, usegmt=True)


@pytest.mark.parametrize(
    ("status", "times", "header", "slept"),
    [
        *((status, 3, {}, [1.0, 2.0, 4.0]) for status in (503, 429)),
        (429, 1, {"Retry-After": "17"}, [17.0]),
        (429, 1, {"Retry-After": 17.9}, [pytest.approx(17, abs=1.5)]),
        (429, 1, {"Retry-After": "soon"}, [1.0]),
        (429, 1, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, [1.0]),
    ],
)
def test_a_status_that_passes_is_waited_for_as_long_as_the_server_says(
    server, folder, status, times, header, slept
):
    header = {name: date(wait) if isinstance(wait, float) else wait for name, wait in header.items()}
    server.put(URL, DATA, str(status), times=times, header=header)
    clock = Clock()
    get(server, folder, clock=clock.time, sleep=clock.sleep)
    whole(folder)
    assert clock.slept == slept


@pytest.mark.parametrize(
    ("status", "header", "words", "slept"),
    [
        ("503", {}, r"answered 503 \(tries: 5\)", [1.0, 2.0, 4.0, 8.0]),
        ("429", {"Retry-After": "3600"}, "answered 429 and asks to wait 3600 s", []),
    ],
)
def test_a_status_that_does_not_pass_soon(server, folder, status, header, words, slept):
    server.put(URL, DATA, status, header=header)
    clock = Clock()
    refused(server, folder, UnavailableError, words, clock=clock.time, sleep=clock.sleep)
    assert clock.slept == slept


def test_a_pointer_instead_of_the_file(server, folder):
    pointer = POINTER + b"v1\noid sha256:" + b"0" * 64 + b"\nsize 200000\n"
    for file in (FILE, LOOSE):
        server.put(URL, pointer)
        refused(server, folder, RefusedError, "a git-LFS pointer came instead of the file", file=file)


def test_a_redirect_is_followed(server, folder):
    server.put(URL, b"", "redirect", header={"Location": "/elsewhere?secret=1"})
    server.put("/elsewhere", DATA)
    get(server, folder)
    whole(folder)


def test_a_host_that_is_not_there_is_asked_twice_and_then_left(server, folder):
    with Server() as gone:
        nowhere = network(gone.url)
    origin = remote("original", FILE)
    for words in (r"can't be reached from this machine \(tries: 2\)", "could not be reached a moment ago"):
        with pytest.raises(UnavailableError, match=words):
            fetch(pin(origin), folder, network=nowhere)
        assert nowhere.patience.clock() == 1.0  # one pause


def test_the_next_origin_is_tried(server, folder):
    """A pickle, a removed file, wrong bytes: each is named, then the one that has it is taken."""
    server.put(raw_path(FILE, "wrong/name"), DATA, "wrong bytes")
    server.put(URL, DATA)
    origins = (
        mirrored(FILE),
        remote("package", FILE, lfs=True),
        remote("original", FILE, repository="gone/name"),
        remote("original-2", FILE, repository="wrong/name"),
        remote("original-3", FILE),
    )
    lines: list[str] = []
    with pytest.raises(RefusedError) as caught:
        fetch(pin(*origins[:4]), folder, network=network(server.url), progress=lines.append)
    named = [re.match(r"incivility: (\S+):", line)[1] for line in lines]
    assert named == ["mirror", "package", "original", "original-2"]
    words = r"original: http.*answered 404.*original-2: .* is not the pinned.*Access: open.*"
    assert re.search(words + re.escape(str(folder)), str(caught.value))
    assert fetch(pin(*origins), folder, network=network(server.url)).origin == "original-3"


def test_no_room_on_the_disk(server, folder, monkeypatch):
    usage = collections.namedtuple("usage", "free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(2 * len(DATA)))
    server.put(URL, DATA)
    with pytest.raises(SeluError, match=r"0 MB free where 68 MB are needed: free some"):
        get(server, folder)
    assert server.asked == []
    with pytest.raises(SeluError, match="are needed"):  # a size that only the server knows
        get(server, folder, LOOSE)


def test_hosts_from_the_environment(monkeypatch):
    monkeypatch.setenv("SELU_RAW_HOST", "http://127.0.0.1:8000/raw/")
    monkeypatch.delenv("SELU_LFS_HOST", raising=False)
    assert (Network().raw, Network().lfs) == ("http://127.0.0.1:8000/raw", "https://github.com")
    for address in ("ftp://x", "https://", "https://me:secret@x", "https://x?y=1"):
        monkeypatch.setenv("SELU_RAW_HOST", address)
        with pytest.raises(SeluError, match="SELU_RAW_HOST is not the address of a host") as caught:
            Network()
        assert "secret" not in str(caught.value)
