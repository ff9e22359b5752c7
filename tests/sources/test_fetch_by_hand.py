"""Files that a person put there, and processes that come at once or were killed."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from made import pin, pinned, raw_path, remote, sha256
from two_files import FILES, PIN, A, B, held

from selu.sources import raw_folder
from selu.sources.fetch import fetch, on_disk
from selu.sources.verify import RefusedError


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

    def test_what_is_named_like_an_archive_and_is_none(self, folder, no_network):
        (folder / "folder.zip").mkdir(parents=True)
        (folder / "a.zip").write_bytes(A)
        lines: list[str] = []
        found = fetch(
            pin(remote("original", pinned("a.zip", A))), folder, None, no_network, progress=lines.append
        )
        assert found.files["a.zip"].read_bytes() == A
        assert lines == []

    def test_any_bytes_where_no_hash_is_pinned(self, folder, no_network):
        folder.mkdir(parents=True)
        unsure = pin(remote("original", pinned("a.csv", A, known=False)))
        (folder / "a.csv").write_bytes(b"")
        with pytest.raises(RefusedError):
            fetch(unsure, folder, network=no_network)
        (folder / "a.csv").write_bytes(A)
        assert not fetch(unsure, folder, network=no_network).verified

    @pytest.mark.parametrize("ending", [".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2"])
    def test_an_archive(self, folder, server, no_network, tmp_path, ending):
        folder.mkdir(parents=True)
        path = folder / f"from Zenodo{ending}"
        sources = {"release-1/set/a.csv": A, "release-1/old/a.csv": B, "release-1/set/b.csv": B}
        if ending == ".zip":
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, data in sources.items():
                    archive.writestr(name, data)
        else:
            mode = {".tar": "w", ".tar.xz": "w:xz", ".tar.bz2": "w:bz2"}.get(ending, "w:gz")
            with tarfile.open(path, mode) as archive:
                for name, data in sources.items():
                    (tmp_path / "one").write_bytes(data)
                    archive.add(tmp_path / "one", name)
        before = path.read_bytes()
        assert fetch(PIN, folder, network=no_network).verified
        assert server.asked == []
        assert path.read_bytes() == before
        assert set(held(folder)) == {"mirror/a.csv", "mirror/b.csv", "origin.json", path.name}

    def test_an_archive_with_wrong_bytes(self, folder, no_network):
        folder.mkdir(parents=True)
        with zipfile.ZipFile(folder / "x.zip", "w") as archive:
            archive.writestr("set/a.csv", A[::-1])
        with pytest.raises(RefusedError, match=r"x.zip: set/a.csv is not the pinned a.csv"):
            fetch(PIN, folder, network=no_network)

    def test_an_unsafe_archive_is_not_opened(self, folder, mirror, no_network, tmp_path):
        folder.mkdir(parents=True)
        with zipfile.ZipFile(folder / "x.zip", "w") as archive:
            archive.writestr("a.csv", A)
            archive.writestr("b.csv", B)
            archive.writestr("../../escaped", b"!")
        with pytest.raises(RefusedError, match=r"x.zip: '../../escaped' is not a path inside it"):
            fetch(PIN, folder, network=no_network)
        assert not list(tmp_path.rglob("escaped"))
        lines: list[str] = []
        assert fetch(PIN, folder, mirror, no_network, progress=lines.append).origin == "mirror"
        assert "x.zip" in lines[0]


class TestTwoAtOnce:
    """One process writes in a task's folder at a time; tests/faults kills it."""

    def test_the_second_waits_and_finds_the_set(self, folder, mirror):
        script = (
            "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]);"
            "from two_files import PIN; from selu.sources.fetch import fetch;"
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
