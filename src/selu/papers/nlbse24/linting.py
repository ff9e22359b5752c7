"""Every entry of Tables 1 to 3, and of the published results behind them, checked by arithmetic.

The paper does not say whether it rounds or cuts off, so that an entry is refused only if neither can be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from selu.boards import rounding
from selu.boards.rounding import Printing, Range, behind
from selu.papers.nlbse24 import formulas
from selu.papers.nlbse24.material import (
    LABELS,
    METRICS,
    OF_ALL,
    PARTS,
    PER_LABEL,
    REPOSITORIES,
    TOTAL,
    Material,
    Track,
)
from selu.papers.table import Table

F1_OF_TABLE = "F1 against precision and recall"
MEAN_OF_LABELS = "average of the labels"
RECALL = "recall as a share of the rows"
REPEATED = "baselines repeat their results"
SUM_OF_CLASSES = "positive + negative = total"
SUM_OF_PARTS = "training + testing = all"
SUM_OF_ROWS = "categories sum to the total"
SCORE = "score of F1 and runtime"
MEAN_OF_CATEGORIES = "average of the categories"
F1_OF_CATEGORY = "F1 of a category"
RECALL_OF_CATEGORY = "recall as a share of the positives"
COUNTS_OF_CATEGORY = "all three scores from whole counts"
SWAPPED = "recall as a share, with precision and recall exchanged"
COUNTS_SWAPPED = "whole counts, with precision and recall exchanged"


@dataclass(frozen=True, slots=True)
class CheckedEntry:
    """One entry under one rule; ``arithmetic`` shows what the other entries allow.

    ``exact``: it also follows where the other entries have no further digits than those that are published.
    """

    table: str
    row: str
    column: str
    rule: str
    published: str
    possible: bool
    arithmetic: str
    exact: bool = True


def lint(paper: Material) -> list[CheckedEntry]:
    """Return every entry under every rule that it falls under, in the order of the tables."""
    parts = (f1_of_means, averages, recalls, repeated, sums, scores, means_of_categories, categories)
    return [entry for part in parts for entry in part(paper)]


def impossible(entries: Iterable[CheckedEntry]) -> list[CheckedEntry]:
    """Return the entries that can't be true beside the others."""
    return [entry for entry in entries if not entry.possible]


def _read(published: str) -> Range:
    return behind(published.rstrip(" *"), Printing.EITHER)


def _value(published: str) -> Fraction:
    return Fraction(published.rstrip(" *"))


def _follows(value: Fraction, published: str) -> bool:
    return rounding.prints_as(value, published.rstrip(" *"), Printing.EITHER)


def _shown(part: Range, digits: int = 4) -> str:
    return f"{float(part.low):.{digits}f} to {float(part.high):.{digits}f}"


# -- Table 1 -----------------------------------------------------------------------------------------------


def f1_of_means(paper: Material) -> Iterator[CheckedEntry]:
    """Check mean F1: at most the F1 of mean precision and mean recall, at least their sum minus one."""
    for team in paper.teams(Track.ISSUES):
        for label in (*LABELS, OF_ALL):
            p, r, f = (paper.published("table1", f"{team}/{metric}", label) for metric in METRICS)
            bound = rounding.f1_of_means(_read(p), _read(r))
            why = f"P {p} and R {r} allow a mean F1 of {_shown(bound)}"
            ok, exact = bound.meets(_read(f)), _read(f).low <= rounding.f1(_value(p), _value(r))
            yield CheckedEntry("1", f"{team}/{METRICS[2]}", label, F1_OF_TABLE, f, ok, why, exact)


def averages(paper: Material) -> Iterator[CheckedEntry]:
    """Check averages: labels are equally frequent, so each metric's average is the mean of three labels."""
    for team in paper.teams(Track.ISSUES):
        for metric in METRICS:
            row = f"{team}/{metric}"
            texts = [paper.published("table1", row, label) for label in LABELS]
            published = paper.published("table1", row, OF_ALL)
            parts, whole = [_read(text) for text in texts], _read(published)
            mean = rounding.mean_of(parts)
            why = f"({' + '.join(texts)}) / 3 = {_shown(mean)}"
            if not (ok := mean.meets(whole)):
                others = ([p for p in parts if p is not part] for part in parts)
                mended = (
                    f"{label} {_shown(rounding.missing_part(whole, other), 3)}"
                    for label, other in zip(LABELS, others, strict=True)
                )
                why += f"; for {published} to be right, one would have to be: {', '.join(mended)}"
            exact = _follows(sum(map(_value, texts), Fraction(0)) / len(texts), published)
            yield CheckedEntry("1", row, OF_ALL, MEAN_OF_LABELS, published, ok, why, exact)


