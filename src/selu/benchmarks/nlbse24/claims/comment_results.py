"""Dopamin against STACC: averages, categories won, times (3.4, 4, Table 3)."""

from __future__ import annotations

from selu.benchmarks.claims import claim, finding, listed
from selu.benchmarks.nlbse24 import formulas, linting
from selu.benchmarks.nlbse24.claims._known import of_rule, shown
from selu.benchmarks.nlbse24.material import BASELINE, WINNER, Material
from selu.vocabulary import Finding

STACC, DOPAMIN = "stacc", "dopamin"


def _gains(m: Material) -> dict[str, float]:
    """F1 of Dopamin less that of STACC, category by category."""
    stacc, dopamin = m.per_category(STACC), m.per_category(DOPAMIN)
    return {row: dopamin[row] - stacc[row] for row in stacc}


def _text_and_table(m: Material, name: str, column: str) -> tuple[bool, str, dict[str, list[float]]]:
    pairs = {
        system: [m.text("3.4", f"{name}: {system}"), m.comment(team, column)]
        for system, team in (("Dopamin", WINNER), ("STACC", BASELINE))
    }
    agree = all(text == table for text, table in pairs.values())
    words = listed(f"{system} {table:.2f} (text {text:.2f})" for system, (text, table) in pairs.items())
    return agree, words, pairs


@claim("N47", "3.4", "Dopamin has an average precision of 0.73, STACC one of 0.69.")
def precision(m: Material) -> Finding:
    """Text and Table 3; and whether counts of test rows can give the columns as they are named."""
    agree, words, pairs = _text_and_table(m, "Precision", "Average Precision")
    entries, wrong = of_rule(linting.categories(m), linting.COUNTS_OF_CATEGORY)
    _, other = of_rule(linting.categories(m), linting.COUNTS_SWAPPED)
    exchanged = bool(wrong) and not other
    verdict = ": what is called precision is recall" if exchanged else ""
    return finding(
        agree and not exchanged,
        f"Table 3 has {words}; {len(wrong)} of {len(entries)} published rows can come from no counts of "
        f"test rows, with the two columns exchanged {len(other)}{verdict}.",
        text_and_table=pairs,
        of_no_counts=shown(wrong),
        of_no_counts_if_exchanged=shown(other),
    )


@claim("N48", "3.4", "Average recall is equal: 0.74 and 0.74.")
def recall(m: Material) -> Finding:
    """The text against Table 3."""
    agree, words, pairs = _text_and_table(m, "Recall", "Average Recall")
    return finding(agree, f"Table 3 has {words}.", text_and_table=pairs)


@claim("N49", "3.4", "Average F1 is 0.74 against 0.71.")
def f1(m: Material) -> Finding:
    """The text, Table 3 and the mean of the categories."""
    agree, words, pairs = _text_and_table(m, "F1", "Average F1-score")
    means = {name: formulas.mean(list(m.per_category(name).values())) for name in (DOPAMIN, STACC)}
    near = all(abs(mean - pair[1]) <= 0.01 for mean, pair in zip(means.values(), pairs.values(), strict=True))
    return finding(
        agree and near,
        f"Table 3 has {words}; the categories have means of {means[DOPAMIN]:.4f} and {means[STACC]:.4f}.",
        text_and_table=pairs,
        means=means,
    )


@claim("N50", "3.4", "Dopamin wins 11 categories and does not win 8.")
def eleven_won(m: Material) -> Finding:
    """Categories with a higher published F1, against the text and Table 3."""
    gains = _gains(m)
    won = [row for row, gain in gains.items() if gain > 0]
    stated = m.text("3.4", "Categories won"), m.text("3.4", "Categories not won")
    printed = m.printed("table3", WINNER, "Outperformed Categories")
    return finding(
        stated == (float(len(won)), float(len(gains) - len(won))) and printed == f"{len(won)}/{len(gains)}",
        f"It wins {len(won)} of {len(gains)}; Table 3 prints {printed}.",
        gains=gains,
    )


