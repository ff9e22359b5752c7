"""Fetching from a local mirror and from what a person put there; what counts as a set; processes at once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from made import FILES, PIN, A, B, held, mirrored, pin, pinned, raw_path, remote, sha256

from selu.sources import raw_folder
from selu.sources.fetch import fetch, on_disk
from selu.sources.pins import Access, Form, FormKind
from selu.sources.verify import RefusedError, UnavailableError
from selu.vocabulary import SeluError


def test_from_the_mirror(folder, mirror, server, no_network):
    found = fetch(PIN, folder, mirror, no_network)
    assert (found.origin, found.verified, found.already, found.bytes) == ("mirror", True, False, 8_000)
    assert set(held(folder)) == {"mirror/a.csv", "mirror/b.csv", "origin.json"}
    assert json.loads((folder / "origin.json").read_text()) == {
        "origin": "mirror",
        "files": {
            "a.csv": {"sha256": sha256(A), "bytes": len(A)},
            "b.csv": {"sha256": sha256(B), "bytes": len(B)},
        },
    }
    assert server.asked == []
    assert on_disk(PIN, folder) == replace(found, already=True)


def test_what_is_there_is_not_read_again(folder, mirror):
    fetch(PIN, folder, mirror)
    times = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    (mirror / "set" / "a.csv").unlink()
    lines: list[str] = []
    assert fetch(PIN, folder, mirror, progress=lines.append).already
    assert lines == ["incivility: already here (mirror), every byte verified"]
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == times


def test_without_a_mirror_or_a_file_of_it_the_next_origin(folder, mirror, original):
    lines: list[str] = []
    assert fetch(PIN, folder, None, original, progress=lines.append).origin == "original"
    assert lines == ["incivility: mirror: no mirror folder was given (--mirror DIR or SELU_MIRROR)"]
    (mirror / "set" / "b.csv").unlink()
    shutil.rmtree(folder)
    assert fetch(PIN, folder, mirror, original).origin == "original"


@pytest.mark.parametrize("damage", [lambda data: b"?" + data[1:], lambda data: data[:-1], lambda data: b""])
def test_wrong_bytes_in_the_mirror_end_the_search(folder, mirror, server, original, damage):
    path = mirror / "set" / "b.csv"
    path.write_bytes(damage(B))
    with pytest.raises(RefusedError) as caught:
        fetch(PIN, folder, mirror, original)
    words = str(caught.value)
    assert words.startswith(f"{path} is not the pinned b.csv: 5000 bytes with sha256 {sha256(B)} expected, ")
    assert f"sha256 {sha256(damage(B))} found; copy the file to the mirror again" in words
    assert server.asked == []
    assert not (folder / "mirror" / "b.csv").exists()
    assert not (folder / "origin.json").exists()


def test_what_is_no_file_in_the_mirror(folder, mirror, no_network):
    (mirror / "set" / "b.csv").unlink()
    os.mkfifo(mirror / "set" / "b.csv")
    with pytest.raises(UnavailableError, match=r"b.csv is not there"):
        fetch(PIN, folder, mirror, no_network, origin="mirror")


def test_only_the_origin_that_is_asked_for(folder, mirror, original):
    assert fetch(PIN, folder, mirror, original, origin="original").origin == "original"
    assert fetch(PIN, folder, mirror, original).already
    assert fetch(PIN, folder, mirror, original, origin="mirror").origin == "mirror"
    assert on_disk(PIN, folder).origin == "mirror"
    with pytest.raises(SeluError, match="incivility has no origin 'miror'; its pin knows: mirror, original"):
        fetch(PIN, folder, mirror, original, origin="miror")


def test_a_pickle_is_never_fetched(folder, server, no_network):
    form = Form(FormKind.PICKLE, safe="the origin 'mirror'")
    origin = remote("package", pinned("a.pkl", A, form=form), lfs=True)
    server.put_lfs(A)
    (folder / "package").mkdir(parents=True)
    (folder / "package" / "a.pkl").write_bytes(A)
    with pytest.raises(UnavailableError, match=r"a.pkl is a pickle.*the safe source is the origin 'mirror'"):
        fetch(pin(origin), folder, network=no_network)
    assert server.asked == []
    assert not (folder / "origin.json").exists()


def test_nobody_has_it(folder, no_network):
    withdrawn = pin(access=Access.WITHDRAWN, by_hand="Write to the authors.")
    with pytest.raises(UnavailableError) as caught:
        fetch(withdrawn, folder, network=no_network)
    assert str(caught.value) == (
        "incivility can't be fetched (its pin knows no origin). Access: withdrawn. "
        "By hand: Write to the authors. "
        f"Files put into {folder} are taken once they verify."
    )


class TestOnDisk:
    """Every use verifies every byte again."""

    def test_nothing_fetched(self, folder):
        with pytest.raises(
            UnavailableError, match="incivility was not fetched yet: run 'selu fetch incivility'"
        ):
            on_disk(PIN, folder)

    @pytest.mark.parametrize("name", ["a.csv", "b.csv"])
    def test_a_damaged_file(self, folder, mirror, name):
        fetch(PIN, folder, mirror)
        path = folder / "mirror" / name
        path.write_bytes(b"?" + path.read_bytes()[1:])
        with pytest.raises(
            RefusedError, match=rf"{path} is not the pinned {name}.*run 'selu fetch incivility'"
        ):
            on_disk(PIN, folder)
        lines: list[str] = []
        assert not fetch(PIN, folder, mirror, progress=lines.append).already
        assert "Mending it now" in lines[0]
        assert len(lines) == 1  # nobody put it there by hand
        assert on_disk(PIN, folder).verified

    def test_a_missing_file(self, folder, mirror):
        fetch(PIN, folder, mirror)
        (folder / "mirror" / "a.csv").unlink()
        with pytest.raises(RefusedError, match=r"a.csv is missing: run 'selu fetch incivility'"):
            on_disk(PIN, folder)

    @pytest.mark.parametrize(
        "text",
        ["", "[]", '{"origin": "mirror", "files": {"a.csv": 1}}', '{"origin": "gone", "files": {}}', "\xff"],
    )
    def test_a_damaged_record(self, folder, mirror, text):
        fetch(PIN, folder, mirror)
        (folder / "origin.json").write_bytes(text.encode("latin-1"))
        with pytest.raises(RefusedError, match=r"origin.json is damaged"):
            on_disk(PIN, folder)
        (mirror / "set" / "a.csv").unlink()  # not needed: the files are still there
        assert fetch(PIN, folder, mirror).origin == "mirror"
        assert on_disk(PIN, folder).verified

    def test_a_new_pin(self, folder, mirror):
        """The old set is refused, and replaced by the new one."""
        fetch(PIN, folder, mirror)
        (mirror / "set" / "b.csv").write_bytes(A + B)
        new = pin(mirrored(FILES[0], pinned("b.csv", A + B, "set/b.csv")))
        with pytest.raises(RefusedError, match=r"b.csv"):
            on_disk(new, folder)
        fetch(new, folder, mirror)
        assert on_disk(new, folder).bytes == 2 * len(A) + len(B)

    def test_a_file_without_a_pinned_hash(self, folder, server, no_network):
        """It is not verified, but it can't change after it was fetched either."""
        loose = pinned("a.csv", A, "set/a.csv", known=False)
        unsure = pin(remote("original", loose))
        server.put(raw_path(loose), A)
        found = fetch(unsure, folder, network=no_network)
        assert not found.verified
        assert not on_disk(unsure, folder).verified
        lines: list[str] = []
        assert fetch(unsure, folder, network=no_network, progress=lines.append).already
        assert lines == ["incivility: already here (original), as fetched; remove its folder to fetch it again"]
        (folder / "original" / "a.csv").write_bytes(A[:-1])
        with pytest.raises(
            RefusedError, match=r"is not the file that was fetched, origin.json has another hash"
        ):
            on_disk(unsure, folder)