def recalls(paper: Material) -> Iterator[CheckedEntry]:
    """Check mean recall over the repositories: a share of all test issues of the label, or of all."""
    of_label = PER_LABEL * len(REPOSITORIES)
    for team in paper.teams(Track.ISSUES):
        row = f"{team}/{METRICS[1]}"
        for label in (*LABELS, OF_ALL):
            rows = of_label * (len(LABELS) if label == OF_ALL else 1)
            published = paper.published("table1", row, label)
            yield _share("1", row, label, RECALL, published, rows)


def _share(table: str, row: str, column: str, rule: str, published: str, rows: int) -> CheckedEntry:
    value = Fraction(published)
    fits = rounding.shares(published, rows, Printing.EITHER)
    below = int(value * rows)
    near = " and ".join(f"{k}/{rows} = {k / rows:.4f}" for k in fits[:1] or (below, below + 1))
    return CheckedEntry(table, row, column, rule, published, bool(fits), near if fits else f"between {near}")


def repeated(paper: Material) -> Iterator[CheckedEntry]:
    """Compare baseline rows with the overall values of their result files, which are not rounded."""
    keys = dict(zip(METRICS, ("precision", "recall", "f1"), strict=True))
    for team in paper.teams(Track.ISSUES, baseline=True):
        results = paper.entrant(team).results
        for metric in METRICS:
            for label in (*LABELS, OF_ALL):
                exact = paper.number("baselines", f"{results}/overall/{label.lower()}", keys[metric])
                published = paper.published("table1", f"{team}/{metric}", label)
                ways = formulas.ways(exact, published)
                why = f"{exact:.6f}: {' and '.join(ways) or 'neither rounded nor truncated'}"
                yield CheckedEntry("1", f"{team}/{metric}", label, REPEATED, published, bool(ways), why)


# -- Table 2 -----------------------------------------------------------------------------------------------

CLASSES = ("Positive", "Negative", "Total")


def sums(paper: Material) -> Iterator[CheckedEntry]:
    """Yield sums of Table 2 along classes, parts and categories; the total of each is the entry under test."""
    rows = dict.fromkeys(row for row, _ in paper.tables["table2"])
    for row in rows:
        for part in PARTS:
            yield _sum(paper, SUM_OF_CLASSES, (row, part, CLASSES[2]), [(row, part, c) for c in CLASSES[:2]])
        for column in CLASSES:
            yield _sum(
                paper, SUM_OF_PARTS, (row, PARTS[2], column), [(row, part, column) for part in PARTS[:2]]
            )
        if row.endswith(f"/{TOTAL}"):
            own = paper.categories_of(row.partition("/")[0])
            for part in PARTS:
                for column in CLASSES:
                    yield _sum(paper, SUM_OF_ROWS, (row, part, column), [(c, part, column) for c in own])


def _sum(
    paper: Material, rule: str, total: tuple[str, str, str], parts: list[tuple[str, str, str]]
) -> CheckedEntry:
    counts = [paper.distribution(*part) for part in parts]
    row, part, column = total
    column = f"{part}: {column}"
    ok = sum(counts) == paper.distribution(*total)
    why = f"{' + '.join(map(str, counts))} = {sum(counts)}"
    return CheckedEntry("2", row, column, rule, paper.published("table2", row, column), ok, why)


# -- Table 3 and the results behind it ---------------------------------------------------------------------

RESULTS_OF = {
    "Average Precision": "precision",
    "Average Recall": "recall",
    "Average F1-score": "f1",
    "Avg. Inference Runtime (secs.)": "avg_runtime_s",
}


def scores(paper: Material) -> Iterator[CheckedEntry]:
    """Check F1 by mean precision and recall, and the ranking score by F1 and runtime."""
    for team in paper.teams(Track.COMMENTS):
        p, r, f, runtime = (paper.published("table3", team, column) for column in RESULTS_OF)
        bound = rounding.f1_of_means(_read(p), _read(r))
        why = f"P {p} and R {r} allow a mean F1 of {_shown(bound)}"
        yield CheckedEntry("3", team, "Average F1-score", F1_OF_TABLE, f, bound.meets(_read(f)), why)
        published = paper.published("table3", team, "Ranking Score")
        reach = paper.formula.range(_read(f), _read(runtime))
        why = f"F1 {f} and {runtime} s give {_shown(reach)}"
        yield CheckedEntry("3", team, "Ranking Score", SCORE, published, reach.meets(_read(published)), why)


def means_of_categories(paper: Material) -> Iterator[CheckedEntry]:
    """Averages of Table 3 against the mean of the 19 published categories."""
    for team in paper.teams(Track.COMMENTS):
        results = str(paper.entrant(team).results)
        for column, key in RESULTS_OF.items():
            texts = [paper.result(results, place, key) for place in paper.categories.values()]
            mean = rounding.mean_of([_read(text) for text in texts])
            published = paper.published("table3", team, column)
            plain = sum(map(_value, texts), Fraction(0)) / len(texts)
            why = f"mean of {len(texts)} categories {float(plain):.5f}, with their rounding {_shown(mean, 5)}"
            ok, exact = mean.meets(_read(published)), _follows(plain, published)
            yield CheckedEntry("3", team, column, MEAN_OF_CATEGORIES, published, ok, why, exact)


