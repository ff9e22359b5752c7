"""Tables 3 to 6 as published, beside recomputed sums, and the leads of Table 5."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from selu.boards.rounding import linear
from selu.papers.crosscodebench.claims.overlap import shared_sources
from selu.papers.crosscodebench.claims.splits import PARTS, tasks, total
from selu.papers.crosscodebench.material import (
    MODELS,
    OFF_THE_SHELF,
    SHORTCUTS,
    SUB_TYPES,
    SUPERVISED,
    TYPES,
    Column,
    Material,
)
from selu.papers.crosscodebench.metrics import empty_answer_sentence
from selu.papers.crosscodebench.records import Rescored
from selu.papers.table import Compared, Table, as_counts, as_published

_COUNTS = ("Tasks", "Categories", "Instances")
NONE = ""


def table3(paper: Material) -> Table:
    """Tabulate Table 3, its totals beside the sums of their parts."""
    parts = {"Total": TYPES} | {
        name: tuple(f"{name}: {part}" for part in sub_type) for name, sub_type in SUB_TYPES.items()
    }
    rows, compared = [], []
    for name in paper.row_names("table3"):
        row = {"Type": name} | {column: paper.published("table3", name, column) for column in _COUNTS}
        for column in _COUNTS if name in parts else ():
            found = sum(paper.of_type(part, column) for part in parts[name])
            own = paper.of_type(name, column)
            text = f"{found:,}" if column == "Instances" else str(found)
            compared.append(Compared(name, column, row[column], text, found == own, float(found - own)))
        listed = sum(
            paper.count("collection", data_set, "Tasks")
            for data_set in paper.row_names("collection")
            if name == "Total" or paper.published("collection", data_set, "Type").startswith(name)
        )
        rows.append(row | {"Tasks by data set": str(listed)})
    caption = "Table 3: tasks, categories and instances by type; totals beside the sums of their parts."
    return Table("table3", caption, pd.DataFrame(rows), tuple(compared), "are the sums of their parts")


def table4(paper: Material) -> Table:
    """Tabulate Table 4, with the sums of both sides."""
    rows, compared = [], []
    for split in paper.splits:
        count, instances = total(paper, split)
        allowed = linear((1, paper.amount("table4", split, f"{part} instances")) for part in PARTS)
        of_text = {f"{part} instances": paper.published("table4", split, f"{part} instances") for part in PARTS}
        found = sum(tasks(paper, split))
        range_ = f"{float(allowed.low) / 1e6:.2f}M to {float(allowed.high) / 1e6:.2f}M"
        listed = f"{instances / 1e6:.2f}M"
        compared += [
            as_counts(split, "Tasks", found, count),
            Compared(split, "Instances", range_, listed, allowed.reaches(instances)),
        ]
        rows.append(
            {"Split": split}
            | {f"{part} tasks": str(number) for part, number in zip(PARTS, tasks(paper, split), strict=True)}
            | of_text
            | {"Of all instances": f"{instances:,}"}
            | {"Data sets on both sides": ", ".join(shared_sources(paper, split)) or NONE}
        )
    caption = (
        "Table 4: the ten splits. Training and evaluation tasks are compared with Table 3, instances as far as "
        "their rounding allows. Data sets on both sides are those of the list of tasks, as the "
        "authors' code puts tasks on sides."
    )
    return Table("table4", caption, pd.DataFrame(rows), tuple(compared), "agree with Table 3")


def table5(paper: Material) -> Table:
    """Tabulate Table 5 as published, in percent."""
    rows = [
        {"System": row} | {column.name: paper.published("table5", row, column.name) for column in paper.columns}
        for row in (*SHORTCUTS, *OFF_THE_SHELF, *paper.fine_tuned, SUPERVISED)
    ]
    return Table("table5", "Table 5: scores in percent, as published.", pd.DataFrame(rows))


def leads(paper: Material) -> Table:
    """List the best row of each kind in each column of Table 5, and how far the best model goes."""
    rows = [_lead(paper, column) for column in paper.columns]
    caption = (
        "Table 5 by column: the best shortcut, the best row of each fine-tuned model, and how much of the way "
        "from the shortcut to the supervised model the best of these goes; below 0 % it is behind the shortcut."
    )
    return Table("leads", caption, pd.DataFrame(rows))


def say_leads(paper: Material) -> str:
    """State how far the best model gets from the best shortcut to the supervised model."""
    shares = [int(_lead(paper, column)["Of the way, %"]) for column in paper.columns]
    behind = sum(share < 0 for share in shares)
    return (
        f"The best model on an unseen task covers {min(shares)} % to {max(shares)} % of the way from the best "
        f"shortcut to the supervised model; in {behind or 'none'} of {len(shares)} columns it is behind it"
    )


def _lead(paper: Material, column: Column) -> Mapping[str, str]:
    shortcut, supervised = paper.best(SHORTCUTS, column)[0], paper.score(SUPERVISED, column)
    best, name = paper.best(paper.fine_tuned, column)
    models = {model: f"{paper.best(paper.rows_of(model), column)[0]:.2f}" for model in MODELS}
    return (
        {"Split": column.split, "Metric": column.metric, "Best shortcut": f"{shortcut:.2f}"}
        | models
        | {"Supervised": f"{supervised:.2f}", "Best": name}
        | {"Of the way, %": f"{100 * (best - shortcut) / (supervised - shortcut):.0f}"}
    )


def table6(paper: Material) -> Table:
    """Tabulate Table 6 as published."""
    caption = "Table 6: bug fixing by CodeT5 with 2/0-instruct, by what it was trained on, as published."
    return as_published(paper, "table6", "Experiment", caption)


def rescored(record: Rescored) -> Table:
    """Tabulate published outputs by every metric, with the published scores beside ours if there are any."""
    rows, compared = [], []
    for row in record["rows"]:
        place = f"{row['task']}: {row['system']}"
        compared += [
            Compared(place, entry["metric"], entry["published"], entry["ours"], entry["equal"])
            for entry in row["published"]
        ]
        published = {entry["metric"]: entry["published"] for entry in row["published"]}
        scores = {name: f"{score['value']:.2f}" for name, score in row["scores"].items()}
        rows.append(
            {"Outputs": place, "Rows": f"{row['rows']:,}"}
            | {
                f"{name}, published": published.get(name, NONE)
                for name in ("BLEU over all rows", "exact match")
            }
            | scores
        )
    caption = (
        "Published outputs for three sources of the collection, scored by the authors' two versions of BLEU, "
        "by BLEU over all rows, exact match and ROUGE-L, in percent; scores that were published with them are "
        f"beside ours. {empty_answer_sentence()}"
    )
    return Table("rescored", caption, pd.DataFrame(rows), tuple(compared), "equal the published ones")
