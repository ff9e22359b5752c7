"""``selu report`` of parts that a benchmark declares."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from selu import registry
from selu.app import report, rescore
from selu.papers.api import Benchmark
from selu.papers.evidence import Part
from selu.registry import Found
from selu.vocabulary import SeluError


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What the only part of a benchmark of its own makes, by file."""
    made: dict[str, str] = {}

    class Toy(Benchmark):
        def parts(self) -> Mapping[str, Part]:
            return {"one": Part(lambda *_: made, "one: of a toy")}

    toy = Toy("toy", "Toy", "", "T")
    monkeypatch.setattr(registry, "find", lambda: Found({"toy": toy}, {}))
    return made


def test_a_claim_of_a_shape_names_no_lambda() -> None:
    assert not [place for place in report._places(registry.benchmark("coir")).values() if "lambda" in place]


def test_each_part_is_told_and_its_files_are_written(tmp_path: Path, files: dict[str, str]) -> None:
    files |= {"a.json": "1", "deep/b.csv": "2"}
    messages: list[str] = []
    paths = [*report.make(tmp_path, ["one", "one"], messages.append, "toy")]
    assert paths == [tmp_path / "reports" / "toy" / name for name in files] * 2
    assert [path.read_text() for path in paths] == ["1", "2"] * 2
    assert messages == ["one: of a toy"] * 2


@pytest.mark.parametrize("name", ["../a.json", "deep/../../a.json", "/tmp/a.json", "..", "", "..\\a.json"])
def test_a_part_writes_nowhere_else(tmp_path: Path, files: dict[str, str], name: str) -> None:
    files |= {"fine.json": "1", name: "2"}
    with pytest.raises(SeluError) as refused:
        list(report.make(tmp_path, ["one"], lambda _: None, "toy"))
    assert str(refused.value).startswith(f"the part one of toy made the file {name!r}, which points outside ")
    assert not list(tmp_path.iterdir())


def test_what_a_benchmark_does_not_have_is_refused(tmp_path: Path, files: dict[str, str]) -> None:
    with pytest.raises(SeluError, match="there is no part of the report 'two'"):
        list(report.make(tmp_path, ["one", "two"], lambda _: None, "toy"))
    with pytest.raises(SeluError, match="takes the name of one notebook"):
        list(report.make(tmp_path, ["one", "notebook", "table1"], lambda _: None, "toy"))
    assert not list(tmp_path.iterdir())
    with pytest.raises(SeluError, match="toy has no published predictions"):
        rescore.rescore(tmp_path, "toy")


@pytest.mark.slow
def test_a_disk_that_fills_while_the_site_is_written_leaves_the_old_site(root: Path, tmp_path: Path) -> None:
    for folder, left_out in ((root, "reports"), (root / "reports", "site")):
        here = tmp_path / folder.relative_to(root)
        here.mkdir(exist_ok=True)
        for path in folder.iterdir():
            if path.name not in (left_out, ".git"):
                (here / path.name).symlink_to(path)
    old = {"index.html": "old", "assets/site.css": "old", "gone.html": "old"}
    site = tmp_path / "reports" / "site"
    for name, content in old.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(content)

    def fill() -> None:  # a write that goes on after so many bytes fails, as on a full disk
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    done = subprocess.run(
        [sys.executable, "-m", "selu", "report", "site"],
        cwd=tmp_path,
        preexec_fn=fill,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr.strip().endswith("File too large; nothing is half-written.")) == (
        2,
        True,
    )
    files = {path.relative_to(site).as_posix(): path for path in site.rglob("*") if path.is_file()}
    assert {name: path.read_text() for name, path in files.items()} == old
    assert sorted(path.name for path in site.parent.glob(".*")) == []


CITED = "title: t\nauthors: [{name: n}]\nlicense: Apache-2.0\nversion: 1\n"


def test_the_repository_is_what_a_fork_fills_in(tmp_path: Path) -> None:
    assert report.repository_of(tmp_path) == ""
    for line, found in (("", ""), ("repository-code: https://example.org/a/\n", "https://example.org/a")):
        (tmp_path / "CITATION.cff").write_text(CITED + line)
        assert report.repository_of(tmp_path) == found
    (tmp_path / "CITATION.cff").write_text(CITED + "repository-code: javascript:alert(1)\n")
    with pytest.raises(SeluError, match="does not begin with https://"):
        report.repository_of(tmp_path)
