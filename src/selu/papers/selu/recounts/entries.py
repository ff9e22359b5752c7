"""Each published score beside the one that follows from the counts of the authors' result files."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, cast

import numpy as np

from selu.papers.pinned import Pinned, obtain, read_pins
from selu.papers.selu.records.reruns import CountedFile, RecountedCell
from selu.papers.selu.recounts.counts import Labels, Matrix, usual
from selu.papers.selu.recounts.files import contradictions, epoch_of, read_counts
from selu.stats.rounding import to_digits
from selu.vocabulary import CellState, CellVerdict, Evidence, Metric, SeluError

if TYPE_CHECKING:
    from selu.metrics.percentiles import Resampling
    from selu.papers.evidence import Evidence as ReportEvidence
    from selu.papers.evidence import Progress
    from selu.papers.selu.material import Material
    from selu.papers.selu.records.reruns import LabelCounts
    from selu.splits.record import DataRecord

PINS = "result_files.csv"
REMEDY = "'selu fetch result_files' brings it, or name a folder with it in SELU_PREDICTIONS"
DIGITS = 3  # of Table VI
WHOLE = ("equal", "package")  # of a task whose rows here are the paper's
FIELDS = ("task", "system", "path", "matrix", "labels", "contradictions")
EPOCH = "epoch"  # a field of recounts.json, too
INDEPENDENT = "labels taken as independent, since the file counts each alone"
SPANS = "none: the file counts spans, of which a sentence has several, and no sentences"
Supports = dict[str, list[int]]


def collect(evidence: ReportEvidence, progress: Progress) -> list[CountedFile]:
    """Read the counts of all pinned result files; a file that is not here keeps its tracked counts.

    Raises:
        SeluError: no file is here, or the pins are damaged.
    """
    pins, folders = read_pins(evidence.pins() / PINS), evidence.copies()
    before = evidence.read("recounts.json", "report recounts", FIELDS, needed=False) or []
    tracked = {file["sha256"]: file for file in before}
    contents: list[tuple[Pinned, bytes]] = []
    refusals: list[SeluError] = []
    for pin in pins:
        try:
            contents.append((pin, obtain(pin, folders, REMEDY)))
        except SeluError as error:
            refusals.append(error)
    if not contents:
        raise refusals[0]
    progress(f"recounts: {len(contents)} of {len(pins)} result files of the authors are here")
    supports, rows, found = *_test_part(contents), dict(tracked)
    for pin, content in contents:
        found.pop(pin.sha256, None)
        try:
            counts = read_counts(content, pin.path, supports.get(pin.task), rows.get(pin.task))
        except SeluError as error:
            progress(str(error))
            continue
        epoch = epoch_of(content)
        if counts is not None or epoch is not None:
            wrong = contradictions(content, counts) if counts else []
            found[pin.sha256] = _record(pin, counts, wrong, epoch)
    for refusal in refusals[:5]:
        progress(str(refusal))
    order = [pin.sha256 for pin in pins]
    return [found[sha256] for sha256 in order if sha256 in found]


def _test_part(contents: Iterable[tuple[Pinned, bytes]]) -> tuple[Supports, Mapping[str, int]]:
    """Return each label's items in a task's test part, and all items, as most files with counts have them."""
    found: list[tuple[str, Matrix | Labels]] = []
    rows: dict[str, Counter[int]] = {}
    for pin, content in contents:
        try:
            counts = read_counts(content, pin.path, None)
        except SeluError:
            continue  # named when the file is read for its own sake
        if counts is not None:
            found.append((pin.task, counts))
        if isinstance(counts, Labels) and counts.rows is not None:
            rows.setdefault(pin.task, Counter())[counts.rows] += 1
    return usual(found), {task: counter.most_common(1)[0][0] for task, counter in rows.items()}


def _record(
    pin: Pinned, counts: Matrix | Labels | None, wrong: Sequence[str], epoch: float | None
) -> CountedFile:
    return {
        "task": pin.task,
        "system": pin.system,
        "path": pin.path,
        "sha256": pin.sha256,
        "matrix": counts.cells.tolist() if isinstance(counts, Matrix) else None,
        "labels": cast("LabelCounts", asdict(counts)) if isinstance(counts, Labels) else None,
        "contradictions": list(wrong),
        "epoch": epoch,
    }


def test_labels(records: Mapping[str, DataRecord]) -> Supports:
    """Count the items of each label in the test part of the tasks whose original rows are here."""
    return {
        task: [label["paper"]["test"] for label in record["audit"]["labels"].values()]
        for task, record in records.items()
        if record["standing"] in WHOLE and "labels" in record["audit"]
    }


def recounted(
    material: Material, files: Sequence[CountedFile], test: Supports, draws: Resampling
) -> list[RecountedCell]:
    """Compute each published score from the counts of its result file.

    Where the package holds several versions of a training, the one whose score reads as the published one is
    taken, the newest first; where none does, the one that is nearest.

    Args:
        files: entries of ``recounts.json``.
        test: items of each label in the test part, of tasks whose original rows are here.
    """
    by_score: dict[tuple[str, str], list[tuple[CountedFile, Matrix | Labels]]] = {}
    for file in files:
        if (counts := counts_of(file)) is not None:
            by_score.setdefault((file["task"], file["system"]), []).append((file, counts))
    supports = usual((task, counts) for (task, _), some in by_score.items() for _, counts in some)
    found = []
    for cell in material.cells:
        versions = by_score.get((cell.task, cell.system), [])
        if cell.published is None or not versions:
            continue
        metric = Metric(material.task(cell.task).metric)
        scored = [(file, counts, score_of(counts, metric)) for file, counts in versions]
        published = float(cell.published)
        known = [(file, counts, value) for file, counts, value in scored if value is not None]
        if not known:
            continue
        file, counts, value = min(
            reversed(known),
            key=lambda version: (not _equal(version[2], cell.published or ""), abs(version[2] - published)),
        )
        expected = test.get(cell.task) or supports[cell.task]
        found.append(_entry(file, counts, value, cell.published, expected, draws))
    return found


def _equal(value: float, published: str) -> bool:
    return to_digits(value, DIGITS) == to_digits(float(published), DIGITS)


def counts_of(file: CountedFile) -> Matrix | Labels | None:
    """Read the counts of an entry of ``recounts.json``; None where it has an epoch alone."""
    if file["matrix"] is not None:
        return Matrix(np.array(file["matrix"], dtype=np.int64))
    if file["labels"] is None:
        return None
    fields = file["labels"]
    right, support, answered = tuple(fields["right"]), tuple(fields["support"]), tuple(fields["answered"])
    return Labels(right, support, answered, fields["answered_in_all"], fields["rows"])


def score_of(counts: Matrix | Labels, metric: Metric) -> float | None:
    """Compute a task's score from counts; None where they do not give it."""
    if metric is Metric.F1_MICRO and isinstance(counts, Labels):
        return counts.micro_f1()
    return counts.macro_f1() if metric is Metric.F1_MACRO else None