def categories(paper: Material) -> Iterator[CheckedEntry]:
    """Check each category: F1 by P and R, recall as a share of Table 2's positives, and all from counts."""
    for team in paper.teams(Track.COMMENTS):
        results = str(paper.entrant(team).results)
        for row, place in paper.categories.items():
            p, r, f = _scores(paper, results, place)
            yield f1_of_category(paper, results, place)
            positives, negatives = (paper.distribution(row, "Testing", part) for part in CLASSES[:2])
            for rule, key, published in ((RECALL_OF_CATEGORY, "recall", r), (SWAPPED, "precision", p)):
                yield _share(results, place, key, rule, published, positives)
            for rule, pair in ((COUNTS_OF_CATEGORY, (p, r)), (COUNTS_SWAPPED, (r, p))):
                found = rounding.number_of_counts(*pair, f, positives, Printing.EITHER, negatives)
                shown = f"with {positives} positives {found} pairs of true and false positives give them"
                yield CheckedEntry(results, place, "all", rule, " ".join((*pair, f)), found > 0, shown)


def f1_of_category(paper: Material, results: str, place: str) -> CheckedEntry:
    """Compare a category's F1 with its precision and recall."""
    p, r, f = _scores(paper, results, place)
    reach = rounding.f1_of(_read(p), _read(r))
    why = f"P {p} and R {r} allow {_shown(reach)}"
    ok, exact = reach.meets(_read(f)), _follows(rounding.f1(_value(p), _value(r)), f)
    return CheckedEntry(results, place, "f1", F1_OF_CATEGORY, f, ok, why, exact)


def _scores(paper: Material, results: str, place: str) -> tuple[str, str, str]:
    p, r, f = (paper.result(results, place, key) for key in ("precision", "recall", "f1"))
    return p, r, f


def printing(paper: Material, results: str) -> Printing:
    """Determine whether published digits were rounded or cut off, if whole counts of test rows tell.

    The columns of precision and recall are taken in whichever order gives possible counts (claim N47).
    """
    places = list(paper.categories.items())
    rows = [_scores(paper, results, place) for _, place in places]
    tests = [[paper.distribution(row, "Testing", part) for part in CLASSES[:2]] for row, _ in places]

    def possible(how: Printing, first: int) -> bool:
        return all(
            rounding.number_of_counts(texts[first], texts[1 - first], texts[2], positives, how, negatives)
            for texts, (positives, negatives) in zip(rows, tests, strict=True)
        )

    found = [how for how in (Printing.ROUNDED, Printing.TRUNCATED) if possible(how, 0) or possible(how, 1)]
    return found[0] if len(found) == 1 else Printing.EITHER


# -- Shown -------------------------------------------------------------------------------------------------


def rules(entries: list[CheckedEntry]) -> Table:
    """Tabulate how many entries fall under each rule, and how many of them are impossible."""
    import pandas as pd

    every, wrong = (Counter(entry.rule for entry in found) for found in (entries, impossible(entries)))
    rows = [
        {"Rule": rule, "Entries": str(count), "Impossible": str(wrong[rule])} for rule, count in every.items()
    ]
    return Table("linter_rules", "The arithmetic that each entry was checked by.", pd.DataFrame(rows))


def findings(entries: list[CheckedEntry]) -> Table:
    """Tabulate the impossible entries with the arithmetic that refuses them."""
    rows = [
        {
            "Table": entry.table,
            "Row": entry.row,
            "Column": entry.column,
            "Rule": entry.rule,
            "Published": entry.published,
            "Arithmetic": entry.arithmetic,
        }
        for entry in impossible(entries)
    ]
    columns = ["Table", "Row", "Column", "Rule", "Published", "Arithmetic"]
    exchanged = {RECALL_OF_CATEGORY: SWAPPED, COUNTS_OF_CATEGORY: COUNTS_SWAPPED}
    found = Counter(entry.rule for entry in impossible(entries))
    caption = (
        "Entries that contradict the others, whether digits were rounded or cut off. The arithmetic "
        "names the entries that one is held to: any of these may be the wrong one, and a wrong one breaks "
        f"every sum or mean that it stands in. {sum(found[rule] for rule in exchanged)} of the {found.total()} "
        f"are of the published categories; {sum(found[rule] for rule in exchanged.values())} would be left of "
        "these if precision and recall were exchanged (claim N47)."
    )
    import pandas as pd

    return Table("linter", caption, pd.DataFrame(rows, columns=columns, dtype=object))
