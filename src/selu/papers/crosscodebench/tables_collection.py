"""Tables 2 to 4 counted from the 216 tasks, beside the published ones; what splits share and leak."""

from __future__ import annotations

from typing import Literal, cast

import pandas as pd

from selu.papers.crosscodebench.collection import sizes
from selu.papers.crosscodebench.collection.tasks import entries, with_rows
from selu.papers.crosscodebench.material import Material
from selu.papers.crosscodebench.records import Collection, Side, Way
from selu.papers.crosscodebench.splits.configurations import TRAINING_CAP, capped, splits
from selu.papers.crosscodebench.splits.leaks import WAYS
from selu.papers.table import Table, as_counts

_WAYS = cast(tuple[Way, ...], WAYS)
_SIDES: tuple[Side, ...] = ("input", "output")
FIELDS = ("tasks", "table2", "splits", "held_out", "between")  # of the record that selu prepare writes
MADE_BY = "selu prepare --paper crosscodebench"
NONE = ""
SHOWN = 20  # pairs of tasks


def table2(paper: Material, record: Collection) -> Table:
    """Tabulate Table 2 beside the tasks whose rows are here, with descriptions and examples made here."""
    rows = [
        {"Average": row, "Published": paper.published("table2", row, "Average"), "Here": f"{value:,.2f}"}
        for row, value in record["table2"].items()
    ]
    caption = (
        f"Table 2 beside the same averages of the {len(with_rows())} tasks whose rows are here, in words. "
        "Descriptions and definitions are ours, examples are drawn as the authors' script draws them; the "
        "paper counts tokens of CodeT5 in examples, so that only the form is comparable."
    )
    return Table("collection_table2", caption, pd.DataFrame(rows))


def table3(paper: Material) -> Table:
    """Count the 216 tasks by type, beside Table 3."""
    rows, compared = [], []
    for name, counts in sizes.listed().items():
        row = {"Type": name}
        for column in ("Tasks", "Categories"):
            published, found = paper.of_type(name, column), counts[column]
            row |= {f"{column}, published": str(published), f"{column}, listed": str(found)}
            compared.append(as_counts(name, column, published, found))
        row |= {"Instances, published": paper.published("table3", name, "Instances")}
        row |= {"Tasks with rows here": str(counts["With rows"]), "Rows here": f"{counts['Instances']:,}"}
        rows.append(row)
    caption = (
        "The 216 tasks, listed one by one, beside Table 3. Categories are those of the authors' code, of which "
        "the paper counts fewer."
    )
    return Table("collection_table3", caption, pd.DataFrame(rows), tuple(compared), "equal Table 3")


def table4(paper: Material) -> Table:
    """Tabulate the ten splits by category and type, beside Table 4, and check the paper's promise."""
    rows, compared = [], []
    for split in splits():
        kept = split.without_shared()
        row = {"Split": split.name}
        for side, side_tasks in (("Training", split.tune), ("Evaluation", split.eval)):
            published = paper.count("table4", split.name, f"{side} tasks")
            row[f"{side} tasks"] = str(len(side_tasks))
            compared.append(as_counts(split.name, f"{side} tasks", published, len(side_tasks)))
        row |= {
            "Data sets on both sides": ", ".join(split.shared_sources),
            "Training tasks without them": str(len(kept.tune)),
            "Training instances, published": paper.published("table4", split.name, "Training instances"),
            "At most, 10,000 of a task": f"{TRAINING_CAP * len(split.tune):,}",
            "Of these here": f"{capped(split.tune, TRAINING_CAP):,}",
        }
        rows.append(row)
    caption = (
        "The ten splits, made of the 216 tasks by category and type as the authors' script does, beside Table "
        "4. The paper promises that no data set is on both sides, and trains on at most 10,000 instances of a "
        "task. Of tp one task fixes bugs and one injects them; the tasks of xlcost are of three types."
    )
    return Table("collection_table4", caption, pd.DataFrame(rows), tuple(compared), "equal Table 4")