@claim("N51", "3.4", "Dopamin is better in Summary, Usage and Ownership.")
def better_in_three(m: Material) -> Finding:
    """In every language that has the category."""
    gains = {
        row: gain for row, gain in _gains(m).items() if row.split("/")[1] in ("Summary", "Usage", "Ownership")
    }
    worse = [row for row, gain in gains.items() if gain <= 0]
    smallest = min(gains, key=lambda row: gains[row])
    return finding(
        not worse,
        f"It gains in {len(gains) - len(worse)} of {len(gains)}, least in {smallest} ({gains[smallest]:+.4f}).",
        caveat=f"STACC's sheet has two digits: were they cut off, the gain in {smallest} would be open."
        if 0 < gains[smallest] < 0.01
        else None,
        gains=gains,
    )


@claim("N52", "3.4", "Python's Parameters, Summary and Usage improve, and these are Java categories as well.")
def python_and_java(m: Material) -> Finding:
    """The gains, and Table 2's categories of Java."""
    names, gains = ("Parameters", "Summary", "Usage"), _gains(m)
    up = [name for name in names if gains[f"Python/{name}"] > 0]
    in_java = [name for name in names if f"Java/{name}" in m.categories]
    return finding(
        len(up) == len(in_java) == len(names),
        f"{len(up)} of {len(names)} improve, but {len(in_java)} are categories of Java: {listed(in_java)}.",
        improved=up,
        in_java=in_java,
    )


@claim("N53", "3.4", "The two have similar inference times.")
def similar_times(m: Material) -> Finding:
    """Within 10 %."""
    stacc, dopamin = (m.comment(team, "Avg. Inference Runtime (secs.)") for team in (BASELINE, WINNER))
    ratio = dopamin / stacc
    return finding(
        abs(ratio - 1) <= 0.1,
        f"Dopamin takes {dopamin:.5f} s a sample, STACC {stacc:.5f} s: a ratio of {ratio:.2f}.",
        ratio=ratio,
    )


@claim("N54", "3.2", "There are 19 baseline classifiers, one for each category, of one architecture.")
def nineteen_baselines(m: Material) -> Finding:
    """Rows of the published sheet of the baseline against the categories."""
    rows = {row for row, _ in m.tables[STACC]}
    stated = m.text("3.1", "Categories")
    return finding(
        rows == set(m.categories.values()) and len(rows) == stated,
        f"The sheet has {len(rows)} rows for {len(m.categories)} categories.",
        rows=len(rows),
    )


@claim("N55", "4", "Dopamin beats STACC in most categories.")
def most_categories(m: Material) -> Finding:
    """More than half."""
    gains = _gains(m)
    won = sum(gain > 0 for gain in gains.values())
    return finding(
        2 * won > len(gains),
        f"It wins {won} of {len(gains)}.",
        won=won,
        categories=len(gains),
    )


def _means(m: Material, team: str) -> Finding:
    entries = [e for e in linting.means_of_categories(m) if e.row == team]
    wrong = linting.impossible(entries)
    return finding(
        not wrong,
        f"{len(entries) - len(wrong)} of {len(entries)} averages are means of the 19 categories.",
        averages={e.column: f"{e.printed}: {e.arithmetic}" for e in entries},
    )


@claim("N56", "Table 3", "The averages of STACC are the means of its 19 published rows.")
def means_of_stacc(m: Material) -> Finding:
    """Precision, recall, F1 and time."""
    return _means(m, BASELINE)


@claim("N57", "Table 3", "The averages of Dopamin are the means of its 19 published rows.")
def means_of_dopamin(m: Material) -> Finding:
    """Precision, recall, F1 and time."""
    return _means(m, WINNER)


@claim("N58", "STACC's table", "Every F1 of STACC follows from its precision and recall.")
def f1_of_stacc(m: Material) -> Finding:
    """Within what their digits allow; exchanging precision and recall changes no F1."""
    entries = [e for e in linting.categories(m) if e.rule == linting.F1_OF_CATEGORY and e.table == STACC]
    wrong = linting.impossible(entries)
    return finding(
        not wrong,
        f"{len(entries) - len(wrong)} of {len(entries)} values of F1 follow.",
        impossible=shown(wrong),
    )
