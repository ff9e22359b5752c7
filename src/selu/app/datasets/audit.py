"""``selu audit``: the tracked record of a task's data, in reading order; or the audit of a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from selu import registry
from selu.app.ranking.scores import check_has_rows
from selu.data.prepared import tracked_record
from selu.papers.api import Audited
from selu.papers.evidence import Progress
from selu.splits.record import DataRecord, Facts, Lengths, Overlap
from selu.vocabulary import SeluError

__all__ = ["audit", "audit_folder", "check_has_rows", "cut_split"]
Part = Mapping[str, object] | Sequence[Mapping[str, object]]  # as it is shown
_LENGTHS: tuple[Literal["min", "median", "p90", "p99", "max", "mean"], ...] = (
    "min",
    "median",
    "p90",
    "p99",
    "max",
    "mean",
)


def audit(root: Path, task: str) -> tuple[DataRecord, list[tuple[str, Part]]]:
    """Read the whole record of a task's data, and its parts with a title each, ready to be shown.

    Raises:
        SeluError: there is no such task, or its record is missing or damaged.
    """
    record = tracked_record(root, task)
    facts = record["audit"]
    parts: list[tuple[str, Part]] = [
        (
            "",
            {
                "task": f"{record['task']} ({record['kind']})",
                "standing": record["standing"],
                **_beside_the_paper(record),
            },
        ),
        ("rows by protocol", [{"protocol": name, **counts} for name, counts in facts["parts"].items()]),
    ]
    parts += _answers(facts)
    parts += [
        ("duplicates", _named("", facts["duplicates"])),
        ("test rows whose text is in train", _overlap(facts["overlap"])),
        ("duplicates that differ in label", _named("", facts["conflicts"])),
        ("lengths", _lengths(facts["lengths"])),
        (
            "train against test",
            {**_flat(facts["drift"], skip=("labels",)), **_flat({"groups": facts["groups"]})},
        ),
    ]
    if record["cleaning"]:
        parts.append(("cleaning (counts over all rows)", record["cleaning"]))
    return record, parts


def audit_folder(folder: Path, benchmark: str, progress: Progress) -> Audited:
    """Check a folder with a benchmark's published files.

    Raises:
        SeluError: an unknown benchmark, one whose files are in no such folder, or no such files.
    """
    found = registry.benchmark(registry.known(benchmark)).audit
    if found is None:
        raise SeluError(
            f"{benchmark} has no task '{folder}' with rows: "
            f"'selu list tasks --paper {benchmark}' lists its tasks."
        )
    return found(folder, progress)


def cut_split(folder: Path, benchmark: str, split: str, out: Path) -> Mapping[str, object]:
    """Write the rows of a split of such a folder, both sides kept apart; says what that left out.

    Raises:
        SeluError: an unknown benchmark, one without such splits, or as its own.
    """
    found = registry.benchmark(registry.known(benchmark)).cut
    if found is None:
        raise SeluError(f"{benchmark} has no splits that are cut from a folder: leave --split and --out out.")
    return found(folder, split, out)


def _beside_the_paper(record: DataRecord) -> Mapping[str, object]:
    if registry.local_tasks(record["task"]):
        return {"rows": record["rows"], "split": record["split"]}
    return {
        "rows": f"{record['rows']} (paper: {record['instances']})",
        "split": record["split"],
        "differs from the paper's rows": [[text] for text in record["deviations"]] or "-",
    }


def _answers(facts: Facts) -> list[tuple[str, Part]]:
    if "labels" in facts:
        beyond = facts["drift"]["labels"]
        rows = [
            {
                "label": name,
                "rows": counts["rows"],
                "share": counts["share"],
                "test": counts["paper"]["test"],
                "test beyond its share": beyond[name],
            }
            for name, counts in facts["labels"].items()
        ]
        return [("labels", rows)]
    if "values" in facts:
        return [("values", _named("part", facts["values"]))]
    if "tokens" not in facts:  # open answers have nothing to count
        return []
    sides = {side: _flat(found) for side, found in facts["tokens"].items()}
    names = dict.fromkeys(name for found in sides.values() for name in found)
    rows = [{"": name, **{side: found.get(name, 0) for side, found in sides.items()}} for name in names]
    return [("tokens and tags", rows)]


def _overlap(overlap: Mapping[str, Mapping[str, Overlap]]) -> list[Mapping[str, object]]:
    return [
        {"protocol": protocol, "copy": way, "rows": found["test_rows"], "share": found["share"]}
        for protocol, ways in overlap.items()
        for way, found in ways.items()
    ]


def _lengths(lengths: Mapping[str, Lengths]) -> list[Mapping[str, object]]:
    return [
        {
            "text": text,
            "unit": unit,
            **{name: counted[name] for name in _LENGTHS},
            "empty": found["empty"],
            "over 512 tokens": found["share_above_512_tokens"],
        }
        for text, found in lengths.items()
        for unit, counted in (("words", found["words"]), ("tokens", found["tokens"]))
    ]


def _named(title: str, records: Mapping[str, Mapping[str, object]]) -> list[Mapping[str, object]]:
    """Return one row per record, all with the same columns, so that piped output has no ragged lines."""
    columns = dict.fromkeys(column for found in records.values() for column in found)
    return [
        {title or "kind": name, **{column: found.get(column) for column in columns}}
        for name, found in records.items()
    ]


def _flat(record: Mapping[str, object], skip: tuple[str, ...] = ()) -> Mapping[str, object]:
    """Flatten a record: nested names are joined by a space."""
    flat: dict[str, object] = {}
    for name, value in record.items():
        if name in skip:
            continue
        if isinstance(value, Mapping):
            flat |= {f"{name} {key}": item for key, item in _flat(value).items()}
        else:
            flat[name] = value
    return flat
