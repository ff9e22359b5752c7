"""A fetch that was cut short goes on where it stopped, and never puts two contents together."""

from __future__ import annotations

import pytest
from made import content, pinned, sha256
from one_file import DATA, FILE, URL, get, whole

from selu.sources.verify import UnavailableError

LOOSE = pinned("a.csv", DATA, FILE.path, known=False)


@pytest.fixture
def cut(server, folder):
    """An earlier run that broke off; gives the part that it left."""

    def fetch(data=DATA, file=FILE, fault="cut", value=50_000):
        server.put(URL, data, fault, value, times=1)
        with pytest.raises(UnavailableError, match=r"broke off \(1 try\)"):
            get(server, folder, file, attempts=1)
        return folder / "original" / "a.csv.part"

    return fetch


def test_cut_short_is_resumed_where_it_stopped(server, folder):
    server.put(URL, DATA, "cut", 70_000, times=2)
    get(server, folder)
    whole(folder)
    assert server.ranges(URL) == [None, "bytes=70000-", "bytes=140000-"]
    assert server.asked[1].headers["if-range"].startswith('"')


@pytest.mark.parametrize("lfs", [False, True])
def test_a_later_run_resumes(server, folder, lfs):
    place = server.put_lfs(DATA) if lfs else server.put(URL, DATA)
    place.fault, place.value, place.times = "cut", 50_000, 1
    with pytest.raises(UnavailableError, match=r"broke off \(1 try\)"):
        get(server, folder, lfs=lfs, attempts=1)
    assert (folder / "original" / "a.csv.part").read_bytes() == DATA[:50_000]
    get(server, folder, lfs=lfs)
    whole(folder)
    path = f"/storage/{sha256(DATA)}" if lfs else URL
    assert server.ranges(path) == [None, "bytes=50000-"]


def test_a_part_of_other_content_is_not_continued(server, folder, cut):
    """The file that a new pin names does not begin with what an old one left."""
    cut(content(seed=2), pinned("a.csv", content(seed=2), FILE.path))
    server.put(URL, DATA)
    get(server, folder)
    whole(folder)
    assert server.ranges(URL) == [None, None]


def test_a_damaged_part_is_read_anew(server, folder, cut):
    part = cut()
    part.write_bytes(b"?" + part.read_bytes()[1:])
    lines: list[str] = []
    get(server, folder, lines=lines)
    whole(folder)
    assert any("reading it anew" in line for line in lines)
    assert server.ranges(URL) == [None, "bytes=50000-", None]


@pytest.mark.parametrize("damage", [DATA + b"more", b"?" + DATA[1:], DATA])
def test_a_part_that_looks_complete_is_verified(server, folder, cut, damage):
    cut().write_bytes(damage)
    get(server, folder)
    whole(folder)
    assert len(server.asked) == (1 if damage == DATA else 2)


@pytest.mark.parametrize(("fault", "said"), [("ignores range", ""), ("wrong range", "another range")])
def test_a_server_that_answers_with_other_bytes_than_the_rest(server, folder, cut, fault, said):
    cut()
    server.put(URL, DATA, fault)
    lines: list[str] = []
    get(server, folder, lines=lines)
    whole(folder)
    assert server.ranges(URL)[:2] == [None, "bytes=50000-"]
    assert said in " ".join(lines)


@pytest.mark.parametrize("behind", [b"", b"what never came from there"])
def test_range_past_the_end(server, folder, cut, behind):
    """A file without a pinned hash whose part is all of it, or more: the server has no byte after it (416)."""
    with cut(file=LOOSE, fault="longer", value=10).open("ab") as part:
        part.write(behind)
    found = get(server, folder, LOOSE)
    assert not found.verified
    assert found.files["a.csv"].read_bytes() == DATA
    assert server.ranges(URL)[1] == f"bytes={len(DATA) + len(behind)}-"


def test_the_file_changed_between_two_runs(server, folder, cut):
    """If-Range: without a pinned hash, two halves of two versions are never put together."""
    cut(content(seed=3), LOOSE)
    server.put(URL, DATA)
    assert get(server, folder, LOOSE).files["a.csv"].read_bytes() == DATA


def test_without_hash_or_etag_a_part_is_not_continued(server, folder):
    server.put(URL, DATA, "cut", 50_000, times=1, etag=False)
    assert get(server, folder, LOOSE).files["a.csv"].read_bytes() == DATA
    assert server.ranges(URL) == [None, None]
