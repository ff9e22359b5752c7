"""What the pins promise, held against the real files; facts only, no text, is kept here."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from selu import registry
from selu.papers.selu.readers import READERS
from selu.sources import rows, tables
from selu.sources.pins import Availability, FormKind, Origin, PinnedFile, read_pins
from selu.vocabulary import SeluError

ROOT = Path(__file__).parents[3]
SHARED = ROOT.parent / "shared"
MIRROR = SHARED / "datasets"
TASKS = {task.id: task for task in registry.tasks("selu")}
PINS = read_pins(ROOT / "data" / "pins" / "selu")
HAD = [name for name, pin in PINS.items() if pin.availability is not Availability.ABSENT]
EQUAL = [name for name, pin in PINS.items() if pin.availability is Availability.EQUAL]

real = pytest.mark.skipif(not MIRROR.is_dir(), reason="the real files (../shared/datasets) are not here")


@cache
def table(task: str, name: str = "mirror") -> pd.DataFrame:
    origin = PINS[task].origin(name)
    raw = {file.name: tables.read(place(origin, file), file.form) for file in origin.files}
    return rows.check(READERS[origin.reader](raw, TASKS[task]), TASKS[task])


def place(origin: Origin, file: PinnedFile) -> Path:
    """Where a file lies in the mirror; upstream files are found there by their content."""
    if origin.name == "mirror":
        return MIRROR / file.path
    assert file.sha256 is not None
    return by_content()[file.sha256]


@cache
def by_content() -> dict[str, Path]:
    """sha256 -> file of the mirror, for the file itself and for what it unpacks to."""
    found: dict[str, Path] = {}
    for path in sorted(MIRROR.glob("selu/*/*")) + sorted(MIRROR.glob("nlbse24/*/*")):
        data = path.read_bytes()
        found[hashlib.sha256(data).hexdigest()] = path
        if path.suffix == ".gz":
            found[hashlib.sha256(gzip.decompress(data)).hexdigest()] = path
    return found


def lines(path: Path) -> Iterator[dict[str, str]]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return csv.DictReader(io.StringIO(data.decode(), newline=""))


class TestPins:
    def test_each_task_has_one(self) -> None:
        assert set(PINS) == set(TASKS)
        assert Counter(pin.availability.value for pin in PINS.values()) == {
            "equal": 13,
            "partial": 3,
            "absent": 6,
        }

    def test_tried_in_this_order(self) -> None:
        for name, pin in PINS.items():
            names = [origin.name for origin in pin.origins if origin.name != "mirror-texts"]
            known = (["package"], ["mirror", "package"], ["mirror", "package", "original"])
            assert [each for each in names if each != "clones"] in known, name
            features = name == "question_quality"  # its features are open, its text is not
            assert (names[0] == "mirror") == (pin.availability is not Availability.ABSENT or features)

    def test_equal_and_absent_ones_have_the_papers_rows_and_all_deviations_are_told(self) -> None:
        for name, pin in PINS.items():
            whole = TASKS[name].instances
            assert pin.rows is not None
            assert (pin.rows == whole) if pin.availability is not Availability.PARTIAL else (pin.rows < whole)
            assert (pin.table is None) == (pin.availability is Availability.ABSENT)
            assert pin.deviations, name

    def test_no_package_hash_is_claimed_and_pickles_are_those_of_the_token_tasks(self) -> None:
        for name, pin in PINS.items():
            package = pin.origin("package")
            assert package.table is None
            assert bool(package.pickles) == (TASKS[name].kind in rows.TOKEN_KINDS)
            assert all(file.lfs for file in package.files)

    def test_the_first_pickle_says_where_to_go(self) -> None:
        for name in ("se_entities", "requirement_completion"):
            (file,) = PINS[name].origin("package").files
            assert file.form.kind is FormKind.PICKLE
            with pytest.raises(SeluError, match=f"use {file.form.safe.split()[0]}"):  # type: ignore[union-attr]
                tables.read(Path(file.name), file.form)


@real
class TestRows:
    @pytest.mark.ci
    @pytest.mark.parametrize(
        "task", [name for name in EQUAL if all(file.sha256 for file in PINS[name].origins[-1].files)]
    )
    def test_the_upstream_files_give_the_same_rows(self, task: str) -> None:
        origin = PINS[task].origin("original")
        assert rows.rows_equal(PINS[task], table(task, "original"), origin) == PINS[task].table

    def test_issue_intention_as_35_files_gives_the_same_rows(self) -> None:
        origin = PINS["issue_intention"].origin("original")
        mirrored = list(lines(MIRROR / "selu" / "issue_intention" / "issue_intention.csv.gz"))
        raw: dict[str, pd.DataFrame | list[str]] = {
            file.name: [
                line["text"] for line in mirrored if f"{line['project']} {line['label']}.txt" == file.name
            ]
            for file in origin.files
        }
        found = READERS[origin.reader](raw, TASKS["issue_intention"])
        differ = [a != b for a, b in zip(found["text"], table("issue_intention")["text"], strict=True)]
        assert sum(differ) == 1  # the row whose foreign bytes the mirror has as U+FFFD
        assert found["label"].tolist() == table("issue_intention")["label"].tolist()

    def test_question_quality_has_labels_but_no_text(self) -> None:
        origin = PINS["question_quality"].origin("mirror")
        raw = {file.name: tables.read(MIRROR / file.path, file.form) for file in origin.files}
        assert [len(part) for part in raw.values()] == [45000, 15000]
        found = Counter(label for part in raw.values() if isinstance(part, pd.DataFrame) for label in part["Y"])
        assert found == {label.name: 20000 for label in TASKS["question_quality"].labels}
        with pytest.raises(SeluError, match="no text: keep the task among the synthetic ones"):
            READERS[origin.reader](raw, TASKS["question_quality"])