def _entry(
    file: CountedFile,
    counts: Matrix | Labels,
    value: float,
    published: str,
    expected: Sequence[int],
    draws: Resampling,
) -> RecountedCell:
    single = isinstance(counts, Matrix)
    rows = sum(counts.support) if single else None
    findings = [f"The file's own {name} does not follow from its counts." for name in file["contradictions"]]
    if list(counts.support) != list(expected):
        findings.append(
            f"The file counts {rows:,} rows; the test part has {sum(expected):,}."
            if rows is not None and rows != sum(expected)
            else f"The file counts {sum(counts.support):,} labels; most files of the task have "
            f"{sum(expected):,}."
        )
    stream = _stream(draws.seed, file["task"], file["system"])
    interval = counts.interval(draws.draws, stream, draws.level)
    return RecountedCell(
        task=file["task"],
        system=file["system"],
        path=file["path"],
        published=published,
        value=value,
        equal=_equal(value, published),
        rows=rows,
        expected=sum(expected) if single else None,
        low=interval[0] if interval else None,
        high=interval[1] if interval else None,
        about_interval=None if single else INDEPENDENT if interval else SPANS,
        per_class=[float(score) for score in counts.f1()],
        findings=findings,
        verdict=CellVerdict.REPRODUCED if _equal(value, published) else CellVerdict.DEVIATES,
        reason=" ".join(findings) or None,
        evidence=Evidence.RECOUNTED,
        state=CellState.PRESENT,
    )


def _stream(seed: int, task: str, system: str) -> int:
    """Seed the resamples of one score, so that no score's depend on which others are computed."""
    digest = hashlib.sha256(f"recount/{seed}/{task}/{system}".encode()).digest()
    return int.from_bytes(digest[:8], "big")
