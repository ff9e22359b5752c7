"""Readers of the tasks with one file format per source: each names its files, text, label and group."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pandas as pd

from selu.papers.selu.readers._parts import (
    Part,
    Raw,
    Reader,
    Record,
    Row,
    coded,
    content,
    find,
    flag,
    index_of,
    number,
    records_of,
    rows_table,
    stacked,
)
from selu.vocabulary import SeluError, Task

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


# functional_requirement, quality_requirement (Dalpiaz et al. 2019, as PROMISE and four more documents)
def _unquoted(row: Row) -> str:
    """Strip the quotation marks ' of PROMISE, which the authors' notebook reads as the quote character."""
    text: str = row["RequirementText"]
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == "'" else text


def _requirements(column: str, names: tuple[str, str]) -> Reader:
    label = coded(column, dict(zip("01", names, strict=True)))
    files = ("dronology", "leeds", "promise-reclass", "reqview", "wasp")
    return stacked(
        *(
            Part(file, _unquoted, label, lambda row, file=file: f"{file} {row['ProjectID']}")  # type: ignore[misc]
            for file in files
        )
    )


functional_requirement = _requirements("IsFunctional", ("non-functional", "functional"))
quality_requirement = _requirements("IsQuality", ("non-quality", "quality"))


# security_requirement (SecReq, Knauss et al. 2011)
_UNLABELLED = {
    ("GPS.csv:101", "xyz"),
    ("GPS.csv:178", ""),
}  # the two lines with neither label; the paper has 510 rows


def security_requirement(raw: Raw, task: Task) -> pd.DataFrame:
    """Return the three documents without bytes above 0x7f, which the authors' notebook drops, too."""
    records: list[Record] = []
    for file in ("CPN", "ePurse-selective", "GPS"):
        part = Part(file, lambda row: _NOT_ASCII.sub("", row["text"]), coded("label"))
        name, table = find(raw, file)
        for line, row in enumerate(records_of(name, table), 1):
            place = f"{name}:{line}"
            if (place, row["label"].strip()) not in _UNLABELLED:
                records.append((f"p{len(records):06d}", *content(part, row, task, place), file, place))
    return rows_table(records, "text")


# incivility and tone_bearing (Ferreira et al. 2021, 2022): mailing list (lkml) and issues (gh)
def _conversation(row: Row) -> str:
    return f"lkml {row['thread_id']}" if "thread_id" in row else f"gh {row['issue_id']}"


incivility = stacked(
    *(
        Part(file, "quotation", coded("quotation_code"), _conversation)
        for file in ("lkml_civil", "lkml_uncivil", "gh_civil", "gh_uncivil")
    )
)

_TONE = coded("email_classification", {"technical": "technical", "not_technical": "non-technical"})


def _tone(file: str, first: int | None = None, placed: bool = True) -> Part:
    return Part(file, "ahlaam_preprocessed_text", _TONE, _conversation, first, placed)


tone_bearing = stacked(  # positions 1495 to 5892 are those of gh_technical
    _tone("lkml_technical", 0),
    _tone("lkml_non_technical", 1327),
    _tone("gh_non_technical", 5893),
    _tone("gh_technical_subset", placed=False),
)


# sentiment: API reviews (Uddin and Khomh), GitHub (Novielli et al. 2020), Stack Overflow (Lin et al. 2018)
_ASPECTS = "BenchmarkUddinSO-ConsoliatedAspectSentiment"


def _stack_overflow_order() -> list[int]:
    """Return the copy's rows in the authors' order, that of another study's file with the same sentences.

    The published folds balance in it, and the published matrices come out to the last row.
    """
    return [int(line) for line in Path(__file__).with_name("sentiment_order.txt").read_text().split()]


sentiment = stacked(
    Part(
        _ASPECTS,
        "sent",
        coded("ManualLabel", {"n": "negative", "o": "neutral", "p": "positive"}),
        lambda row: f"thread {row['thread']}",
    ),
    Part("github_gold", "Text", coded("Polarity")),
    Part(
        "StackOverflow_lin2018",
        "Comment",
        coded("Sentiment", {"Negative": "negative", "Neutral": "neutral", "Positive": "positive"}),
        order=_stack_overflow_order,
    ),
)


# review_aspect (Uddin and Khomh 2021)
def _codes(row: Row, task: Task) -> list[int]:
    """Parse a list that is written as text, such as ``["'Usability'"]`` or ``[u"'Bug'", "'Legal'"]``."""
    try:
        codes = [str(code).strip("'") for code in ast.literal_eval(row["codes"])]
    except (SyntaxError, TypeError, ValueError):
        raise ValueError(f"codes is {row['codes'][:40]!r}, not a list") from None
    names = {"OnlySentiment": "only sentiment"}
    found = {index_of(task, names.get(code, code.lower())) for code in codes}
    return [int(position in found) for position in range(len(task.labels))]


review_aspect = stacked(Part(_ASPECTS, "sent", _codes, lambda row: f"thread {row['thread']}"))


# smell_doc (Khan et al. 2021)
def _smells(row: Row, task: Task) -> list[int]:
    columns = ("Fragmented", "Tangled", "Excessive Structured", "Bloated", "Lazy")
    flags = [0] * len(task.labels)
    for column in columns:
        flags[index_of(task, column.split()[0].lower())] = flag(column, row[column])
    return flags


def _carriage_returns(row: Row) -> str:
    """Replace carriage returns by _x000D_, the workbook's form, which the paper's texts still have."""
    return str(row["Documentation Text"]).replace("\r", "_x000D_")


def smell_doc(raw: Raw, task: Task) -> pd.DataFrame:
    """Read one file, the workbook or the same rows as csv."""
    if len(raw) != 1:
        raise SeluError(f"{task.id}: one file is needed, not {len(raw)}; correct the pin.")
    (name,) = raw
    file = name.removesuffix(".gz").rpartition(".")[0]
    return stacked(Part(file, _carriage_returns, _smells))(raw, task)


# question_quality (Annamoradnejad et al. 2022): what is public
def question_features(raw: Raw, task: Task) -> pd.DataFrame:
    """Refuses: the files tell each question's label and eleven features, and nothing to read.

    They are pinned so that the counts of the real labels can be checked.
    """
    names = " and ".join(raw)
    raise SeluError(
        f"{task.id}: {names} hold features and labels but no text: keep the task among the synthetic ones of "
        f"params.yaml, or get the text with 'selu fetch {task.id} --origin package'."
    )


# story_points (Choetkiertikul et al. 2019): 16 projects by file name
_PROJECTS = (
    "appceleratorstudio aptanastudio bamboo clover datamanagement duracloud jirasoftware mesos moodle mule "
    "mulestudio springxd talenddataquality talendesb titanium usergrid"
)


def _issue(row: Row) -> str:
    """Join title and description; NULL is how the source writes an empty description.

    Joined so, and cleaned, the rows make the authors' own files byte for byte.
    """
    title, description = row["title"], row["description"]
    return title if description in ("", "NULL") else f"{title}.\n{description}"


story_points = stacked(
    *(
        Part(project, _issue, number("storypoint"), lambda _, project=project: project)  # type: ignore[misc]
        for project in _PROJECTS.split()
    )
)
