from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers import small_clone as small
from selu.package import archive, clone, crate
from selu.runs import locks
from selu.vocabulary import SeluError


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small.make(tmp_path_factory.mktemp("origin") / "clone")


@pytest.fixture
def root(origin: Path, tmp_path: Path) -> Path:
    """A copy that a test may alter."""
    return shutil.copytree(origin, tmp_path / "clone", symlinks=True)


def start(root: Path, out: Path, **settings: str) -> subprocess.Popen[str]:
    """``selu archive`` in a process of its own."""
    command = [sys.executable, "-m", "selu", "--root", str(root), "archive", "--out", str(out)]
    mask = int(settings.pop("mask", "022"), 8)
    return subprocess.Popen(
        command,
        cwd=out.parent,
        env={**os.environ, **settings},
        umask=mask,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def silent(_line: str) -> None:
    pass


@pytest.mark.ci
def test_the_same_commit_gives_the_same_bytes_from_any_clone_and_machine(origin: Path, tmp_path: Path) -> None:
    place = tmp_path / "elsewhere"
    small.git(tmp_path, "clone", "--quiet", "--config=core.autocrlf=true", str(origin), str(place / "é 1"))
    small.git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{origin}", str(place / "shallow"))
    for path in (place / "shallow").rglob("*.md"):
        os.utime(path, (1, 1))
    builds = [
        start(origin, tmp_path / "a.zip", TZ="UTC", PYTHONHASHSEED="1", LC_ALL="C"),
        start(
            place / "é 1", tmp_path / "b.zip", TZ="Asia/Tokyo", PYTHONHASHSEED="2", mask="077", LC_ALL="C.UTF-8"
        ),
        start(place / "shallow", place / "c.zip", TZ="America/New_York", PYTHONUTF8="0", LANG="tr_TR.UTF-8"),
    ]
    answers = [build.communicate(timeout=120) for build in builds]
    assert [build.returncode for build in builds] == [0, 0, 0], answers
    bytes_ = [path.read_bytes() for path in (tmp_path / "a.zip", tmp_path / "b.zip", place / "c.zip")]
    assert bytes_[0] == bytes_[1] == bytes_[2]
    digest = hashlib.sha256(bytes_[0]).hexdigest()
    assert [out for out, _ in answers] == [
        f"{digest}  {path}\n" for path in (tmp_path / "a.zip", tmp_path / "b.zip", place / "c.zip")
    ]


def test_the_archive_holds_the_commit_and_two_files_more(root: Path, tmp_path: Path) -> None:
    small.write(root / ".venv" / "secret", "ignored by git")
    small.write(root / "data" / "raw" / "rows.csv", "ignored, too")
    small.write(root / ".dvc" / "config.local", "[remote]\n    password = x\n")
    messages: list[str] = []
    path, digest = archive.archive(root, None, messages.append)
    assert [line.partition(":")[0].partition(" ")[0] for line in messages] == [
        "commit",
        "store",
        crate.RECORD,
        "wrote",
    ]
    assert path == root / "build" / f"selu-{small.git(root, 'rev-parse', 'HEAD')[:12]}.zip"
    assert digest == hashlib.sha256(path.read_bytes()).hexdigest()
    tracked = small.git(root, "ls-files", "-z").split("\0")[:-1]
    with zipfile.ZipFile(path) as pack:
        assert pack.testzip() is None
        assert pack.namelist() == sorted([*tracked, crate.RECORD, archive.WITHOUT_GIT], key=str.encode)
        assert {name: pack.read(name) for name in tracked} == {
            name: (root / name).read_bytes() for name in tracked
        }
        assert b"password" not in pack.read(archive.WITHOUT_GIT)
        for entry in pack.infolist():
            assert entry.compress_type == zipfile.ZIP_STORED
            assert entry.date_time == (2020, 2, 3, 4, 5, 6)
            assert entry.external_attr >> 16 == (0o100755 if entry.filename == "bin/run" else 0o100644)
    assert list(path.parent.iterdir()) == [path]  # nothing half-made beside it


@pytest.mark.ci
def test_results_are_pulled_from_an_unpacked_archive_without_git(root: Path, tmp_path: Path) -> None:
    path, _ = archive.archive(root, tmp_path / "a.zip", silent)
    with zipfile.ZipFile(path) as pack:
        pack.extractall(tmp_path / "u")
    assert not (tmp_path / "u" / ".git").exists()
    subprocess.run(
        [sys.executable, "-m", "dvc", "pull", "--quiet"], cwd=tmp_path / "u", check=True, timeout=120
    )
    for name, members in small.RESULTS.items():
        for relative, text in members.items():
            assert (tmp_path / "u" / name / relative).read_bytes() == text.encode()


def committed(change: Callable[[Path], object]) -> Callable[[Path], object]:
    return lambda root: (change(root), small.commit(root))


def an_object(root: Path, result: str) -> Path:
    digest = hashlib.md5((root / result).read_bytes()).hexdigest()
    return root / "store" / "files" / "md5" / digest[:2] / digest[2:]


def submodule(root: Path) -> None:
    small.git(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},part")
    small.git(root, "commit", "--quiet", "--message=x")
    (root / "part").mkdir()


def replace(root: Path, content: bytes | None) -> None:
    """One of git's own objects, with the file in the folder as it was."""
    name = small.git(root, "rev-parse", "HEAD:README.md").strip()
    path = root / ".git" / "objects" / name[:2] / name[2:]
    path.unlink()
    if content is not None:
        path.write_bytes(content)


OBJECT = r"git's object \w{40}, which holds README\.md"
REFUSED = {
    "changed": (
        lambda r: small.write(r / "README.md", "x"),
        r"README\.md differs from the commit at HEAD: commit",
    ),
    "removed": (lambda r: (r / "README.md").unlink(), r"README\.md differs from the commit at HEAD"),
    "staged": (
        lambda r: (small.write(r / "new", "x"), small.git(r, "add", "new")),
        "new differs from the commit",
    ),
    "not tracked": (lambda r: small.write(r / "notes.txt", "x"), r"notes\.txt is not tracked: commit"),
    "two": (
        lambda r: (small.write(r / "a", ""), small.write(r / "b", "")),
        r"a is not tracked \(2 such files in all\)",
    ),
    "result damaged": (
        lambda r: small.write(an_object(r, "reports/s.json"), "{}"),
        "store/files/md5/.* differs",
    ),
    "damaged result committed": (
        committed(lambda r: small.write(an_object(r, "reports/s.json"), "{}")),
        r"^commit \w{12}: store/files/md5/\S+, which holds reports/s\.json, is damaged .*: fix that",
    ),
    "missing result committed": (
        committed(lambda r: an_object(r, "reports/site/index.html").unlink()),
        r"^commit \w{12}: store/files/md5/\S+, which holds reports/site/index\.html, is missing: fix that",
    ),
    "no lock": (committed(lambda r: (r / "dvc.lock").unlink()), r"^commit \w{12}: dvc\.lock is missing: fix"),
    "no clone": (lambda r: shutil.rmtree(r / ".git"), "is not a git clone .*: run this in one"),
    "no commit": (
        lambda r: (shutil.rmtree(r / ".git"), small.git(r, "init", "--quiet")),
        "has no commit to archive",
    ),
    "object of git lost": (lambda r: replace(r, None), rf"{OBJECT}, is missing: make a fresh"),
    "object of git damaged": (
        lambda r: replace(r, b"\0" * 9),
        rf"({OBJECT}, is damaged|the clone \S+ can't be read .*): make a fresh",
    ),
    "object of git replaced": (
        lambda r: replace(r, zlib.compress(b"blob 2\0hi")),
        rf"{OBJECT}, is (damaged|missing): make a fresh",
    ),
    "link": (committed(lambda r: (r / "link").symlink_to("/etc/passwd")), "link is a symbolic link"),
    "submodule": (submodule, "part is a submodule"),
    "own record": (
        committed(lambda r: small.write(r / crate.RECORD, "{}")),
        "json is tracked, but the archive",
    ),
    "no citation": (committed(lambda r: (r / "CITATION.cff").unlink()), r"the commit has no CITATION\.cff"),
    "citation": (
        committed(lambda r: small.write(r / "CITATION.cff", "title: x\n")),
        r"CITATION\.cff has no authors",
    ),
    "not YAML": (committed(lambda r: small.write(r / "CITATION.cff", "a: [\n")), r"CITATION\.cff is not YAML"),
}


@pytest.mark.ci
@pytest.mark.parametrize(("change", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_can_not_be_archived_is_refused_in_one_sentence(
    change: Callable[[Path], object], message: str, root: Path, tmp_path: Path
) -> None:
    change(root)
    (tmp_path / "out").mkdir()
    with pytest.raises(SeluError, match=message) as caught:
        archive.archive(root, tmp_path / "out" / "a.zip", silent)
    assert "\n" not in str(caught.value)
    assert str(tmp_path / "out") not in str(caught.value)  # no path of what was made and is gone
    assert list((tmp_path / "out").iterdir()) == []


def test_a_project_within_the_clone_of_something_else_is_no_clone(root: Path, tmp_path: Path) -> None:
    shutil.rmtree(root / ".git")
    small.git(tmp_path, "init", "--quiet")
    small.commit(tmp_path)
    with pytest.raises(SeluError, match="is not a git clone, but lies in that of"):
        archive.archive(root, None, silent)


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("README.md", "exists already"),
        ("build/broken", "exists already"),
        ("a.zip", "lies in the clone, where git would take it in"),
        (".git/a.zip", "lies in the clone, where git would take it in"),
    ],
)
def test_a_place_that_is_taken_or_not_free_is_refused(out: str, message: str, root: Path) -> None:
    (root / "build").mkdir()
    (root / "build" / "broken").symlink_to("nowhere")
    with pytest.raises(SeluError, match=message):
        archive.archive(root, root / out, silent)


def test_a_secret_of_the_environment_is_found_and_not_shown(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "k" * 40)
    archive.archive(root, tmp_path / "a.zip", silent)
    small.write(root / "notes.md", f"call it with {'k' * 40}\n")
    small.commit(root)
    with pytest.raises(SeluError, match=r"notes\.md holds the value of \$SOME_API_KEY") as caught:
        archive.archive(root, tmp_path / "b.zip", silent)
    assert "kkk" not in str(caught.value)


def test_the_hooks_of_git_do_not_lead_to_another_clone(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.git(tmp_path, "init", "--quiet", "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other" / ".git" / "index"))
    assert len(clone.read_head(root).id) == 40
    clone.check_clean(root)


def test_a_disk_that_refuses_in_the_middle_leaves_nothing(root: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    command = 'ulimit -f 16; exec "$0" -m selu --root "$1" archive --out "$2"'  # files of 8 or 16 KiB at most
    done = subprocess.run(
        ["bash", "-c", command, sys.executable, str(root), str(tmp_path / "out" / "a.zip")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("File too large; nothing is half-written.")
    assert list((tmp_path / "out").iterdir()) == []


def test_what_a_killed_process_left_is_removed_unless_it_still_runs(root: Path, tmp_path: Path) -> None:
    for name in (".a.zip.tmp", ".b.zip.tmp"):
        small.write(tmp_path / name / "commit" / "README.md", "x")
    lock = locks.take(tmp_path / ".a.zip.lock")
    assert lock is not None
    with lock, pytest.raises(SeluError, match="another 'selu archive' writes"):
        archive.archive(root, tmp_path / "a.zip", silent)
    archive.archive(root, tmp_path / "a.zip", silent)
    left = [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
    assert left == [".b.zip.tmp"]


def test_bytes_come_from_git_and_not_from_the_folder(root: Path) -> None:
    """A mark of the index hides a change from git's status; the commit is archived all the same."""
    small.git(root, "update-index", "--assume-unchanged", "LICENSE")
    small.write(root / "LICENSE", "mine\n")
    path, _ = archive.archive(root, None, silent)
    with zipfile.ZipFile(path) as pack:
        assert pack.read("LICENSE") == b"Apache\n"
