from __future__ import annotations

import csv
import gzip
import html.parser
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from helpers.authors_cleaning import clean_plain
from selu.text.pipelines import PIPELINES, Pipeline, check_steps, clean, clean_many

ROOT = Path(__file__).parents[2]
DATASETS = ROOT.parent / "shared" / "datasets"
CLEANING = yaml.safe_load((ROOT / "src/selu/papers/selu/readers/cleaning.yaml").read_text("utf-8"))
MARKDOWN = ("whitespace", "markdown", "code", "hash", "url", "user")
JIRA = ("whitespace", "jira", "markdown", "url", "user")
needs_data = pytest.mark.skipif(not DATASETS.is_dir(), reason="the data sets are not beside the checkout")
old_parser = pytest.mark.skipif(
    hasattr(html.parser, "commentabruptclose"), reason="this Python's html.parser follows the rules of 2025"
)


def test_every_task_declares_steps_that_stand() -> None:
    tasks = yaml.safe_load((ROOT / "src/selu/papers/selu/tasks.yaml").read_text("utf-8"))
    assert set(CLEANING) == {task["id"] for task in tasks}
    for steps in CLEANING.values():
        for pipeline in PIPELINES:
            check_steps(steps, pipeline)


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_many_texts_keep_their_order_whatever_the_processes(pipeline: Pipeline) -> None:
    texts = [f"# {number}\n\n`a` [b](https://c.example/{number}) \ud800" for number in range(777)]
    alone = clean_many(texts, MARKDOWN, pipeline)
    assert alone == [clean(text, MARKDOWN, pipeline) for text in texts]
    assert clean_many(texts, MARKDOWN, pipeline, processes=2) == alone
    assert len(set(alone)) == len(alone)


def test_no_texts_and_no_processes() -> None:
    assert clean_many([], MARKDOWN, "paper", processes=2) == []
    with pytest.raises(ValueError, match="1 or more"):
        clean_many(["a"], MARKDOWN, "paper", processes=0)


def cells(pattern: str) -> Iterator[str]:
    """Every cell of every CSV file that the pattern finds: real texts, whatever they are."""
    csv.field_size_limit(sys.maxsize)
    for path in sorted(DATASETS.glob(pattern)):
        with gzip.open(path, "rt", encoding="utf-8", errors="surrogateescape", newline="") as file:
            for row in csv.reader(file):
                yield from (cell for cell in row if len(cell) > 20)


def differing(texts: list[str], steps: tuple[str, ...]) -> list[int]:
    paper = clean_many(texts, steps, "paper")
    return [
        index
        for index, (text, got) in enumerate(zip(texts, paper, strict=True))
        if clean_plain(text, steps) != got
    ]


@needs_data
@old_parser
@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_paper_is_the_plain_steps_on_the_issue_reports(every: int) -> None:
    texts: list[str] = []
    csv.field_size_limit(sys.maxsize)
    for path in sorted((DATASETS / "nlbse24" / "issue_report").glob("*.csv.gz")):
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            texts += [f"{row['title']} {row['body']}" for row in csv.DictReader(file)]
    assert len(texts) == 3000
    assert differing(texts[::every], MARKDOWN) == []


@needs_data
@old_parser
@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "steps"),
    [
        ("story_points", JIRA),
        ("sentiment", MARKDOWN),
        ("smell_doc", MARKDOWN),
        ("issue_intention", MARKDOWN),
        ("commit_intention", MARKDOWN),
        ("incivility", MARKDOWN),
        ("comment_type", MARKDOWN),
    ],
)
def test_paper_is_the_plain_steps_on_selus_texts(folder: str, steps: tuple[str, ...]) -> None:
    every = 3 if folder == "story_points" else 1
    texts = list(dict.fromkeys(cells(f"selu/{folder}/**/*.csv.gz")))[::every]
    assert texts
    assert differing(texts, steps) == []
