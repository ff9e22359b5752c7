"""Tables from the data files and the published predictions, beside published numbers if the paper has them."""

from __future__ import annotations

import pandas as pd

from selu.papers.claims import percent
from selu.papers.nlbse24.material import LABELS, LANGUAGES, OF_ALL, REPOSITORIES, TOTAL, Material
from selu.papers.nlbse24.records import F1Interval, Overall, SourcedRun
from selu.papers.table import Compared, Table, shown
from selu.stats.rounding import to_digits


def table2_counted(paper: Material) -> Table:
    """Count Table 2 from the data files, with the published number beside a different count."""
    rows: dict[str, dict[str, str]] = {}
    compared = []
    for (row, column), cell in paper.facts("comment_rows").items():
        count, published = int(cell.published), paper.published("table2", row, column)
        off = count - int(paper.number("table2", row, column))
        why = "another count in the data files" if off else ""
        compared.append(Compared(row, column, published, f"{count:,}", not off, float(off), why))
        named = dict(zip(("Language", "Category"), row.split("/"), strict=True))
        rows.setdefault(row, named)[column] = shown(compared[-1])
    caption = "Table 2 counted from the data files: sentences that belong to a category or not."
    return Table("table2_counted", caption, pd.DataFrame(rows.values()), tuple(compared))


def table1_rescored(record: SourcedRun) -> Table:
    """Tabulate the SetFit row of Table 1 beside the scores of its published predictions.

    Args:
        record: one run of reports/nlbse24/rescored.json.
    """
    rows, compared = [], []
    for entry in record["table1"]:
        text = to_digits(entry["value"], 4)
        off = float(entry["printed"]) - entry["value"]
        why = "" if entry["equal"] else "neither rounded nor cut off"
        row = f"{record['team']}/{entry['metric']}"
        compared.append(Compared(row, entry["label"], entry["printed"], text, entry["equal"], -off, why))
        places = {"Metric": entry["metric"], "Label": entry["label"], "Published": entry["printed"]}
        rows.append(places | {"Re-scored": text, "Published by": " or ".join(entry["printed_as"]) or "neither"})
    caption = (
        f"{record['team']} in Table 1: published, and re-scored from {record['rows']:,} published predictions "
        "against labels of the test file."
    )
    return Table(
        "table1_rescored", caption, pd.DataFrame(rows), tuple(compared), "follow by rounding or truncating"
    )


def rescored_repositories(record: SourcedRun) -> Table:
    """Return the re-scored run by repository, with intervals of F1, and the number of equal results."""
    rows = []
    parts: list[tuple[str, Overall, F1Interval | None]] = [
        *((cell["task"], cell, cell["interval_of_f1"]) for cell in record["cells"]),
        ("overall", record["overall"], None),
    ]
    for task, part, interval in parts:
        scores = part["scores"]
        bounds = [to_digits(end, 3) for end in (interval["low"], interval["high"])] if interval else []
        rows.append(
            {"Repository": task.removeprefix("issue_")}
            | {f"F1 {label}": to_digits(scores[label.lower()]["f1"], 4) for label in (*LABELS, OF_ALL)}
            | {"Interval of the average": f"[{', '.join(bounds)}]" if bounds else "-"}
            | {"Equal to the result file": f"{part['compared'] - len(part['apart'])} of {part['compared']}"}
        )
    caption = "F1 re-scored by repository; intervals by bootstrap of the test rows, 12 digits held to the file."
    return Table("rescored", caption, pd.DataFrame(rows))


def issues(paper: Material) -> Table:
    """Return the counts of both issue files: reports, days, empty fields, reports shared with training."""
    rows = [
        (
            f"Reports of {part}",
            sum(
                _count(paper, "issue_rows", f"{part}/{repository}/{label.lower()}", "rows")
                for repository in REPOSITORIES
                for label in LABELS
            ),
        )
        for part in ("train", "test")
    ]
    rows += [
        (f"Reports of {part} {column}", _count(paper, "issue_texts", part, column))
        for part in ("train", "test")
        for column in ("without title", "without body")
    ]
    overlap = [key for key in paper.facts("issue_overlap") if key[1] != "reports"]
    rows += [
        (f"Reports of {row}: {column}", _count(paper, "issue_overlap", row, column)) for row, column in overlap
    ]
    lines = [(what, f"{count:,}") for what, count in rows]
    lines += [
        (f"Opened, {row}: {column}" if row != "all" else column.capitalize(), cell.published)
        for (row, column), cell in paper.facts("issue_dates").items()
    ]
    return _listed("data_issues", "Issue reports: what the two files hold.", lines)


def comments(paper: Material) -> Table:
    """Tabulate the three comment files, language by language."""
    columns = {
        "Sentence ids": ("sentence_ids", "unique"),
        "Different texts": ("sentence_ids", "texts"),
        "Class names": ("class_counts", "classes"),
        "In both partitions": ("sentence_parts", "in both"),
        "Most categories of a sentence": ("sentence_categories", "most"),
        "With capital letters": ("comment_characters", "capital letters"),
        "With special characters": ("comment_characters", "special characters"),
        "With a line end": ("comment_characters", "with a line end"),
    }
    rows = []
    for language in LANGUAGES:
        parts = {f"Partition {p}": _count(paper, "partition_rows", f"{language}/{p}", "rows") for p in "01"}
        counts = {name: _count(paper, table, language, column) for name, (table, column) in columns.items()}
        rows.append({"Language": language} | {name: f"{n:,}" for name, n in (parts | counts).items()})
    caption = "What the three files of comments hold. With capital letters and so on: of the sentence ids."
    return Table("data_comments", caption, pd.DataFrame(rows))


def leakage(paper: Material) -> Table:
    """Count testing rows of each category whose text also occurs in its training rows."""
    rows = []
    for row in (*paper.categories, *(f"{language}/{TOTAL}" for language in LANGUAGES)):
        testing = _count(paper, "comment_overlap", row, "testing")
        text, with_class, other = (
            _count(paper, "comment_overlap", row, column)
            for column in ("text in training", "text and class in training", "another answer")
        )
        named = dict(zip(("Language", "Category"), row.split("/"), strict=True))
        rows.append(
            named
            | {"Testing": f"{testing:,}", "Text in training": f"{text:,}", "Share": percent(text / testing)}
            | {"And the class": f"{with_class:,}", "Only with the other answer": f"{other:,}"}
        )
    caption = (
        "Testing rows that repeat the text of a training row of their category. And the class: of such a row "
        "that names the same Java, Pharo or Python class too. Only with the other answer: of rows that all "
        "answer otherwise."
    )
    return Table("data_leakage", caption, pd.DataFrame(rows))


def departures(paper: Material) -> Table:
    """Tabulate each way in which the data files are not what the paper says of them."""
    lines = [(str(int(row)), cell.published) for (row, _), cell in paper.facts("data_mismatches").items()]
    caption = "Differences between the data files and the paper."
    return _listed("data_mismatches", caption, lines, ("Number", "Finding"))


def _count(paper: Material, table: str, row: str, column: str) -> int:
    paper.facts(table)
    return int(paper.number(table, row, column))


def _listed(
    name: str, caption: str, lines: list[tuple[str, str]], columns: tuple[str, str] = ("What", "Number")
) -> Table:
    return Table(name, caption, pd.DataFrame(lines, columns=list(columns), dtype=object))
