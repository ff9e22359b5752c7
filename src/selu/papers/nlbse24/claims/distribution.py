"""Table 2: its sums, and the files behind it.

A misprinted total would break every sum that it stands in. Claim N41 counts it; the others read it as
positive plus negative sentences and say so.
"""

from __future__ import annotations

from collections.abc import Mapping

from selu.papers.claims import claim, exceptions, finding, listed, noted, portion
from selu.papers.nlbse24 import linting
from selu.papers.nlbse24.claims._known import TABLES, of_rule, unless_counted
from selu.papers.nlbse24.linting import CLASSES, CheckedEntry
from selu.papers.nlbse24.material import TOTAL, Material
from selu.vocabulary import Finding

QUESTION = TABLES
_READ_ON = "It does so only where totals that are not positive plus negative are read as that sum."


def _misprinted(paper: Material) -> Mapping[tuple[str, str], str]:
    """Return totals that differ from positive plus negative sentences, with the correct sum."""
    wrong = of_rule(linting.sums(paper), linting.SUM_OF_CLASSES)[1]
    return {
        (e.row, e.column): f"{sum(paper.distribution(e.row, part, name) for name in CLASSES[:2]):,}"
        for e in wrong
        for part in [e.column.partition(": ")[0]]
    }


def _wrong(entries: list[CheckedEntry]) -> str:
    return listed(
        f"{entry.row}, {entry.column} ({entry.arithmetic}, published {entry.published})" for entry in entries
    )


def _read_as(paper: Material, misprinted: Mapping[tuple[str, str], str]) -> str:
    return listed(
        f"{row}, {column}: {value} for {paper.published('table2', row, column)}"
        for (row, column), value in misprinted.items()
    )


def _sums(paper: Material, rule: str) -> Finding:
    """Check the sums of a rule, with those totals corrected that N41 counts as misprinted."""
    misprinted = _misprinted(paper)
    mended = paper.with_places({("table2", *place): value for place, value in misprinted.items()})
    entries, wrong = of_rule(linting.sums(mended), rule)
    broken = of_rule(linting.sums(paper), rule)[1]
    return finding(
        not wrong,
        f"{portion(len(entries) - len(wrong), len(entries))} sums are as published."
        f"{f' These are not: {_wrong(wrong)}.' if wrong else ''}",
        caveat=exceptions(
            f"A total that claim N41 counts as misprinted is read as positive plus negative sentences: "
            f"{_read_as(paper, misprinted)}."
        )
        if broken
        else None,
        sums=len(entries),
        wrong=[e.arithmetic for e in wrong],
        misprinted={f"{row}, {column}": value for (row, column), value in misprinted.items()},
    )


@claim(
    "N41",
    "Table 2",
    "Positive and negative sentences add up to the total.",
    weight="detail",
    kind="implied",
    holds="In every row of Table 2 and each of its three parts the total is positive plus negative sentences.",
    fails="A total is another number.",
)
def classes_add_up(paper: Material) -> Finding:
    """Check the totals of every row in each of the three parts."""
    entries, wrong = of_rule(linting.sums(paper), linting.SUM_OF_CLASSES)
    return finding(
        not wrong,
        f"{portion(len(entries) - len(wrong), len(entries))} totals are positive plus negative sentences."
        f"{f' These are not: {_wrong(wrong)}.' if wrong else ''}",
        sums=len(entries),
        wrong=[e.arithmetic for e in wrong],
    )


@claim(
    "N42",
    "Table 2",
    "Training and testing add up to the whole.",
    weight="detail",
    kind="implied",
    holds="In every row of Table 2, for positive, negative and all sentences, the whole is training plus "
    "testing.",
    caveat=_READ_ON,
    fails="A whole is another number, even then.",
)
def parts_add_up(paper: Material) -> Finding:
    """Check every row, for each class and the total."""
    return _sums(paper, linting.SUM_OF_PARTS)


@claim(
    "N43",
    "Table 2",
    "The unnamed rows are the sums of their language's categories.",
    weight="detail",
    kind="implied",
    holds="In every column of Table 2 a language's unnamed row is the sum of its categories.",
    caveat=_READ_ON,
    fails="An unnamed row has another number, even then.",
)
def categories_add_up(paper: Material) -> Finding:
    """Check every language and column."""
    return _sums(paper, linting.SUM_OF_ROWS)


@claim(
    "N44",
    "3.1, Table 2",
    "The counts are those of the released files.",
    weight="detail",
    quote="The distribution of these sentences in both training and test sets is reported in Table 2.",
    holds="Every number of Table 2 is the count of its rows in the files.",
    caveat="It is, but for totals that are not positive plus negative sentences (claim N41 counts them).",
    fails="Another number of Table 2 is not the count in the files.",
)
def counts_of_the_files(paper: Material) -> Finding:
    """Compare every entry of Table 2 with the same entry of ``comment_rows``."""
    if missing := unless_counted(paper, "comment_rows"):
        return missing
    counted, misprinted = paper.tables["comment_rows"], _misprinted(paper)
    off = {
        place: int(paper.number("comment_rows", *place)) - paper.distribution(place[0], *place[1].split(": "))
        for place in counted
        if place not in misprinted and paper.number("comment_rows", *place) != paper.number("table2", *place)
    }
    own = list(dict.fromkeys(row for row, _ in off if not row.endswith(f"/{TOTAL}")))
    sums = sum(row.endswith(f"/{TOTAL}") for row, _ in off)
    largest = max(map(abs, off.values()), default=0)
    fit = len(counted) - len(off) - len(misprinted)
    parts = [f"{len(off) - sums} of {listed(own)}"] * bool(own) + [f"{sums} of the unnamed rows"] * bool(sums)
    where = f" The others, {' and '.join(parts)}, are off by {largest:,} at most."
    return noted(
        not off,
        f"{portion(fit, len(counted))} counts of Table 2 are those of the files.{where if off else ''}",
        note=exceptions(f"What claim N41 counts as misprinted is left out: {_read_as(paper, misprinted)}.")
        if misprinted
        else None,
        differing={f"{row}, {column}": value for (row, column), value in off.items()},
        misprinted={f"{row}, {column}": value for (row, column), value in misprinted.items()},
    )
