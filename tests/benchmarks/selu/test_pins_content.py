"""What the pins promise, held against the real files; facts only, no text, is kept here."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from selu.benchmarks import catalogue
from selu.benchmarks.selu.readers import READERS
from selu.sources import rows, tables
from selu.sources.pins import FormKind, Origin, PinnedFile, Standing, read_pins
from selu.vocabulary import Kind, SeluError

ROOT = Path(__file__).parents[3]
SHARED = ROOT.parent / "shared"
MIRROR = SHARED / "datasets"
TASKS = {task.id: task for task in catalogue.tasks("selu")}
PINS = read_pins(ROOT / "data" / "pins" / "selu")
HAD = [name for name, pin in PINS.items() if pin.standing is not Standing.ABSENT]
EQUAL = [name for name, pin in PINS.items() if pin.standing is Standing.EQUAL]
PACKAGE_NAMES = {"commit_intention": "commit_intent"}  # as the authors' files call them

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


def counts(labels: list[Any], task: str) -> list[int]:
    """How often each label occurs, in index order."""
    if TASKS[task].kind is Kind.MULTI_LABEL:
        return [sum(column) for column in zip(*labels, strict=True)]
    found = Counter(labels)
    return [found[index] for index in range(len(TASKS[task].labels))]


class TestPins:
    def test_each_task_has_one(self) -> None:
        assert set(PINS) == set(TASKS)
        assert Counter(pin.standing.value for pin in PINS.values()) == {"equal": 13, "partial": 3, "absent": 6}

    def test_tried_in_this_order(self) -> None:
        for name, pin in PINS.items():
            names = [origin.name for origin in pin.origins]
            assert names in (["package"], ["mirror", "package"], ["mirror", "package", "original"]), name
            features = name == "question_quality"  # its features are open, its text is not
            assert (names[0] == "mirror") == (pin.standing is not Standing.ABSENT or features)

    def test_equal_and_absent_ones_have_the_papers_rows_and_all_deviations_are_told(self) -> None:
        for name, pin in PINS.items():
            whole = TASKS[name].instances
            assert pin.rows is not None
            assert (pin.rows == whole) if pin.standing is not Standing.PARTIAL else (pin.rows < whole)
            assert (pin.table is None) == (pin.standing is Standing.ABSENT)
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
class TestBytes:
    def test_mirror_files_equal_the_manifest_and_the_disk(self) -> None:
        manifest = {line["file"]: line for line in lines(MIRROR / "MANIFEST.csv")}
        mirrored = [pin.origins[0] for pin in PINS.values() if pin.origins[0].name == "mirror"]
        files = [file for origin in mirrored for file in origin.files]
        assert (len(mirrored), len(files)) == (17, 53)
        for file in files:
            line = manifest[file.path]
            assert (file.sha256, str(file.bytes)) == (line["sha256"], line["bytes"])
            data = (MIRROR / file.path).read_bytes()
            assert (hashlib.sha256(data).hexdigest(), len(data)) == (file.sha256, file.bytes)

    def test_originals_come_from_the_manifests_repository_commit_and_path(self) -> None:
        manifest = {
            (line["source_repo"], line["source_commit"], line["source_path"])
            for line in lines(MIRROR / "MANIFEST.csv")
        }
        for name in HAD:
            for origin in PINS[name].origins:
                if origin.name == "original" and name != "issue_intention":  # its 35 files stand there as one
                    for file in origin.files:
                        assert (file.repository, file.commit, file.path) in manifest

    def test_package_files_equal_the_published_pins(self) -> None:
        published = {
            line["task"]: line
            for line in lines(SHARED / "published" / "selu" / "dataset_pins.csv")
            if line["stage"] == "raw"
        }
        assert len(published) == 22
        for name, pin in PINS.items():
            (file,) = pin.origin("package").files
            line = published[PACKAGE_NAMES.get(name, name)]
            assert (file.path, file.sha256, str(file.bytes)) == (line["path"], line["sha256"], line["bytes"])


@real
class TestRows:
    @pytest.mark.parametrize("task", HAD)
    def test_number_and_hash_are_the_pinned_ones(self, task: str) -> None:
        assert rows.rows_equal(PINS[task], table(task), PINS[task].origin("mirror")) == PINS[task].table

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

    @pytest.mark.parametrize("task", HAD)
    def test_golden_records(self, task: str) -> None:
        """Number of rows, and the first, ninth and last by the start of the sha256 of their canonical line."""
        golden = json.loads((ROOT / "tests" / "golden" / "selu_rows.json").read_text("utf-8"))
        found = [hashlib.sha256(line).hexdigest()[:16] for line in rows.lines(table(task))]
        ids = table(task)["id"]
        assert golden[task] == {
            "rows": len(found),
            "ids": [ids.iloc[0], ids.iloc[8], ids.iloc[-1]],
            "records": [found[0], found[8], found[-1]],
        }

    @pytest.mark.parametrize(
        "task", [name for name in HAD if not name.startswith(("tone_", "commit_", "requirement_c"))]
    )
    def test_ids_are_positions(self, task: str) -> None:
        assert table(task)["id"].tolist() == [f"p{number:06d}" for number in range(len(table(task)))]

    def test_ids_of_tone_bearing_are_the_published_positions_where_they_are_known(self) -> None:
        known = [*range(1495), *range(5893, 6597)]
        expected = [f"p{number:06d}" for number in known] + [f"x{number:06d}" for number in range(423)]
        assert table("tone_bearing")["id"].tolist() == expected


LABELS = {
    "functional_requirement": [378, 578],
    "quality_requirement": [434, 522],
    "security_requirement": [323, 187],
    "incivility": [1079, 467],
    "tone_bearing": [1750, 872],
    "commit_intention": [529, 622, 479],
    "issue_intention": [852, 723, 1495, 1226, 398, 932, 749],
    "sentiment": [3104, 6848, 3192],
    "smell_doc": [232, 250, 246, 141, 275],
    "comment_type_java": [4502, 312, 611, 2524, 1088, 132, 379],
    "comment_type_pharo": [221, 666, 297, 50, 181, 257, 86],
    "comment_type_python": [699, 700, 251, 407, 429],
}


@real
class TestLabels:
    @pytest.mark.parametrize("task", LABELS)
    def test_counts_are_those_of_the_data_readme(self, task: str) -> None:
        assert counts(table(task)["label"].tolist(), task) == LABELS[task]

    def test_question_quality_has_labels_but_no_text(self) -> None:
        origin = PINS["question_quality"].origin("mirror")
        raw = {file.name: tables.read(MIRROR / file.path, file.form) for file in origin.files}
        assert [len(part) for part in raw.values()] == [45000, 15000]
        found = Counter(label for part in raw.values() if isinstance(part, pd.DataFrame) for label in part["Y"])
        assert found == {label.name: 20000 for label in TASKS["question_quality"].labels}
        with pytest.raises(SeluError, match="no text: keep the task among the synthetic ones"):
            READERS[origin.reader](raw, TASKS["question_quality"])

    def test_rows_of_smell_doc_without_a_label(self) -> None:
        assert sum(not any(label) for label in table("smell_doc")["label"]) == 222

    def test_story_points(self) -> None:
        points = table("story_points")["label"]
        assert (points.min(), points.max(), points.nunique(), round(points.mean(), 1)) == (1, 100, 80, 6.2)
        empty = sum(
            line["description"] in ("", "NULL")
            for file in PINS["story_points"].origin("mirror").files
            for line in lines(MIRROR / file.path)
        )
        assert empty == 2231

    def test_posts_per_file_and_types_of_se_entities(self) -> None:
        files = Counter(source.partition(".")[0] for source in table("se_entities")["source"])
        assert files == {"train": 1625, "dev": 533, "test": 560}
        types = {tag[2:] for tags in table("se_entities")["label"] for tag in tags if tag != "O"}
        assert types == {label.name for label in TASKS["se_entities"].labels}

    def test_words_and_verbs_of_requirement_completion(self) -> None:
        found = table("requirement_completion")["label"]
        assert len(found) == 12
        assert sum(map(len, found)) == 77878
        assert sum(tags.count("VERB") for tags in found) == 7772


def split_file(task: str) -> Path:
    new = SHARED / "published" / "selu" / "splits" / f"{task}.csv.gz"
    old = (MIRROR / "selu" / "published_splits").glob(f"{PACKAGE_NAMES.get(task, task)}.*")
    return new if new.is_file() else next(old)


def held_out(task: str) -> list[bool]:
    """Which rows of the published split are test rows (value 2)."""
    return [line["fold_1"] == "2" for line in lines(split_file(task))]


@cache
def published_counts(task: str) -> set[tuple[tuple[int, int], ...] | tuple[int, ...]]:
    """Row sums of every published confusion matrix of the task; per label (absent, present) for multi-label.

    Systems that left rows without an answer (text generation) are not among them.
    """
    name = PACKAGE_NAMES.get(task, task)
    sums: dict[tuple[str, ...], Counter[tuple[int, ...]]] = {}
    for line in lines(MIRROR / "selu" / "published_results.csv.gz"):
        if line["task"] == name and line["split"] == "test" and line["approach"] != "text_generation":
            add(sums.setdefault((line["approach"], line["model"], line["run"]), Counter()), line)
    for line in lines(SHARED / "published" / "selu" / "baselines.csv"):
        if line["task"] == name:
            add(sums.setdefault((line["baseline"],), Counter()), line)
    found: set[Any] = set()
    for matrix in filter(None, sums.values()):
        if TASKS[task].kind is Kind.MULTI_LABEL:
            found.add(tuple((matrix[index, 0], matrix[index, 1]) for index in range(len(TASKS[task].labels))))
        else:
            found.add(tuple(matrix[(index,)] for index in range(len(TASKS[task].labels))))
    return found


def add(sums: Counter[tuple[int, ...]], line: dict[str, str]) -> None:
    if line["metric"].startswith(("confusion_matrix[", "confusion_matrices[")):
        places = [int(part) for part in line["metric"].rstrip("]").partition("[")[2].split("][")]
        sums[tuple(places[:-1])] += int(float(line["value"]))


@real
class TestPublishedSplits:
    balanced = (
        "incivility",
        "security_requirement",
        "functional_requirement",
        "quality_requirement",
        "issue_intention",
        "sentiment",
        "tone_bearing",
    )
    comments = ("comment_type_java", "comment_type_pharo", "comment_type_python")
    exact = (*balanced[:-1], *comments, "smell_doc", "review_aspect")

    @pytest.mark.parametrize("task", exact)
    def test_class_counts_of_the_test_rows_are_the_published_ones(self, task: str) -> None:
        test = held_out(task)
        assert len(test) == len(table(task))
        labels = [label for label, out in zip(table(task)["label"], test, strict=True) if out]
        found: tuple[Any, ...] = tuple(counts(labels, task))
        if TASKS[task].kind is Kind.MULTI_LABEL:
            found = tuple((len(labels) - present, present) for present in found)
        assert published_counts(task) == {found}

    @pytest.mark.parametrize("task", balanced)
    def test_classes_of_the_published_folds_balance(self, task: str) -> None:
        """Stratified folds have each class to within one row, and only in the order they were drawn from."""
        labels = dict(zip(table(task)["id"].tolist(), table(task)["label"].tolist(), strict=True))
        folds = [counts([], task) for _ in range(10)]
        for position, line in enumerate(lines(split_file(task))):
            for fold, value in enumerate(line.values()):
                # tone_bearing: the positions that are not to be had are all technical
                folds[fold][labels.get(f"p{position:06d}", 0)] += value == "0"
        used = [fold for fold in folds if any(fold)]
        assert len(used) in (5, 10)
        assert all(max(column) - min(column) <= 1 for column in zip(*used, strict=True))

    def test_story_points_have_as_many_rows_as_their_split(self) -> None:
        assert len(held_out("story_points")) == len(table("story_points"))

    def test_known_positions_of_tone_bearing_lie_in_its_split(self) -> None:
        assert len(held_out("tone_bearing")) == TASKS["tone_bearing"].instances


@real
@pytest.mark.parametrize("task", HAD)
def test_a_changed_set_is_refused(task: str) -> None:
    """One row less, or one letter more, is named with both numbers or both hashes."""
    pin, good = PINS[task], table(task)
    with pytest.raises(SeluError, match=f"{len(good) - 1} rows were read where the pin says {len(good)}"):
        rows.rows_equal(pin, good.iloc[:-1])
    column = rows.columns(TASKS[task])[1]
    changed = good.copy()
    last = changed[column].iloc[-1]
    changed[column] = pd.Series(
        [*changed[column].iloc[:-1], [*last, "x"] if isinstance(last, list) else f"{last}x"]
    )
    with pytest.raises(SeluError, match=f"where the pin says {pin.table}"):
        rows.rows_equal(pin, changed)
