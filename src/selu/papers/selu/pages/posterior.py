"""Pages of systems against each other: posterior matrices and the numbers of every pair."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypedDict

from selu.papers.selu.records.statistics import PosteriorEntry, Sensitivity, Statistics
from selu.report.site_assets import step
from selu.report.site_words import percent

ROPES: dict[str, dict[str, str]] = {
    "autorank": {
        "page": "posterior.html",
        "name": "autorank's threshold",
        "short": "autorank",
        "means": "0.1 times the pooled standard deviation of the two systems, as the authors' library sets it",
    },
    "paper": {
        "page": "posterior-paper.html",
        "name": "the paper's threshold",
        "short": "paper",
        "means": "0.1 times Cohen's d, as section IV-D of the paper writes it",
    },
}
PARTS = {
    "seeds": ("another seed", "with"),
    "leave_one_task_out": ("one task left out", "without"),
    "rounding": ("scores before rounding", "with draws"),
    "medians": ("medians in place of means", ""),
}
_SWAPPED = {"better": "worse", "worse": "better"}
_PREFIX = re.compile(r"^(without|seed|rounding) ")


class Pair(TypedDict):
    """A system against another one: probabilities, their Monte-Carlo errors and what they decide."""

    better: float
    equal: float
    worse: float
    error_better: float
    error_equal: float
    error_worse: float
    decision: str
    rope: float


def matrix(statistics: Statistics, rope: str) -> Mapping[str, object]:
    """Return one posterior matrix in rank order; row against column."""
    record = statistics["posteriors"][rope]
    names = {system["id"]: system["name"] for system in statistics["systems"]}
    rows = [
        {
            "id": a,
            "name": names[a],
            "rank": i + 1,
            "cells": [_place(record, names, i, j) for j in range(len(record["order"]))],
        }
        for i, a in enumerate(record["order"])
    ]
    tiers = [[names[system] for system in tier] for tier in statistics["tiers"]]
    decisions = [str(record["decision"][i][j]) for i in range(len(rows)) for j in range(i)]
    return {
        **ROPES[rope],
        "rope": rope,
        "rows": rows,
        "tiers": tiers if rope == "autorank" else None,
        "pairs": len(decisions),
        "decided": sum(decision in _SWAPPED for decision in decisions),
    }


def _place(record: PosteriorEntry, names: Mapping[str, str], i: int, j: int) -> Mapping[str, object] | None:
    if i == j:
        return None
    numbers = pair(record, i, j)
    a, b = record["order"][i], record["order"][j]
    title = (
        f"{names[a]} against {names[b]}: better {percent(numbers['better'])} %, "
        f"equal {percent(numbers['equal'])} %, worse {percent(numbers['worse'])} %: "
        f"{'no clear winner' if numbers['decision'] == 'inconclusive' else numbers['decision']}"
    )
    shade = step((numbers["better"] - numbers["worse"] + 1) / 2)
    floor = math.floor(100 * numbers["better"] + 1e-9)  # rounded up, an undecided 94.9 would read as decided
    return {**numbers, "floor": floor, "href": f"pairs/{a}.html#{b}", "title": title, "step": shade}


def pair(record: PosteriorEntry, i: int, j: int) -> Pair:
    """Return numbers of the i-th system against the j-th under one rope, with their Monte-Carlo errors."""
    return {
        "better": record["better"][i][j],
        "equal": record["equal"][i][j],
        "worse": record["better"][j][i],
        "error_better": record["error_better"][i][j],
        "error_equal": record["error_equal"][i][j],
        "error_worse": record["error_better"][j][i],
        "decision": str(record["decision"][i][j]),
        "rope": record["rope"][i][j],
    }


def pair_pages(
    statistics: Statistics, sensitivity: Sensitivity
) -> Iterator[tuple[str, Sequence[Mapping[str, object]]]]:
    """Return each system, in rank order, with its comparisons with all others."""
    order = statistics["posteriors"]["autorank"]["order"]
    places = {rope: _places(statistics["posteriors"][rope]) for rope in ROPES}
    changes = _changes(sensitivity)
    for a in order:
        others: list[Mapping[str, object]] = []
        for b in order:
            if a == b:
                continue
            by_rope = [
                {**ROPES[rope], **pair(statistics["posteriors"][rope], places[rope][a], places[rope][b])}
                for rope in ROPES
            ]
            others.append({"id": b, "ropes": by_rope, "stability": _stability(sensitivity, changes, a, b)})
        yield a, others


def _places(record: PosteriorEntry) -> Mapping[str, int]:
    return {system: place for place, system in enumerate(record["order"])}


def _changes(sensitivity: Sensitivity) -> Mapping[tuple[str, str, str], list[tuple[str, str]]]:
    """Map (part, a, b), in rank order, to the variations that change the decision and their decisions."""
    found: dict[tuple[str, str, str], list[tuple[str, str]]] = {}
    for part, record in sensitivity["parts"].items():
        for variation in record["variations"]:
            for change in variation["changed"]:
                key = (part, change["a"], change["b"])
                found.setdefault(key, []).append((variation["name"], change["to"]))
    return found


def _stability(
    sensitivity: Sensitivity, changes: Mapping[tuple[str, str, str], list[tuple[str, str]]], a: str, b: str
) -> list[Mapping[str, object]]:
    """Count how many of each part's variations keep the decision of a against b."""
    rows: list[Mapping[str, object]] = []
    for part, record in sensitivity["parts"].items():
        if part == "paper_rope":  # the pair's table shows it in full
            continue
        total = len(record["variations"])
        unstable = record["unstable_pairs"]
        share = unstable.get(f"{a}/{b}", unstable.get(f"{b}/{a}", 1.0))
        changed = [*changes.get((part, a, b), [])]
        changed += [(name, _SWAPPED.get(to, to)) for name, to in changes.get((part, b, a), [])]
        grouped: dict[str, list[str]] = {}
        for name, to in changed:
            grouped.setdefault(to, []).append(_PREFIX.sub("", name))
        label, by = PARTS.get(part, (part.replace("_", " "), "with"))
        rows.append(
            {
                "part": label,
                "by": by,
                "kept": round(share * total),
                "total": total,
                "changed": grouped,
            }
        )
    return rows
