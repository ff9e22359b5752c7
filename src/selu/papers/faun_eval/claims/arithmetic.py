"""Averages, changes and shares of Tables 4 and 5, computed again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selu.boards.rounding import shares
from selu.papers.claims import claim, finding
from selu.papers.faun_eval.claims._known import DETAIL, OURS, all_but, is_mean_of, only_rounded
from selu.papers.faun_eval.material import AVERAGE, FULL, MEAN, QA, Material, Place
from selu.vocabulary import Finding

QUESTION = "Do the numbers of the tables follow from each other?"


def _are_means(
    paper: Material, averages: Mapping[str, tuple[Place, Sequence[Place]]], what: str, axis: str
) -> Finding:
    """Find that averages of Table 4 are the means of its scores, some only within their rounding."""
    wrong = [name for name, places in averages.items() if not paper.can_be_mean("table4", *places)]
    texts = {
        name: (paper.published("table4", *average), [paper.published("table4", *score) for score in scores])
        for name, (average, scores) in averages.items()
    }
    within = [name for name, published in texts.items() if not is_mean_of(*published)]
    because = all_but(wrong, len(averages), what)
    numbers: dict[str, Any] = {axis: list(averages)}
    return finding(not wrong, because, caveat=only_rounded(within), wrong=wrong, **numbers)


@claim(
    "F20",
    "Table 4",
    "The Average column of Table 4 is the mean of the ten models.",
    holds="Each average is the mean of the scores of its row, as published.",
    caveat="One is so only within the rounding of these scores.",
    fails="One can't be the mean, however the scores were rounded.",
    weight=DETAIL,
    kind=OURS,
)
def average_column(paper: Material) -> Finding:
    """Compute the mean of each row."""
    rows = paper.row_names("table4")
    averages = {row: ((row, AVERAGE), [(row, model) for model in paper.models]) for row in rows}
    return _are_means(paper, averages, "averages are means of their rows", "rows")


@claim(
    "F21",
    "Table 4",
    "The Average row of question answering is the mean of its four metrics.",
    holds="Each model's average is the mean of its four scores, as published.",
    caveat="One is so only within the rounding of these scores.",
    fails="One can't be the mean, however the scores were rounded.",
    weight=DETAIL,
    kind=OURS,
)
def average_row(paper: Material) -> Finding:
    """Compute the mean of each column."""
    columns = [*paper.models, AVERAGE]
    averages = {column: ((MEAN, column), [(metric, column) for metric in QA]) for column in columns}
    return _are_means(paper, averages, f"averages are means of the {len(QA)} metrics", "columns")


@claim(
    "F22",
    "Tables 4 and 5",
    "Exact match is the share of 300 entries.",
    holds="Each published score is a whole number of the entries, rounded.",
    fails="A score is none.",
    weight=DETAIL,
    kind=OURS,
)
def shares_of_entries(paper: Material) -> Finding:
    """Look for a number of entries that gives each score."""
    entries = paper.count("table1", "FAUN-Eval-fix", "#Samples")
    published = {f"Table 4, {model}": paper.published("table4", "EM", model) for model in paper.scores("EM")}
    for kept in paper.kept("EM"):
        published |= {
            f"Table 5, {kept}, {model}": paper.published("table5", f"EM: {kept}", model)
            for model in paper.ablated
        }
    wrong = [f"{place} ({text})" for place, text in published.items() if not shares(text, entries)]
    because = all_but(wrong, len(published), f"scores are a share of {entries} entries")
    return finding(not wrong, because, scores=published, entries=entries)


@claim(
    "F37",
    "Table 5",
    "The rows of the full input in Table 5 repeat Table 4.",
    holds="Each score of these rows is that of the same model in Table 4.",
    fails="One is another number.",
    weight=DETAIL,
    kind=OURS,
)
def full_rows(paper: Material) -> Finding:
    """Compare the models that both tables have."""
    pairs = {
        f"{metric}, {model}": (paper.number("table5", f"{metric}: {full}", model), paper.scores(metric)[model])
        for metric, full in FULL.items()
        for model in paper.ablated
    }
    wrong = [place for place, (pair, other) in pairs.items() if pair != other]
    because = all_but(wrong, len(pairs), "scores are those of Table 4")
    return finding(not wrong, because, wrong=wrong, compared=len(pairs))


@claim(
    "F38",
    "Table 5",
    "The Average column of Table 5 is the mean of the models, in localization without CodeQwen-1.5-Chat.",
    holds="Each average can be the mean of the scores of its row, all as rounded.",
    fails="One can't be.",
    weight=DETAIL,
    quote="average of fault localization is calculated after excluding CodeQwen-1.5-Chat",
)
def average_of_table_5(paper: Material) -> Finding:
    """Compute the mean of each row, without the models that score 0."""
    rows = paper.row_names("table5")
    wrong = []
    for row in rows:
        columns = [model for model in paper.ablated if paper.number("table5", row, model) > 0]
        scores = [(row, model) for model in columns]
        wrong += [] if columns and paper.can_be_mean("table5", (row, AVERAGE), scores) else [row]
    because = all_but(wrong, len(rows), "averages are means of their rows")
    return finding(not wrong, because, wrong=wrong, rows=len(rows))


@claim(
    "F39",
    "Table 5",
    "Each change is the relative change from the full input.",
    holds="Each published change, without its arrow, is within what the rounded scores of its row allow.",
    fails="One is not.",
    weight=DETAIL,
    quote="represents the comparison with the performance when all components are included in the prompt",
)
def published_changes(paper: Material) -> Finding:
    """Compute each change from the scores, and hold the published one to what rounding allows."""
    wrong, places = [], [(row, column) for row, column in paper.tables["ocr"] if column.endswith(": change")]
    for row, column in places:
        model = column.removesuffix(": change")
        published = paper.published("table5", row, column)
        if not paper.allows_change(row, model, published):
            ours, found = abs(paper.change(row, model)), paper.published("ocr", row, column)
            wrong.append(f"{row}, {model} (published {published}, computed {ours:.2f}, found by OCR {found})")
    because = all_but(wrong, len(places), "changes follow from the scores")
    return finding(not wrong, because, wrong=wrong, changes=len(places))
