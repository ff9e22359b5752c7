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


def zipped(
    path: Path, *entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED
) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return path


def tarred(path: Path, *entries: tuple[str | tarfile.TarInfo, bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:
        for name, data in entries:
            info = tarfile.TarInfo(name) if isinstance(name, str) else name
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


class TestGunzip:
    @pytest.mark.parametrize("parts", [1, 3])
    @pytest.mark.parametrize("data", [b"", TEXT, random.Random(3).randbytes(3_000_000)])
    def test_one_member_or_several_are_one_content(self, tmp_path, data, parts):
        path = tmp_path / "a.gz"
        path.write_bytes(gzip.compress(data) * parts)
        assert gunzip(path) == data * parts

    def test_every_truncation(self, tmp_path):
        path, whole = tmp_path / "a.gz", gzip.compress(TEXT)
        for end in range(len(whole)):
            path.write_bytes(whole[:end])
            with pytest.raises(RefusedError, match=r"a.gz is (cut short|not whole gzip data)"):
                gunzip(path)

    def test_every_flipped_byte_of_the_content_and_checksum(self, tmp_path):
        path, whole = tmp_path / "a.gz", gzip.compress(TEXT, mtime=0)
        for place in range(10, len(whole)):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            with pytest.raises(RefusedError):
                gunzip(path)

    BEHIND = (b"x", b"\x1f\x8b", b"\x1f\x8bxxxx", TEXT)

    @pytest.mark.parametrize(
        "data", [b"", b"plain text", b"PK\x03\x04", *(gzip.compress(TEXT) + more for more in BEHIND)]
    )
    def test_what_is_not_gzip_or_goes_on_behind_its_end(self, tmp_path, data):
        path = tmp_path / "a.gz"
        path.write_bytes(data)
        with pytest.raises(RefusedError, match=r"a.gz"):
            gunzip(path)

    def test_the_limit(self, tmp_path):
        path = tmp_path / "a.gz"
        path.write_bytes(gzip.compress(TEXT))
        assert gunzip(path, len(TEXT)) == TEXT
        with pytest.raises(RefusedError, match=r"a.gz unpacks to more than the limit of 16,999 bytes"):
            gunzip(path, len(TEXT) - 1)

    def test_a_bomb(self, tmp_path):
        """20 MB of zeros are 1/1030 packed; refused without unpacking all of it."""
        path = tmp_path / "a.gz"
        path.write_bytes(gzip.compress(bytes(20_000_000)))
        with pytest.raises(RefusedError, match=r"a.gz unpacks to more than 1,000 times its size"):
            gunzip(path)


class TestMembers:
    def test_zip(self, tmp_path):
        path = zipped(tmp_path / "a.zip", ("x/", b""), ("x/a.csv", TEXT), ("./b.csv", b"b"))
        listed = members(path)
        assert listed == (Member("x/a.csv", len(TEXT)), Member("./b.csv", 1))
        extract(path, listed[0], tmp_path / "out")
        assert (tmp_path / "out").read_bytes() == TEXT

    @pytest.mark.parametrize(("ending", "mode"), [(".tar", "w"), (".tgz", "w:gz"), (".tar.xz", "w:xz")])
    def test_tar(self, tmp_path, ending, mode):
        folder = tarfile.TarInfo("x")
        folder.type = tarfile.DIRTYPE
        path = tarred(tmp_path / f"a{ending}", (folder, b""), ("x/a.csv", TEXT), mode=mode)
        listed = members(path)
        assert listed == (Member("x/a.csv", len(TEXT)),)
        extract(path, listed[0], tmp_path / "out")
        assert (tmp_path / "out").read_bytes() == TEXT

    @pytest.mark.parametrize("name", ["../a", "x/../../a", "/a", "C:/a", "x\\..\\a", "a\nb", "x//a", "\u202ea"])
    @pytest.mark.parametrize("kind", ["zip", "tar"])
    def test_a_path_outside(self, tmp_path, name, kind):
        entries = ("good.csv", TEXT), (name, TEXT)
        path = (
            zipped(tmp_path / "a.zip", *entries) if kind == "zip" else tarred(tmp_path / "a.tar.gz", *entries)
        )
        with pytest.raises(RefusedError, match=r"is not a path inside it"):
            members(path)

    @pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
    def test_a_link_or_device_in_a_tar(self, tmp_path, kind):
        info = tarfile.TarInfo("a.csv")
        info.type, info.linkname = kind, "/etc/passwd"
        with pytest.raises(RefusedError, match=r"'a.csv' is a link or a device"):
            members(tarred(tmp_path / "a.tar", (info, b""), mode="w"))

    def test_a_link_in_a_zip(self, tmp_path):
        info = zipfile.ZipInfo("a.csv")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        with pytest.raises(RefusedError, match=r"'a.csv' is a link or a device"):
            members(zipped(tmp_path / "a.zip", (info, b"/etc/passwd")))

    @pytest.mark.parametrize("again", ["a.csv", "A.CSV", "./a.csv"])
    @pytest.mark.filterwarnings("ignore:Duplicate name")
    def test_one_path_twice(self, tmp_path, again):
        with pytest.raises(RefusedError, match="is in it twice"):
            members(zipped(tmp_path / "a.zip", ("a.csv", TEXT), (again, TEXT)))
        with pytest.raises(RefusedError, match="is in it twice"):
            members(tarred(tmp_path / "a.tar", ("a.csv", TEXT), (again, TEXT), mode="w"))

    @pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_DEFLATED])
    def test_a_zip_bomb(self, tmp_path, method):
        """10 MB of zeros: 1 to 1,000,000 (bzip2), 1 to 7,000 (lzma), 1 to 1,030 (deflate)."""
        with pytest.raises(RefusedError, match=r"a.zip unpacks to more than 1,000 times its size"):
            members(zipped(tmp_path / "a.zip", ("a.csv", bytes(10_000_000)), method=method))

    def test_a_zip_bomb_beside_much_that_is_none(self, tmp_path):
        noise = random.Random(1).randbytes(200_000)
        path = zipped(tmp_path / "a.zip", ("n", noise), ("a", bytes(5_000_000)), method=zipfile.ZIP_LZMA)
        with pytest.raises(RefusedError, match=r"1,000 times its size"):
            members(path)

    @pytest.mark.parametrize("mode", ["w:gz", "w:xz", "w:bz2"])
    def test_a_tar_bomb(self, tmp_path, mode):
        path = tmp_path / f"a.tar.{mode[2:]}"
        tarred(path, ("a.csv", bytes(10_000_000)), mode=mode)
        with pytest.raises(RefusedError, match=r"unpacks to more than 1,000 times its size"):
            members(path)

    def test_the_limit(self, tmp_path):
        entries = [(f"{n}.csv", os.urandom(10_000)) for n in range(3)]
        path = zipped(tmp_path / "a.zip", *entries)
        assert len(members(path, 30_000)) == 3
        with pytest.raises(RefusedError, match=r"more than the limit of 29,999 bytes"):
            members(path, 29_999)

    @pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tar.gz", "a.tar.xz", "a.tar.bz2"])
    @pytest.mark.parametrize("data", [b"no archive", b"\0" * 100 + TEXT])
    def test_what_is_no_archive(self, tmp_path, name, data):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(RefusedError, match=rf"{name} can't be opened as an archive"):
            members(path)

    @pytest.mark.parametrize("kind", ["zip", "tar.gz"])
    def test_truncations(self, tmp_path, kind):
        """Cut anywhere, an archive is refused or gives the file whole; it never gives a piece of it."""
        data = random.Random(2).randbytes(3_000)
        path = (zipped if kind == "zip" else tarred)(tmp_path / f"a.{kind}", ("a.csv", data))
        whole = path.read_bytes()
        for end in range(0, len(whole), 17):
            path.write_bytes(whole[:end])
            try:
                (found,) = members(path)
                extract(path, found, tmp_path / "out")
            except RefusedError:
                continue
            assert (tmp_path / "out").read_bytes() == data

    def test_an_encrypted_zip(self, tmp_path):
        path = zipped(tmp_path / "a.zip", ("a.csv", TEXT))
        data = bytearray(path.read_bytes())
        for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            data[data.index(mark) + offset] |= 1
        path.write_bytes(data)
        with pytest.raises(RefusedError, match=r"'a.csv' is encrypted"):
            members(path)

    def test_a_zip_that_states_less_than_it_holds(self, tmp_path):
        path = zipped(tmp_path / "a.zip", ("a.csv", TEXT))
        data = path.read_bytes().replace(len(TEXT).to_bytes(4, "little"), (100).to_bytes(4, "little"))
        path.write_bytes(data)
        (found,) = members(path)
        assert found.bytes == 100
        with pytest.raises(RefusedError):
            extract(path, found, tmp_path / "out")
