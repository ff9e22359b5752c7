"""Reads every published number a second time, from the text of the paper and the files of the tasks."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

Places = dict[tuple[str, str], str]

COLUMNS1 = {
    "Has description?": "Description",
    "Has definition?": "Definition",
    "Has examples?": "Examples",
    "Is off-the-shelf?": "Off-the-shelf",
    "# of tasks": "Tasks",
    "# of types": "Types",
    "# of categories": "Categories",
    "# of datasets": "Data sets",
    "# of PLs": "Programming languages",
    "# of instances": "Instances",
}
FIELDS2 = {
    "# of instances per task": "instances per task",
    "Task description length": "task description length",
    "Task definition length": "task definition length",
    **{
        f"{a} example {b} length": f"{a.lower()} example {b} length"
        for a in ("Positive", "Negative")
        for b in ("input", "output")
    },
}
# in the order of Table 5's columns
SPLITS = ("Cat-Intra-CD", "Cat-Intra-BF", "Cat-Inter-CD", "Cat-Inter-BF", "Sub-Intra-ML", "Sub-Intra-C2T")
SPLITS += ("Sub-Inter-ML", "Sub-Inter-C2T", "Type-Trans", "Type-QA")
LEVELS = {"Cat": "Cross-Category", "Sub": "Cross-Sub-Type", "Type": "Cross-Type"}
SENTENCES = {
    ("Abstract", "Tasks"): r"benchmark that includes (\d+) existing",
    ("1", "Tasks"): r"end up with (216) tasks across",
    ("1", "Categories"): r"tasks across (\d+) categories",
    ("1", "Types"): r"categories, (\d) types and",
    ("1", "Programming languages"): r"types and (\d+) programming languages",
    ("1", "Splits"): r"Next, we create (\d+) training/evaluation splits",
    ("2", "CodeXGLUE: data sets"): r"benchmark which includes (\d+) datasets for",
    ("2", "CodeXGLUE: tasks"): r"14 datasets for (\d+) diversified",
    ("2", "CodeTrans: tasks"): r"benchmark that contains (\d) code-related tasks",
    ("2", "CodeTrans: languages"): r"6 code-related tasks across (\d) programming",
    ("2", "XLCoST: tasks"): r"XLCoST to support (\d+) cross-lingual",
    ("2", "Instances, in millions, more than"): r"216 tasks and more than (\d+)M data instances",
    ("3", "Data sets"): r"collecting a total of (\d+) code-related datasets",
    ("3", "Initial classifications"): r"definition of (four) initial classifications",
    ("3", "Description patterns, pilot study"): r"task descriptions \((\d+) patterns\)",
    ("3", "Definition patterns, pilot study"): r"task definitions \((\d+) patterns\)",
    ("3", "Patterns of description and definition, completion"): r"follow the (5/14) initial patterns",
    ("3", "Examples put together"): r"put together a total of (\d+) examples",
    ("3", "Examples chosen"): r"vote on the most representative (\d)",
    ("3", "Examples written by each coder"): r"task definition, and (\d) positive/negative examples",
    ("3", "Kappa: task type"): r"The results are ([\d.]+)%",
    ("3", "Kappa: description"): r"are 85.4%, ([\d.]+)%",
    ("3", "Kappa: definition"): r"76.7%, ([\d.]+)%",
    ("3", "Kappa: examples"): r"73.2% and ([\d.]+)%",
    ("3", "Almost perfect agreement on"): r"agreement” on the (task type)",
    ("3", "Splits"): r"By now, we create (\d+) training",
    ("3", "Cross-category splits"): r"we create (\d) splits for the cross-category",
    ("3", "Cross-sub-type splits"): r"we create (\d) splits as well",
    ("3", "Cross-type splits"): r"we create (two) splits at the cross-type",
    ("3", "Cross-sub-type targets"): r"namely (Multi-label Classification and Rewrite Generation)",
    ("3", "Type with the fewest tasks"): r"fewest tasks, i.e., (Question Answering)",
    ("3", "Leakage between source data sets"): r"there is (no) data leakage",
    ("4", "Learning methods"): r"we derive (\d) cross-task learning methods",
    ("4", "Shortcut methods"): r"end up with (\d) shortcut",
    ("4", "Off-the-shelf models"): r"methods, (\d) off-the-shelf",
    ("4", "Fine-tuned models"): r"models, (\d) fine-tuned",
    ("4", "Supervised models"): r"models and (\d) supervised",
    ("4", "Version of the fine-tuned models"): r"official “(large)” version",
    ("4", "Training instances of a task, at most"): r"training tasks to ([\d,]+)\.",
    ("4", "Evaluation instances of a task"): r"fixed number of (\d+) evaluation",
    ("4", "Runs"): r"run each experiments (three) times",
    ("5", "Shortcuts win on"): r"all splits except (Cat-Intra-CD and Sub-Intra-ML)",
    ("5", "Underlined within, percent"): r"those within (\d)% below",
    ("5", "Tk-Instruct wins on"): r"such as (Code-to-Text and Question Answering)",
    ("5", "BLEU falls from"): r"increases from (10,000) to 20,000, the BLEU",
    ("5", "BLEU falls to"): r"from 10,000 to ([\d,]+), the BLEU",
    ("4", "Overlap of pre-training and evaluation data"): r"there is (no) overlap between the dataset they use",
    ("4", "Off-the-shelf version, 2/0-instruct"): r"we use the “([\w-]+)” and “",
    ("4", "Off-the-shelf version, 2/2-instruct"): r"def-pos” and “([\w-]+)” versions",
    ("4", "Epochs"): r"total fine-tuning epochs of (\d)",
    ("4", "Learning rate: PLBART"): r"rate of (5e-5) for CodeT5 and PLBART",
    ("4", "Learning rate: CodeT5"): r"rate of (5e-5) for CodeT5 and",
    ("4", "Learning rate: Tk-Instruct"): r"and (1e-5) for Tk-Instruct",
    ("6", "Overlap in pre-training"): r"threats (may be introduced) in the pre-training phase",
}
# Counted or put together by us: five types listed, one and four coders, two targets, two names of a version.
OURS = {("3", "Initial types listed"): "5", ("3", "Coders"): "5", ("4", "Off-the-shelf versions"): "two"}
OURS |= {("3", "Cross-category targets"): "clone detection and bug fixing"}


def read(shared: Path) -> dict[str, Places]:
    """Tables 1 to 6, their marks, sentences, categories and the list of data sets."""
    lines = (shared / "papers" / "crosscodebench.txt").read_text("utf-8").splitlines()
    prose = re.sub(r"\s+", " ", " ".join(lines).replace("*", ""))
    sentences = {
        place: found[1] for place, pattern in SENTENCES.items() if (found := re.search(pattern, prose))
    }
    scores, marks = _table5(lines)
    folder = shared / "datasets" / "crosscodebench"
    return {
        "table1": _table1(lines),
        "table2": {(FIELDS2[a], "Average"): b for a, b in _rows(lines, "Field\tAverage", 2)},
        "table3": _table3(lines),
        "table4": _table4(lines),
        "table5": scores,
        "marks": marks,
        "table6": _table6(lines),
        "text": sentences | OURS,
        "categories": {
            (row["category"], "Type"): row["type"].replace(" -> ", ": ")
            for row in csv.DictReader((folder / "ccb" / "category_map.csv").open(encoding="utf-8"))
        },
        "collection": _collection(folder / "tasks_216.csv"),
    }


def _rows(lines: list[str], head: str, least: int) -> Iterator[list[str]]:
    """The rows of the table whose head begins so, until a line that is none."""
    at = next(place for place, line in enumerate(lines) if line.startswith(head))
    for line in lines[at + 1 :]:
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) < least:
            return
        yield cells


def _table1(lines: list[str]) -> Places:
    names = next(line for line in lines if line.startswith("Benchmark\t")).split("\t")[1:]
    known = {"✓": "yes", "✗": "no"}
    return {
        (name, COLUMNS1[what]): known.get(cell, cell)
        for what, *cells in _rows(lines, "Benchmark\t", 6)
        for name, cell in zip(names, cells, strict=True)
    }


def _table3(lines: list[str]) -> Places:
    found: Places = {}
    type_ = ""
    for name, *cells in _rows(lines, "Type\t# of Tasks", 4):
        bare, *numbers = (re.sub(r"</?b>", "", cell) for cell in (name, *cells))
        type_ = type_ if bare.startswith("- ") else bare
        row = f"{type_}: {bare[2:]}" if bare.startswith("- ") else bare
        found |= {
            (row, column): text
            for column, text in zip(("Tasks", "Categories", "Instances"), numbers, strict=True)
        }
    return found


def _table4(lines: list[str]) -> Places:
    found: Places = {}
    at = next(place for place, line in enumerate(lines) if line.startswith("Cross Type\tScope"))
    for line in lines[at + 1 : at + 11]:
        split, tasks, instances = (cell.strip() for cell in line.split("\t")[2:])
        level = split.split("-")
        found[split, "Level"] = LEVELS[level[0]]
        found[split, "Scope"] = "Intra-Type" if level[1] == "Intra" else "Inter-Type"
        for what, text in (("tasks", tasks), ("instances", instances)):
            found |= dict(
                zip(((split, f"Training {what}"), (split, f"Evaluation {what}")), text.split("/"), strict=True)
            )
    return found


def _table5(lines: list[str]) -> tuple[Places, Places]:
    columns = [
        f"{split}: {metric}"
        for split in SPLITS
        for metric in (("EM",) if split.endswith(("CD", "ML")) else ("BLEU", "ROUGE-L"))
    ]
    scores: Places = {}
    marks: Places = {}
    kind = model = ""
    at = next(place for place, line in enumerate(lines) if line.startswith("Shortcut\t"))
    for line in lines[at : at + 21]:
        first, second, method, *cells = line.split("\t")
        kind, model = first or kind, second or model
        row = _row_of_table5(kind, model, method)
        for column, cell in zip(columns, cells, strict=True):
            scores[row, column] = re.sub(r"</?\w+>", "", cell).strip()
            if "<b>" in cell or "<u>" in cell:
                marks[row, column] = "bold" if "<b>" in cell else "underline"
    return scores, marks


def _row_of_table5(kind: str, model: str, method: str) -> str:
    """A row as our file names it; the text leaves out that PLBART's rows are of fine-tuned models."""
    if kind == "Shortcut":
        return method
    if kind == "Supervised":
        return "Supervised CodeT5"
    off = kind == "Off-the-Shelf" and model == "Tk-Instruct"
    return f"{'Off-the-shelf ' if off else ''}{model}, {method}"


def _table6(lines: list[str]) -> Places:
    columns = ("In sub-type", "In type", "Out of type", "Training size", "BLEU", "ROUGE-L")
    known = {"✓": "yes", "✗": "no"}
    return {
        (row, column): known.get(cell, cell)
        for row, *cells in _rows(lines, "\tIn-Sub-Type", 7)
        for column, cell in zip(columns, cells, strict=True)
    }


def _collection(path: Path) -> Places:
    found: Places = {}
    for row in csv.DictReader(path.open(encoding="utf-8")):
        name = row["dataset"]
        found[name, "Type"] = row["type"] + (f": {row['sub_type']}" if row["sub_type"] else "")
        found |= {(name, "Tasks"): row["tasks"], (name, "Obtainable"): row["obtainable"]}
    return found
