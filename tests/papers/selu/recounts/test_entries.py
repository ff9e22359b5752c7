"""Which published scores follow from the authors' counts, and what becomes of a file that deviates."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from selu.metrics.percentiles import Resampling
from selu.papers.pinned import Pinned
from selu.papers.selu.recounts import entries
from selu.vocabulary import Metric, SeluError


def result(matrix: list[list[int]], f1: list[float], macro: float) -> dict[str, object]:
    return {"eval_confusion_matrix": matrix, "eval_f1_None": f1, "eval_f1_macro": macro}


FILES = {
    "v3/a.json": result([[3, 1], [0, 4]], [6 / 7, 8 / 9], 55 / 63),
    "v4/a.json": result([[4, 0], [1, 3]], [8 / 9, 6 / 7], 0.9),
    "v3/b.json": result([[2, 1], [0, 4]], [0.8, 8 / 9], 38 / 45),
}


def evidence(folder: Path, tracked: list[dict[str, object]] | None = None) -> SimpleNamespace:
    """A stand-in for the report's evidence: pins, copies and what is tracked."""
    return SimpleNamespace(
        pins=lambda: folder / "pins",
        copies=lambda: (folder / "copies",),
        read=lambda *_args, **_options: tracked,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Result files with their pins."""
    (tmp_path / "pins").mkdir()
    rows = []
    for path, content in FILES.items():
        place = tmp_path / "copies" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(content))
        sha256 = hashlib.sha256(place.read_bytes()).hexdigest()
        rows.append(("t", path[3], path, sha256, place.stat().st_size, "o/n", "c", path))
    with (tmp_path / "pins" / entries.PINS).open("w", newline="") as file:
        csv.writer(file).writerows([tuple(Pinned.__dataclass_fields__), *rows])
    return tmp_path


def material(**published: str) -> SimpleNamespace:
    cells = [SimpleNamespace(task="t", system=name, published=text) for name, text in published.items()]
    return SimpleNamespace(cells=cells, task=lambda _id: SimpleNamespace(metric=Metric.F1_MACRO))


def test_the_version_that_reads_as_published_is_taken(folder):
    files = entries.collect(evidence(folder), lambda _: None)
    first, second = entries.recounted(
        material(a="0.873", b="0.9"), files, {"t": [4, 4]}, Resampling(200, 1, 0.95)
    )
    assert (first["path"], first["equal"]) == ("v4/a.json", True)  # the newest of two that read alike
    assert first["findings"] == ["The file's own f1_macro does not follow from its counts."]
    assert first["low"] is not None
    assert first["high"] is not None
    assert first["low"] < first["value"] < first["high"]
    assert not second["equal"]
    assert second["findings"] == ["The file counts 7 rows; the test part has 8."]


def test_a_file_with_other_bytes_is_named_and_keeps_what_is_tracked(folder):
    """One damaged copy must not take away the checks of the other files, nor its own."""
    tracked = entries.collect(evidence(folder), lambda _: None)
    (folder / "copies" / "v3" / "b.json").write_text("{}")
    lines: list[str] = []
    assert entries.collect(evidence(folder, tracked), lines.append) == tracked
    assert any("b.json does not have the pinned bytes" in line for line in lines)
    assert [file["path"] for file in entries.collect(evidence(folder), lines.append)] == [
        "v3/a.json",
        "v4/a.json",
    ]


def test_counts_that_cannot_be_leave_only_their_score_as_published(folder):
    place, pins = folder / "copies" / "v3" / "b.json", folder / "pins" / entries.PINS
    place.write_text(json.dumps({"eval_confusion_matrix": [[2, 1]]}))
    header, *rows = csv.reader(pins.read_text().splitlines())
    rows[-1][3:5] = [hashlib.sha256(place.read_bytes()).hexdigest(), str(place.stat().st_size)]
    with pins.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    lines: list[str] = []
    files = entries.collect(evidence(folder), lines.append)
    assert {found["system"] for found in files} == {"a"}
    assert any("v3/b.json: confusion_matrix is not square" in line for line in lines)


def test_nothing_here_is_said_once(folder):
    empty = SimpleNamespace(pins=lambda: folder / "pins", copies=lambda: (), read=lambda *_a, **_k: None)
    with pytest.raises(SeluError, match=r"is not available here: 'selu fetch result_files' brings it"):
        entries.collect(empty, lambda _: None)
