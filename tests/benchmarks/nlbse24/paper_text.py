"""Reads every published number a second time, from the text of the paper and the notes of the competition."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

Places = dict[tuple[str, str], str]

CITED = {
    "[17]": "Ebrahim and Joy",
    "[20]": "Gómez-Barrera et al.",
    "[3]": "Alam et al.",
    "[47]": "Rejithkumar et al.",
    "[4]": "Aracena et al.",
    "[10, 29]": "Kallis and Colavito",
    "[24, 29]": "Kallis and Izadi",
    "[29–31]": "Kallis et al.",
}
SUBSCRIPT = re.compile(r"F\s*(<sub>)?[₁1](</sub>)?\s*-score")  # how the text writes the subscript varies
F1_OF_TEAM = r"average F.{1,3}-score of ([\d.]+\d)"
SENTENCES = {
    ("Abstract", "Issue reports"): r"dataset of (3 thousand) issue reports",
    ("Abstract", "Code comments"): r"or (82 thousand) code comments",
    ("Abstract", "Teams"): r"edition, (six) teams",
    ("2.1", "Issue reports"): r"times 2 = (3,000)\$",
    ("2.1", "Reports per label, repository and split"): r"\$\((100) \\times",
    ("2.1", "Labels"): r"\(100 \\times (3)",
    ("2.1", "Repositories"): r"\(100 \\times 3 \\times (5)",
    ("2.1", "Splits"): r"\\times 5 \\times (2)",
    ("2.1", "Day of extraction"): r"i\.e\.\*, (October 5th 2023)",
    ("2.3", "Teams"): r"(Five) teams submitted a classifier",
    ("2.3", "Ebrahim and Joy"): rf"question marks\. Their approach achieved an {F1_OF_TEAM}",
    ("2.3", "Gómez-Barrera et al."): rf"for the latter\. Their approach achieved an {F1_OF_TEAM}",
    ("2.3", "Alam et al."): rf"to lowercase\. Their approach achieved an {F1_OF_TEAM}",
    ("2.3", "Rejithkumar et al."): rf"to the text\. Their approach achieved an {F1_OF_TEAM}",
    ("2.3", "Aracena et al."): rf"of the competition\. Their approach achieved an {F1_OF_TEAM}",
    ("2.4", "SetFit: training"): r"SetFit baseline lasted (7 minutes)",
    ("2.4", "SetFit: GPU memory"): r"peaked at (17\.4 GB)",
    ("3.1", "Sentences"): r"composed of (14,875) manually",
    ("3.1", "Categories"): r"comment sentences in (19) categories",
    ("3.1", "Classes"): r"are from (1,733) unique classes",
    ("3.1", "Classes: Java"): r"found in (1,049) class-level comments for Java",
    ("3.1", "Classes: Pharo"): r"for Java, (340) for Pharo",
    ("3.1", "Classes: Python"): r"and (344) for Python",
    ("3.1", "Projects"): r"belong to (20) open-source projects",
    ("3.1", "Sentences of a category"): r"with (50\+) comment sentences",
    ("3.1", "Training share"): r"training \((80%)\)",
    ("3.1", "Testing share"): r"testing \((20%)\)",
    ("3.1", "Most categories of a sentence"): r"a maximum of (5 to 7) categories",
    ("3.1", "Partition of training"): r"i\.e\., (one)\* for training",
    ("3.1", "Partition of testing"): r"and \*(zero)\* for testing",
    ("3.2", "Weight of F1"): r"\(avg\. F_1\) \\times (0\.75)",
    ("3.2", "Weight of runtime"): r"max_avg_rt\}\) \\times (0\.25)",
    ("3.2", "Longest runtime (secs.)"): r"set to (0\.005) seconds",
    ("3.3", "Teams"): r"were the (single) team",
    ("3.4", "Precision: Dopamin"): r"precision \((0\.73) vs",
    ("3.4", "Precision: STACC"): r"precision \(0\.73 vs\. (0\.69)",
    ("3.4", "Recall: Dopamin"): r"recall \((0\.74) vs",
    ("3.4", "Recall: STACC"): r"recall \(0\.74 vs\. (0\.74)",
    ("3.4", "F1: Dopamin"): r"F1 score \((0\.74) vs",
    ("3.4", "F1: STACC"): r"F1 score \(0\.74 vs (0\.71)\)",
    ("3.4", "Categories won"): r"subset of (11) categories",
    ("3.4", "Categories not won"): r"the baseline for (8) categories",
    ("3.1", "Projects: Java"): r"The Java projects are (.+?)\. The Python",
    ("3.1", "Projects: Python"): r"The Python projects are (.+?)\. The Pharo",
    ("3.1", "Projects: Pharo"): r"The Pharo projects are (.+?)\. Regarding",
    (
        "2.4",
        "Team of the BERT-like models",
    ): r"report classification, as shown by (.+?) \[",
}
NOTEBOOK = {  # of the competition's 1-Dataset.ipynb, as the notes on its repository have it
    "Order": r"project labels, (newest creation date first), skip",
    "Latest day of closing": r"or closed after (2023-10-01); stop at",
    "Several labels": r"first, (skip) issues with more than one mapped label",
}


def read(shared: Path) -> dict[str, Places]:
    """Every place of ``data/paper/nlbse24``, by file."""
    text = (shared / "papers" / "nlbse24.txt").read_text("utf-8")
    published = shared / "published" / "nlbse24"
    found = {
        "table1": dict(table1(text)),
        "table2": dict(table2(text)),
        "table3": dict(table3(text)),
        "text": {place: one(pattern, text) for place, pattern in SENTENCES.items()},
        "protocol": {
            ("Issue extraction", what): one(pattern, (published / "SPEC.md").read_text("utf-8"))
            for what, pattern in NOTEBOOK.items()
        },
        "baselines": {},
    }
    for entry in entries(published / "baselines_per_repo.csv"):
        kind, repository, label, *scores = entry
        row = f"{kind.removesuffix('_run')}/{repository.split('/')[-1]}/{label}"
        found["baselines"] |= {(row, c): s for c, s in zip(("precision", "recall", "f1"), scores, strict=True)}
    for system in ("stacc", "dopamin"):
        columns = ("precision", "recall", "f1", "avg_runtime_s")
        found[system] = {
            (f"{language}/{category}", column): score
            for language, category, *scores in entries(published / f"{system}_per_category.csv")
            for column, score in zip(columns, scores, strict=True)
        }
    return found


def entries(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text("utf-8").splitlines()))[1:]


def one(pattern: str, text: str) -> str:
    (found,) = re.findall(pattern, text)
    return str(found)


def lines(text: str, start: str, stop: str) -> list[list[str]]:
    after = text[text.index(start) :]
    return [[field.strip() for field in line.split("\t")] for line in after[: after.index(stop)].splitlines()]


def table1(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    """The team of three lines is told by the citation in one of them: the text's names are garbled."""
    rows = [line for line in lines(text, "Classification Model\tMetric", " Table 1:") if len(line) == 6]
    heads, rows = rows[0][2:], rows[1:]
    for number in range(0, len(rows), 3):
        three = rows[number : number + 3]
        (team,) = {CITED[c] for c in CITED if any(line[0].endswith(c) for line in three)}
        for line in three:
            for head, printed in zip(heads, line[2:], strict=True):
                yield (f"{team}/{SUBSCRIPT.sub('F1-score', line[1])}", head), printed


def table2(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    rows = [line[:11] for line in lines(text, "Language\tCategories\t", "3.3 Submitted") if len(line) > 10]
    language = ""
    for line in rows[1:]:
        language = line[0] or language
        for position, printed in enumerate(line[2:]):
            part = ("Training", "Testing", "Training + Testing")[position // 3]
            yield (f"{language}/{line[1] or 'Total'}", f"{part}: {rows[0][2 + position]}"), printed


def table3(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    rows = lines(text, "Participants\tClassification Model", "4 CONCLUSIONS")
    for line in rows[1:3]:
        for head, printed in zip(rows[0][2:], line[2:], strict=True):
            yield (line[0], SUBSCRIPT.sub("F1-score", head)), printed
