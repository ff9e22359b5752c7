"""Facts about the rows of a task and what leaks between their parts; counts and shares only, never text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from selu.splits.duplicates import Duplicates, Numbers, first_positions, row_texts
from selu.splits.lengths import describe, length_drift, length_facts, vocabulary_drift
from selu.splits.settings import DataSettings
from selu.splits.split import PARTS, PROTOCOLS, drift
from selu.vocabulary import Kind, Task

if TYPE_CHECKING:
    from collections.abc import Mapping

    from selu.splits.record import Answers, Conflicts, Duplicated, Facts, Groups, LabelCount, Overlap, Tags

_TOKENS = (Kind.ENTITIES, Kind.MASKED)


def audit(
    table: pd.DataFrame,
    cleaned: Sequence[str] | None,
    split: pd.DataFrame,
    duplicates: Duplicates,
    task: Task,
    settings: DataSettings,
) -> Facts:
    """Describe a task by statistics, ready for JSON.

    Args:
        table, split: rows and their split, in the same order.
        cleaned: the texts as protocol ``paper`` cleans them; None where nothing is cleaned (token tasks).
        duplicates: groups of the same rows, found among the raw texts.

    Returns:
        rows, parts, labels (or values, entities, tags), lengths, duplicates, overlap, conflicts, groups, drift.
        Shares lie in 0..1.
    """
    texts, labels = row_texts(table), table["label"].tolist()
    near = conflicts(duplicates.near, labels, task.kind)
    parts = {protocol: split[protocol].tolist() for protocol in PROTOCOLS}
    train, test = ([texts[row] for row, p in enumerate(parts["paper"]) if p == side] for side in PARTS[::2])
    lengths = {"raw": length_facts(texts)}
    if cleaned is not None:
        lengths["cleaned"] = length_facts(cleaned)
    return {
        "task": task.id,
        "kind": str(task.kind),
        "rows": len(table),
        "parts": {protocol: _counted(parts[protocol]) for protocol in PROTOCOLS},
        "removed_from_test_by_grouped": parts["strict"].count("test") - parts["grouped"].count("test"),
        **_answers(table, parts, task),
        "lengths": lengths,
        "duplicates": {
            "exact": _group_sizes(duplicates.exact),
            "near": _group_sizes(duplicates.near),
            **({} if cleaned is None else {"exact_cleaned": _group_sizes(_exact(cleaned))}),
        },
        "overlap": _overlaps(parts, duplicates, cleaned),
        "conflicts": {
            "exact": conflicts(duplicates.exact, labels, task.kind),
            # Near duplicates differ, so a system may rightly answer them differently: they set no ceiling.
            "near": {"groups": near["groups"], "rows": near["rows"]},
        },
        "groups": _groups(table["group"].tolist(), parts["paper"]),
        "drift": {
            "labels": drift(table, parts["paper"], task, settings.test_share),
            "words": length_drift(train, test),
            "vocabulary": vocabulary_drift(train, test),
        },
    }


def overlap(groups: Numbers, parts: Sequence[str]) -> Overlap:
    """Count test rows that share a group with a train row, and their share of the test rows."""
    side = np.array(parts, dtype=object)
    known = np.isin(groups, groups[side == "train"]) & (side == "test")
    return {"test_rows": int(known.sum()), "share": _share(int(known.sum()), list(parts).count("test"))}


def _share(some: int, total: int) -> float:
    """Return a part of a count, 0 of none."""
    return some / max(1, total)


def _hashable(label: object) -> Hashable:
    if isinstance(label, list):
        return tuple(map(_hashable, label))
    return tuple(sorted(label.items())) if isinstance(label, dict) else label


def conflicts(groups: Numbers, labels: Sequence[object], kind: str) -> Conflicts:
    """Count groups of duplicates that don't agree on their label, and what that leaves to get right."""
    members: dict[int, list[Hashable]] = {}
    for group, label in zip(groups.tolist(), labels, strict=True):
        members.setdefault(group, []).append(_hashable(label))
    several = [answers for answers in members.values() if len(answers) > 1]
    differing = [answers for answers in several if len(set(answers)) > 1]
    rows = sum(map(len, several))
    right = sum(Counter(answers).most_common(1)[0][1] for answers in several)
    graded = kind is not Kind.REGRESSION
    return {
        "groups": len(differing),
        "rows": sum(map(len, differing)),
        "best_accuracy": right / rows if graded and rows else None,
        "best_accuracy_of_all": 1 - _share(rows - right, len(labels)) if graded else None,
    }


