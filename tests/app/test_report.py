"""``selu report`` of parts that a benchmark declares."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from selu import registry
from selu.app import report, rescore
from selu.benchmarks.api import Benchmark
from selu.benchmarks.evidence import Part
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


def test_a_part_is_told_and_its_files_are_written(tmp_path: Path, files: dict[str, str]) -> None:
    files |= {"a.json": "1", "deep/b.csv": "2"}
    said: list[str] = []
    paths = report.make(tmp_path, "one", None, said.append, "toy")
    assert paths == [tmp_path / "reports" / "toy" / name for name in files]
    assert [path.read_text() for path in paths] == ["1", "2"]
    assert said == ["one: of a toy"]


@pytest.mark.parametrize("name", ["../a.json", "deep/../../a.json", "/tmp/a.json", "..", "", "..\\a.json"])
def test_a_part_writes_nowhere_else(tmp_path: Path, files: dict[str, str], name: str) -> None:
    files |= {"fine.json": "1", name: "2"}
    with pytest.raises(SeluError) as refused:
        report.make(tmp_path, "one", None, lambda _: None, "toy")
    assert str(refused.value).startswith(f"the part one of toy made the file {name!r}, which leads out of ")
    assert not list(tmp_path.iterdir())


def test_what_a_benchmark_does_not_have_is_refused(tmp_path: Path, files: dict[str, str]) -> None:
    with pytest.raises(SeluError, match="there is no part of the report 'two'"):
        report.make(tmp_path, "two", None, lambda _: None, "toy")
    with pytest.raises(SeluError, match="toy has no published predictions"):
        rescore.rescore(tmp_path, "toy")
