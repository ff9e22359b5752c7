"""A fetch that was cut short goes on where it stopped, and never puts two contents together."""

from __future__ import annotations

import pytest
from made import content, pinned, sha256
from one_file import DATA, FILE, URL, get, whole

from selu.sources.verify import UnavailableError


def test_cut_short_is_resumed_where_it_stopped(server, folder):
    server.put(URL, DATA, "cut", 70_000, times=2)
    get(server, folder)
    whole(folder)
    assert server.ranges(URL) == [None, "bytes=70000-", "bytes=140000-"]
    assert server.asked[1].headers["if-range"].startswith('"')


@pytest.mark.parametrize("lfs", [False, True])
def test_a_later_run_resumes(server, folder, lfs):
    place = server.put_lfs(DATA) if lfs else server.put(URL, DATA)
    place.fault, place.value = "cut", 50_000
    place.times = 1
    with pytest.raises(UnavailableError, match=r"broke off \(1 try\)"):
        get(server, folder, lfs=lfs, attempts=1)
    assert (folder / "original" / "a.csv.part").read_bytes() == DATA[:50_000]
    get(server, folder, lfs=lfs)
    whole(folder)
    path = f"/storage/{sha256(DATA)}" if lfs else URL
    assert server.ranges(path) == [None, "bytes=50000-"]


def test_a_part_of_other_content_is_not_continued(server, folder):
    """The file that a new pin names does not begin with what an old one left."""
    server.put(URL, content(seed=2), "cut", 50_000)
    with pytest.raises(UnavailableError):
        get(server, folder, pinned("a.csv", content(seed=2), FILE.path), attempts=1)
    server.put(URL, DATA)
    get(server, folder)
    whole(folder)
    assert server.ranges(URL) == [None, None]


def test_a_damaged_part_is_read_anew(server, folder):
    server.put(URL, DATA, "cut", 50_000, times=1)
    with pytest.raises(UnavailableError):
        get(server, folder, attempts=1)
    part = folder / "original" / "a.csv.part"
    part.write_bytes(b"?" + part.read_bytes()[1:])
    lines: list[str] = []
    get(server, folder, lines=lines)
    whole(folder)
    assert any("reading it anew" in line for line in lines)
    assert server.ranges(URL) == [None, "bytes=50000-", None]


@pytest.mark.parametrize("damage", [DATA + b"more", b"?" + DATA[1:], DATA])
def test_a_part_that_looks_complete_is_verified(server, folder, damage):
    server.put(URL, DATA, "cut", 50_000, times=1)
    with pytest.raises(UnavailableError):
        get(server, folder, attempts=1)
    (folder / "original" / "a.csv.part").write_bytes(damage)
    get(server, folder)
    whole(folder)
    assert len(server.asked) == (1 if damage == DATA else 2)


def test_a_server_that_ignores_ranges(server, folder):
    server.put(URL, DATA, "cut", 50_000, times=1)
    with pytest.raises(UnavailableError):
        get(server, folder, attempts=1)
    server.places[URL].fault, server.places[URL].times = "ignores range", None
    get(server, folder)
    whole(folder)
    assert server.ranges(URL) == [None, "bytes=50000-"]


def test_a_server_that_answers_with_another_range(server, folder):
    server.put(URL, DATA, "cut", 50_000, times=1)
    with pytest.raises(UnavailableError):
        get(server, folder, attempts=1)
    server.places[URL].fault, server.places[URL].times = "wrong range", None
    lines: list[str] = []
    get(server, folder, lines=lines)
    whole(folder)
    assert any("another range" in line for line in lines)


def test_range_past_the_end(server, folder):
    """A file without a pinned hash whose part is all of it: the server has no byte after it (416)."""
    loose = pinned("a.csv", DATA, FILE.path, known=False)
    server.put(URL, DATA, "longer", 10, times=1)
    with pytest.raises(UnavailableError, match="broke off"):
        get(server, folder, loose, attempts=1)
    found = get(server, folder, loose)
    assert not found.verified
    assert server.ranges(URL) == [None, f"bytes={len(DATA)}-"]
    assert found.files["a.csv"].read_bytes() == DATA


def test_range_past_the_end_of_a_shorter_file(server, folder):
    loose = pinned("a.csv", DATA, FILE.path, known=False)
    server.put(URL, DATA, "longer", 10, times=1)
    with pytest.raises(UnavailableError):
        get(server, folder, loose, attempts=1)
    with (folder / "original" / "a.csv.part").open("ab") as part:
        part.write(b"what never came from there")
    assert get(server, folder, loose).files["a.csv"].read_bytes() == DATA


def test_the_file_changed_between_two_runs(server, folder):
    """If-Range: without a pinned hash, two halves of two versions are never put together."""
    loose = pinned("a.csv", DATA, FILE.path, known=False)
    server.put(URL, content(seed=3), "cut", 50_000)
    with pytest.raises(UnavailableError):
        get(server, folder, loose, attempts=1)
    server.put(URL, DATA)
    assert get(server, folder, loose).files["a.csv"].read_bytes() == DATA


def test_without_hash_or_etag_a_part_is_not_continued(server, folder):
    loose = pinned("a.csv", DATA, FILE.path, known=False)
    server.put(URL, DATA, "cut", 50_000, times=1, etag=False)
    found = get(server, folder, loose)
    assert found.files["a.csv"].read_bytes() == DATA
    assert server.ranges(URL) == [None, None]