def missing() -> Table:
    """List what of the collection is not here, by data set and type."""
    groups: dict[tuple[str, str, str], list[int]] = {}
    for entry in entries():
        if entry.missing:
            groups.setdefault((entry.source, entry.type, entry.missing), []).append(entry.rows)
    rows = [
        {
            "Data set": source,
            "Type": type_,
            "Tasks": str(len(group)),
            "Rows here": f"{sum(group):,}",
            "Missing": why,
        }
        for (source, type_, why), group in groups.items()
    ]
    whole = sum(not entry.missing for entry in entries())
    without = sum(not entry.rows for entry in entries())
    caption = (
        f"What is not available here: {without} of 216 tasks wholly, all but {whole} of the others in part."
    )
    return Table("missing", caption, pd.DataFrame(rows))


def checked(record: Collection) -> Table:
    """Tabulate the tasks whose rows are here: sizes, and what the checker found."""
    rows = [
        {"Task": name, "Rows": f"{facts['rows']:,}"}
        | {f"Words of {side}": f"{facts['words'][side]:.1f}" for side in _SIDES}
        | {"Problems": "; ".join(f"{kind}: {number:,}" for kind, number in facts["problems"].items()) or "none"}
        for name, facts in record["tasks"].items()
    ]
    total = sum(facts["rows"] for facts in record["tasks"].values())
    wrong = sum(bool(facts["problems"]) for facts in record["tasks"].values())
    caption = (
        f"{total:,} rows of {len(rows)} tasks, read from pinned files. The checker found something in {wrong} "
        "of them. It looks for empty texts, outputs equal to their inputs, reversed texts, and duplicate "
        "ids."
    )
    return Table("checked", caption, pd.DataFrame(rows))


def leaks(record: Collection, part: Literal["splits", "held_out"] = "splits") -> Table:
    """Tabulate how many evaluation rows are in training, too, by split, or by held-out type."""
    rows = [
        {
            "Split": leak["split"],
            "Evaluation tasks with rows": str(leak["evaluated"]),
            "Evaluation rows": f"{leak['rows']:,}",
            "Training rows": f"{leak['training']:,}",
        }
        | {way.capitalize(): str(leak["found"][way]) if leak["rows"] else NONE for way in _WAYS}
        | {"Training rows left out": f"{leak['dropped']:,}" if leak["rows"] else NONE}
        for leak in record[part]
    ]
    of_paper = part == "splits"
    which = "split" if of_paper else "type that is held out, which is no split of the paper"
    caption = (
        f"Evaluation rows that training rows have, too, by {which}, "
        "among the rows that are here: the first 10,000 of a training and 500 of an evaluation task. Near "
        "either way: the input is nearly an input or an output of training. Last: the training rows that an "
        "option leaves out to keep both apart; empty where no evaluation task has rows."
    )
    return Table(f"leaks_{part}", caption, pd.DataFrame(rows))


def between(record: Collection) -> Table:
    """List the pairs of tasks of two data sets of which one has most rows of the other."""
    sources = {entry.id: entry.source for entry in entries()}
    apart = [pair for pair in record["between"] if sources[pair["task"]] != sources[pair["other"]]]
    most = sorted(
        apart, key=lambda pair: (-max(pair[way] for way in _WAYS) / pair["rows"], pair["task"], pair["other"])
    )
    rows = [
        {"Task": pair["task"], "Other task": pair["other"], "Rows": f"{pair['rows']:,}"}
        | {way.capitalize(): f"{pair[way]:,}" for way in _WAYS}
        for pair in most[:SHOWN]
    ]
    caption = (
        f"Tasks of two data sets that share rows: the {len(rows)} of {len(most)} ordered pairs that share "
        "most. Counted are the rows of the first task, of its first 10,000, that the other has, too. Tasks of "
        "one data set turned round share all rows, and are not listed."
    )
    return Table("between", caption, pd.DataFrame(rows))
