"""Tables 1 to 3 as published, each derived entry beside its value from other entries or published results."""

from __future__ import annotations

import pandas as pd

from selu.papers.nlbse24 import formulas, linting
from selu.papers.nlbse24.material import (
    BASELINE,
    LABELS,
    LANGUAGES,
    METRICS,
    OF_ALL,
    PARTS,
    TOTAL,
    WINNER,
    Material,
    Track,
)
from selu.papers.table import Compared, Table, as_texts
from selu.stats.rounding import to_digits


def table1(paper: Material) -> Table:
    """Tabulate Table 1 in the order of average F1, its average column recomputed from the three labels."""
    rows, compared = [], []
    held = {entry.row: entry for entry in linting.averages(paper)}
    for rank, team in enumerate(formulas.ranking(paper.issue_f1), start=1):
        entrant = paper.entrant(team)
        for metric in METRICS:
            entry = held[f"{team}/{metric}"]
            mean = formulas.mean([paper.issue(team, metric, label) for label in LABELS])
            cell = _cell(entry, mean, to_digits(mean, 4))
            compared.append(cell)
            rows.append(
                {
                    "Rank": str(rank),
                    "Team": team + (" (baseline)" if entrant.baseline else ""),
                    "Model": entrant.model,
                    "Metric": metric,
                    **{label: paper.published("table1", entry.row, label) for label in LABELS},
                    "Average published": cell.published,
                    "Average": cell.computed,
                }
            )
    caption = (
        "Table 1: issue reports, means over five repositories. Average is the mean of the published labels; "
        "* marks a single model for all repositories."
    )
    return Table("table1", caption, pd.DataFrame(rows), tuple(compared), _NOTE)


_NOTE = "are what the other entries allow"


def _cell(entry: linting.CheckedEntry, computed: float, text: str) -> Compared:
    difference = computed - float(entry.published.rstrip(" *").replace(",", "").replace("'", ""))
    why = "" if entry.possible else f"not explained by rounding: {entry.arithmetic}"
    return Compared(entry.row, entry.column, entry.published, text, entry.possible, difference, why)


def table2(paper: Material) -> Table:
    """Tabulate Table 2, with every total checked by its sums over classes, parts and categories."""
    sums = ((entry, entry.arithmetic.rpartition("= ")[2]) for entry in linting.sums(paper))
    compared = [_cell(entry, float(total), total) for entry, total in sums]
    rows = []
    for language in LANGUAGES:
        for row in (*paper.categories_of(language), f"{language}/{TOTAL}"):
            places = [f"{part}: {column}" for part in PARTS for column in linting.CLASSES]
            named = dict(zip(("Language", "Category"), row.split("/"), strict=True))
            rows.append(named | {place: paper.published("table2", row, place) for place in places})
    caption = (
        "Table 2: sentences that belong to a category or not, as published. Ours: the sum of the other entries "
        "as published, so that one wrong entry breaks every sum that it belongs to; what the data files hold "
        "is in the table that is counted from them."
    )
    return Table("table2", caption, pd.DataFrame(rows), tuple(compared), "are the sum of their parts")


def table3(paper: Material) -> Table:
    """Tabulate Table 3: averages from the 19 published categories, categories won, and section 3.2's score."""
    rows, compared = [], []
    for team in paper.teams(Track.COMMENTS):
        entries = [e for e in (*linting.means_of_categories(paper), *linting.scores(paper)) if e.row == team]
        cells = []
        for entry in entries:
            if entry.rule == linting.F1_OF_TABLE:
                continue
            value = _recomputed(paper, team, entry.column)
            cells.append(_cell(entry, value, to_digits(value, 5 if "secs" in entry.column else 4)))
        if team == WINNER:
            published = paper.published("table3", team, "Outperformed Categories")
            cells += as_texts(team, [("Outperformed Categories", published, _won(paper))], "other categories")
        compared += cells
        row = {"Team": team, "Model": paper.entrant(team).model}
        for cell in cells:
            row |= {f"{cell.column} published": cell.published, cell.column: cell.computed}
        rows.append(row)
    caption = (
        "Table 3: code comments. Beside each published number is the mean of the published categories, and "
        "the score of the published F1 and runtime. Precision and recall seem exchanged in both (claim N47)."
    )
    return Table("table3", caption, pd.DataFrame(rows).fillna("-"), tuple(compared), _NOTE)


def _recomputed(paper: Material, team: str, column: str) -> float:
    if column == "Ranking Score":
        return paper.formula.compute(paper.comment(team), paper.comment(team, "Avg. Inference Runtime (secs.)"))
    key = linting.RESULTS_OF[column]
    return formulas.mean(list(paper.per_category(str(paper.entrant(team).results), key).values()))


def _won(paper: Material) -> str:
    ours, theirs = (paper.per_category(str(paper.entrant(team).results)) for team in (WINNER, BASELINE))
    return f"{sum(ours[row] > theirs[row] for row in ours)}/{len(ours)}"


def per_category(paper: Material) -> Table:
    """Tabulate both classifiers by category, with the test positives that decide which scores are possible."""
    results = {team: str(paper.entrant(team).results) for team in paper.teams(Track.COMMENTS)}
    rows = []
    for row, place in paper.categories.items():
        line = {"Category": row, "Test positives": paper.published("table2", row, f"{PARTS[1]}: Positive")}
        for team, file in results.items():
            for key in ("precision", "recall", "f1"):
                line[f"{paper.entrant(team).model} {key}"] = paper.published(file, place, key)
        best = max(results, key=lambda team: paper.number(results[team], place, "f1"))
        line["Better"] = paper.entrant(best).model
        rows.append(line)
    caption = "Published scores of the 19 categories, column names as published (claim N47 says what they are)."
    return Table("categories", caption, pd.DataFrame(rows))


def repositories(paper: Material) -> Table:
    """Tabulate F1 of the issue baselines on each repository, and their average, from the result files."""
    rows = []
    for run in dict.fromkeys(row.partition("/")[0] for row, _ in paper.tables["baselines"]):
        places = dict.fromkeys(row for row, _ in paper.tables["baselines"] if row.startswith(f"{run}/"))
        own = [place for place in places if place.endswith(f"/{OF_ALL.lower()}")]
        values = {place.split("/")[1]: to_digits(paper.number("baselines", place, "f1"), 4) for place in own}
        rows.append({"Run": run.replace("_", ", ")} | values)
    caption = "Average F1 of the baselines by repository; overall is their mean. SetFit was published twice."
    return Table("repositories", caption, pd.DataFrame(rows))
