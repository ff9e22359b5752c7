"""Archives and compressed files from elsewhere: what is safe is read, everything else is refused by name."""

from __future__ import annotations

import gzip
import io
import os
import random
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from selu.sources.archive import Member, extract, gunzip, members
from selu.sources.verify import RefusedError

TEXT = b"one line of text\n" * 1_000
NOISE = random.Random(3).randbytes(3_000)
Name = str | zipfile.ZipInfo | tarfile.TarInfo
KINDS = ("zip", "tar", "tgz", "tar.xz", "tar.bz2")


def packed(path: Path, *entries: tuple[Name, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    """Write an archive of the kind that its ending says."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", method) as archive:
            for name, data in entries:
                archive.writestr(name, data)
        return path
    with tarfile.open(path, {".tar": "w", ".tgz": "w:gz"}.get(path.suffix, f"w:{path.suffix[1:]}")) as archive:
        for name, data in entries:
            info = tarfile.TarInfo(name) if isinstance(name, str) else name
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


class TestGunzip:
    @pytest.fixture
    def path(self, tmp_path):
        return tmp_path / "a.gz"

    @pytest.mark.parametrize("parts", [1, 3])
    @pytest.mark.parametrize("data", [b"", TEXT, NOISE * 1_000])
    def test_one_member_or_several_are_one_content(self, path, data, parts):
        path.write_bytes(gzip.compress(data) * parts)
        assert gunzip(path) == data * parts

    def test_every_truncation_and_every_flipped_byte(self, path):
        whole = gzip.compress(TEXT, mtime=0)
        damaged = [whole[:end] for end in range(len(whole))]
        damaged += [whole[:n] + bytes([whole[n] ^ 1]) + whole[n + 1 :] for n in range(10, len(whole))]
        for data in damaged:
            path.write_bytes(data)
            with pytest.raises(RefusedError, match=r"a.gz is not whole gzip data"):
                gunzip(path)

    @pytest.mark.parametrize("behind", [b"x", b"\x1f\x8b", b"\x1f\x8bxxxx", TEXT])
    def test_what_is_not_gzip_or_goes_on_behind_its_end(self, path, behind):
        for data in (behind, gzip.compress(TEXT) + behind):
            path.write_bytes(data)
            with pytest.raises(RefusedError, match=r"a.gz is not whole gzip data"):
                gunzip(path)

    def test_the_limit(self, path):
        path.write_bytes(gzip.compress(TEXT))
        assert gunzip(path, len(TEXT)) == TEXT
        with pytest.raises(RefusedError, match=r"a.gz unpacks to more than the limit of 16,999 bytes"):
            gunzip(path, len(TEXT) - 1)

    def test_a_bomb(self, path):
        """20 MB of zeros are 1/1030 packed; refused without unpacking all of it."""
        path.write_bytes(gzip.compress(bytes(20_000_000)))
        with pytest.raises(RefusedError, match=r"a.gz unpacks to more than 1,000 times its size"):
            gunzip(path)


class TestMembers:
    @pytest.mark.parametrize("kind", KINDS)
    def test_files_are_listed_and_written(self, tmp_path, kind):
        folder: Name = "x/"
        if kind != "zip":
            folder = tarfile.TarInfo("x")
            folder.type = tarfile.DIRTYPE
        path = packed(tmp_path / f"a.{kind}", (folder, b""), ("x/a.csv", TEXT), ("./b.csv", b"b"))
        assert members(path) == (Member("x/a.csv", len(TEXT)), Member("./b.csv", 1))
        extract(path, members(path)[0], tmp_path / "out")
        assert (tmp_path / "out").read_bytes() == TEXT

    @pytest.mark.parametrize("name", ["../a", "x/../../a", "/a", "C:/a", "x\\..\\a", "a\nb", "x//a", "\u202ea"])
    @pytest.mark.parametrize("kind", ["zip", "tgz"])
    def test_a_path_outside(self, tmp_path, name, kind):
        with pytest.raises(RefusedError, match=r"is not a path inside it"):
            members(packed(tmp_path / f"a.{kind}", ("good.csv", TEXT), (name, TEXT)))

    @pytest.mark.parametrize(
        "kind", [None, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE]
    )
    def test_a_link_or_device(self, tmp_path, kind):
        link: Name = zipfile.ZipInfo("a.csv")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        if kind:
            link = tarfile.TarInfo("a.csv")
            link.type, link.linkname = kind, "/etc/passwd"
        with pytest.raises(RefusedError, match=r"'a.csv' is a link or a device"):
            members(packed(tmp_path / ("a.tar" if kind else "a.zip"), (link, b"" if kind else b"/etc/passwd")))

    @pytest.mark.parametrize("again", ["a.csv", "A.CSV", "./a.csv"])
    @pytest.mark.parametrize("kind", ["zip", "tar"])
    @pytest.mark.filterwarnings("ignore:Duplicate name")
    def test_one_path_twice(self, tmp_path, again, kind):
        with pytest.raises(RefusedError, match="is in it twice"):
            members(packed(tmp_path / f"a.{kind}", ("a.csv", TEXT), (again, TEXT)))

    @pytest.mark.parametrize(
        ("kind", "method"),
        [
            *(("zip", method) for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_DEFLATED)),
            *((kind, 0) for kind in ("tgz", "tar.xz", "tar.bz2")),
        ],
    )
    def test_a_bomb(self, tmp_path, kind, method):
        """10 MB of zeros: 1 to 1,000,000 (bzip2), 1 to 7,000 (lzma), 1 to 1,030 (deflate)."""
        with pytest.raises(RefusedError, match=r"unpacks to more than 1,000 times its size"):
            members(packed(tmp_path / f"a.{kind}", ("a.csv", bytes(10_000_000)), method=method))

    def test_a_file_of_a_zip_that_is_a_bomb_beside_much_that_is_none(self, tmp_path):
        entries = ("n", NOISE * 70), ("a", bytes(5_000_000))
        with pytest.raises(RefusedError, match=r"1,000 times its size"):
            members(packed(tmp_path / "a.zip", *entries, method=zipfile.ZIP_LZMA))

    def test_a_file_that_packs_well_is_no_bomb(self, tmp_path):
        assert members(packed(tmp_path / "a.zip", ("a", bytes(1 << 20)), ("n", NOISE)))[0].bytes == 1 << 20
        assert members(packed(tmp_path / "b.zip", ("a", NOISE * 1_000)))[0].bytes == 3_000_000

    def test_the_limit(self, tmp_path):
        entries = [(f"{n}.csv", os.urandom(10_000)) for n in range(3)]
        path = packed(tmp_path / "a.zip", *entries)
        assert len(members(path, 30_000)) == 3
        with pytest.raises(RefusedError, match=r"more than the limit of 29,999 bytes"):
            members(path, 29_999)

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("data", [b"no archive", b"\0" * 100 + TEXT])
    def test_what_is_no_archive(self, tmp_path, kind, data):
        path = tmp_path / f"a.{kind}"
        path.write_bytes(data)
        with pytest.raises(RefusedError, match=rf"a.{kind} can't be opened as an archive"):
            members(path)

    @pytest.mark.parametrize("kind", ["zip", "tgz"])
    def test_truncations(self, tmp_path, kind):
        """Cut anywhere, an archive is refused or gives the file whole; it never gives a piece of it."""
        path = packed(tmp_path / f"a.{kind}", ("a.csv", NOISE))
        whole = path.read_bytes()
        for end in range(0, len(whole), 17):
            path.write_bytes(whole[:end])
            try:
                (found,) = members(path)
                extract(path, found, tmp_path / "out")
            except RefusedError:
                continue
            assert (tmp_path / "out").read_bytes() == NOISE

    def test_an_encrypted_zip(self, tmp_path):
        path = packed(tmp_path / "a.zip", ("a.csv", TEXT))
        data = bytearray(path.read_bytes())
        for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            data[data.index(mark) + offset] |= 1
        path.write_bytes(data)
        with pytest.raises(RefusedError, match=r"'a.csv' is encrypted"):
            members(path)

    def test_a_zip_that_states_less_than_it_holds(self, tmp_path):
        path = packed(tmp_path / "a.zip", ("a.csv", TEXT))
        data = path.read_bytes().replace(len(TEXT).to_bytes(4, "little"), (100).to_bytes(4, "little"))
        path.write_bytes(data)
        (found,) = members(path)
        assert found.bytes == 100
        with pytest.raises(RefusedError):
            extract(path, found, tmp_path / "out")