def _exact(texts: Sequence[str]) -> Numbers:
    return first_positions(" ".join(text.casefold().split()) for text in texts)


def _counted(parts: Sequence[str]) -> Mapping[str, int]:
    counts = Counter(parts)
    return {part: counts[part] for part in PARTS}


def _group_sizes(groups: Numbers) -> Duplicated:
    """Count groups of at least two rows, the rows in them, and those of the largest."""
    sizes = np.bincount(groups)
    several = sizes[sizes > 1]
    return {"groups": len(several), "rows": int(several.sum()), "largest": int(several.max(initial=0))}


def _overlaps(
    parts: Mapping[str, Sequence[str]], duplicates: Duplicates, cleaned: Sequence[str] | None
) -> Mapping[str, Mapping[str, Overlap]]:
    ways = {"exact": duplicates.exact, "near": duplicates.near}
    if cleaned is not None:
        ways["exact_cleaned"] = _exact(cleaned)  # texts that only cleaning makes equal
    return {
        protocol: {way: overlap(groups, sides) for way, groups in ways.items()}
        for protocol, sides in parts.items()
    }


def _answers(table: pd.DataFrame, parts: Mapping[str, Sequence[str]], task: Task) -> Answers:
    """Describe what there is to learn, whole and per part, in the form that suits the kind of task."""
    labels = table["label"].tolist()
    if task.kind is Kind.REGRESSION:
        sides = {
            side: [v for v, p in zip(labels, parts["paper"], strict=True) if p == side] for side in PARTS[::2]
        }
        every = {"whole": labels, **sides}
        return {"values": {name: {**describe(v), "distinct": len(set(v))} for name, v in every.items()}}
    if task.kind in _TOKENS:
        return _tags(labels, parts["paper"], task.kind)
    if not task.labels:
        return {}
    names = [label.name for label in task.labels]
    if task.kind is Kind.MULTI_LABEL:
        carried = [[name for name, sign in zip(names, row, strict=True) if sign] for row in labels]
        return {
            "labels": {name: _label(name, carried, parts) for name in names},
            "rows_without_label": sum(not row for row in carried),
            "label_sets": len(set(map(tuple, labels))),
        }
    carried = [[names[int(label)]] for label in labels]
    return {"labels": {name: _label(name, carried, parts) for name in names}}


def _label(name: str, carried: Sequence[Sequence[str]], parts: Mapping[str, Sequence[str]]) -> LabelCount:
    has = [name in row for row in carried]
    sides = {
        protocol: _counted([part for part, mine in zip(sides, has, strict=True) if mine])
        for protocol, sides in parts.items()
    }
    return {
        "rows": sum(has),
        "share": _share(sum(has), len(has)),
        "paper": sides["paper"],
        "strict": sides["strict"],
        "grouped": sides["grouped"],
    }


def _tags(labels: Sequence[Sequence[str]], parts: Sequence[str], kind: str) -> Answers:
    """Count rows, tokens and tags of a token task; an entity is counted where it begins."""
    facts: dict[str, Tags] = {}
    for name in ("whole", *PARTS[::2]):
        rows = [row for row, part in zip(labels, parts, strict=True) if name in ("whole", part)]
        counts = Counter(tag for row in rows for tag in row)
        facts[name] = {"rows": len(rows), "tokens": counts.total()}
        if kind is Kind.ENTITIES:
            facts[name]["entities"] = {tag[2:]: counts[tag] for tag in sorted(counts) if tag.startswith("B-")}
        else:
            facts[name]["tags"] = {tag: counts[tag] for tag in sorted(counts)}
            facts[name]["verb_share"] = _share(counts["VERB"], counts.total())
    return {"tokens": facts}


def _groups(groups: Sequence[str], parts: Sequence[str]) -> Groups:
    """Count projects, documents or posts, the largest, and those on both sides of the hold-out."""
    sizes = Counter(group for group in groups if group)
    trained, tested = (
        {group for group, part in zip(groups, parts, strict=True) if group and part == side}
        for side in PARTS[::2]
    )
    shared = sum(part == "test" and group in trained for group, part in zip(groups, parts, strict=True))
    return {
        "count": len(sizes),
        "largest": max(sizes.values(), default=0),
        "on_both_sides": len(trained & tested),
        "test_rows_of_such": shared,
        "test_share_of_such": _share(shared, list(parts).count("test")),
    }
