"""A fetch that was cut short goes on where it stopped, and never puts two contents together."""

from __future__ import annotations

import pytest
from made import content, pinned, sha256
from one_file import DATA, FILE, URL, get, refused, whole

from selu.sources.verify import RefusedError, UnavailableError

LOOSE = pinned("a.csv", DATA, FILE.path, known=False)


@pytest.fixture
def cut(server, folder):
    """An earlier run that broke off; gives the part that it left."""

    def fetch():
        server.put(URL, DATA, "cut", 50_000, times=1)
        with pytest.raises(UnavailableError, match=r"broke off \(tries: 1\)"):
            get(server, folder, attempts=1)
        return folder / "original" / "a.csv.part"

    return fetch


@pytest.mark.parametrize("lfs", [False, True])
def test_cut_short_is_resumed_where_it_stopped(server, folder, lfs):
    """In the same run, and in a later one."""
    place = server.put_lfs(DATA) if lfs else server.put(URL, DATA)
    place.fault, place.value, place.times = "cut", 50_000, 3
    with pytest.raises(UnavailableError, match=r"broke off \(tries: 1\)"):
        get(server, folder, lfs=lfs, attempts=1)
    assert (folder / "original" / "a.csv.part").read_bytes() == DATA[:50_000]
    get(server, folder, lfs=lfs)
    whole(folder)
    path = f"/storage/{sha256(DATA)}" if lfs else URL
    assert server.ranges(path) == [None, *(f"bytes={have}-" for have in (50_000, 100_000, 150_000))]


@pytest.mark.parametrize(
    "damage", [lambda part: b"?" + part[1:], lambda part: content(seed=2)[: len(part)]], ids=["byte", "all"]
)
def test_a_part_of_other_content_is_read_anew(server, folder, cut, damage):
    """It was damaged, or an old pin left it."""
    part = cut()
    part.write_bytes(damage(part.read_bytes()))
    lines: list[str] = []
    get(server, folder, lines=lines)
    whole(folder)
    assert any("reading it again" in line for line in lines)
    assert server.ranges(URL) == [None, "bytes=50000-", None]


@pytest.mark.parametrize("damage", [DATA + b"more", b"?" + DATA[1:], DATA])
def test_a_part_that_looks_complete_is_verified(server, folder, cut, damage):
    cut().write_bytes(damage)
    get(server, folder)
    whole(folder)
    assert len(server.asked) == (1 if damage == DATA else 2)


@pytest.mark.parametrize(("fault", "message"), [("ignores range", ""), ("wrong range", "another range")])
def test_a_server_that_answers_with_other_bytes_than_the_rest(server, folder, cut, fault, message):
    cut()
    server.put(URL, DATA, fault)
    lines: list[str] = []
    get(server, folder, lines=lines)
    whole(folder)
    assert server.ranges(URL)[:2] == [None, "bytes=50000-"]
    assert message in " ".join(lines)


def test_a_file_that_is_shorter_than_what_came(server, folder, cut):
    """The server has no byte after those we have (416): it is read again, and refused."""
    cut()
    server.put(URL, DATA[:40_000])
    refused(server, folder, RefusedError, f"40000 bytes with sha256 {sha256(DATA[:40_000])} found")
    assert server.ranges(URL)[:3] == [None, "bytes=50000-", None]


def test_other_bytes_that_come_in_pieces_are_read_twice_and_refused(server, folder):
    server.put(URL, DATA[::-1], "cut", 50_000)
    refused(server, folder, RefusedError, f"sha256 {sha256(DATA[::-1])} found")
    assert server.ranges(URL) == 2 * [None, "bytes=50000-", "bytes=100000-", "bytes=150000-"]


def test_a_file_without_a_pinned_hash_is_never_continued(server, folder):
    """Nothing would tell two halves of two versions."""
    server.put(URL, content(seed=3), "cut", 50_000, times=1)
    with pytest.raises(UnavailableError):
        get(server, folder, LOOSE, attempts=1)
    server.put(URL, DATA, "cut", 60_000, times=1)
    found = get(server, folder, LOOSE)
    assert not found.verified
    assert found.files["a.csv"].read_bytes() == DATA
    assert server.ranges(URL) == [None, None, None]