class TestByHand:
    """Files that a person put into the task's folder."""

    @pytest.mark.parametrize("place", ["", "original"])
    def test_whole(self, folder, server, no_network, place):
        (folder / place).mkdir(parents=True)
        for name, data in (("a.csv", A), ("b.csv", B)):
            (folder / place / name).write_bytes(data)
        found = fetch(PIN if place == "" else pin(PIN.origins[1]), folder, network=no_network)
        assert found.verified
        assert server.asked == []
        assert on_disk(PIN, folder).origin == found.origin
        assert (folder / place / "a.csv").read_bytes() == A

    def test_one_of_two(self, folder, server, no_network):
        folder.mkdir(parents=True)
        (folder / "a.csv").write_bytes(A)
        server.put(raw_path(FILES[1]), B)
        assert fetch(pin(PIN.origins[1]), folder, network=no_network).verified
        assert [asked.path for asked in server.asked] == [raw_path(FILES[1])]

    @pytest.mark.parametrize("place", ["", "original"])
    def test_wrong_bytes_are_named_and_left_alone(self, folder, mirror, no_network, place):
        path = folder / place / "a.csv"
        path.parent.mkdir(parents=True)
        path.write_bytes(B)
        with pytest.raises(RefusedError, match=r"a.csv is not the pinned a.csv.*original: .*answered 404"):
            fetch(PIN, folder, network=no_network)
        lines: list[str] = []
        found = fetch(PIN, folder, mirror, no_network, progress=lines.append)
        assert found.origin == "mirror"
        assert f"{path} is not the pinned a.csv" in lines[0]
        assert sha256(A) in lines[0]
        assert sha256(B) in lines[0]
        assert path.read_bytes() == B

    def test_any_bytes_where_no_hash_is_pinned(self, folder, no_network):
        folder.mkdir(parents=True)
        unsure = pin(remote("original", pinned("a.csv", A, known=False)))
        (folder / "a.csv").write_bytes(b"")
        with pytest.raises(RefusedError):
            fetch(unsure, folder, network=no_network)
        (folder / "a.csv").write_bytes(A)
        assert not fetch(unsure, folder, network=no_network).verified


class TestTwoAtOnce:
    """One process writes in a task's folder at a time; tests/faults kills it."""

    def test_the_second_waits_and_finds_the_set(self, folder, mirror):
        script = (
            "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]);"
            "from made import PIN; from selu.sources.fetch import fetch;"
            "print('begun', flush=True);"
            "say = lambda line: print(line, flush=True);"
            "found = fetch(PIN, Path(sys.argv[2]), Path(sys.argv[3]), progress=say);"
            "print(found.already)"
        )
        arguments = [sys.executable, "-c", script, str(Path(__file__).parent), str(folder), str(mirror)]
        folder.mkdir(parents=True)
        with raw_folder.locked(folder, print):
            children = [subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) for _ in range(3)]
            for child in children:
                assert child.stdout is not None
                assert child.stdout.readline() == "begun\n"
                assert "another process is fetching this task" in child.stdout.readline()
            assert not (folder / "mirror").exists()
        ends = sorted(child.communicate(timeout=60)[0].splitlines()[-1] for child in children)
        assert ends == ["False", "True", "True"]
        assert on_disk(PIN, folder).verified

    def test_a_damaged_note_of_a_set_that_was_being_moved_in(self, folder, mirror):
        fetch(PIN, folder, mirror)
        (folder / "origin.next.json").write_text('{"origin": "mir')
        assert on_disk(PIN, folder).verified
        assert "origin.next.json" not in held(folder)
