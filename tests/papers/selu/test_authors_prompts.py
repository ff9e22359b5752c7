"""The authors' prompts, held to the hashes of their bytes, and their way to read replies."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from selu.papers.selu.prompts import authors, examples
from selu.registry import tasks
from selu.systems.prompt.parse import parse
from selu.systems.prompt.template import number
from selu.vocabulary import SeluError, Task

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT.parent / "shared" / "published" / "selu" / "package_final"
GOLDEN = ROOT / "tests" / "golden" / "authors_prompts.json"
TASKS = {task.id: task for task in tasks("selu") if task.ranked}
EVERY = [(task, shots) for task in TASKS for shots in (0, 3)]
needs_package = pytest.mark.skipif(not PACKAGE.is_dir(), reason="the authors' package is not beside this clone")


def answer(task: Task, label_text: str) -> str:
    """An answer of a made-up row, in the authors' words."""
    if not task.labels:
        return number(float(label_text))
    ours = [label.name for label in task.labels]
    if task.kind != "multi_label":
        return authors.words(task, ours.index(label_text))
    return authors.words(task, [int(name in label_text.split(", ")) for name in ours])


def rendered(name: str, shots: int) -> str:
    task, rows = TASKS[name], examples()[name]
    shown = [(text, answer(task, label_text)) for text, label_text in rows[:shots]]
    return read(task, shots).render(rows[-1][0], shown)


def read(task: Task, shots: int, folder: Path = PACKAGE) -> authors.Template:
    return authors.template(authors.pinned(ROOT, task, shots), [folder])


def golden() -> dict[str, Any]:
    digest = {
        f"{name}/{shots}": hashlib.sha256(rendered(name, shots).encode()).hexdigest() for name, shots in EVERY
    }
    return dict(sorted(digest.items()))


@pytest.mark.ci
@needs_package
def test_40_of_40_are_rendered_to_the_authors_bytes() -> None:
    with (ROOT / "data/pins/selu/prompt_files.csv").open(encoding="utf-8") as lines:
        pinned = {(row["task"], row["system"]): row["sha256"] for row in csv.DictReader(lines)}
    slots = [(f"{{shot_{place}}}", f"{{label_{place}}}") for place in (1, 2, 3)]
    assert len(EVERY) == len(pinned) == 40
    for name, shots in EVERY:
        template = read(TASKS[name], shots)
        empty = template.render("{text}", slots[:shots])
        how = f"{shots}-shot" if shots else "zero-shot"
        assert hashlib.sha256(empty.encode()).hexdigest() == pinned[name, how]
        rows = examples()[name]
        values = {"text": rows[-1][0]}
        for place, (text, label_text) in enumerate(rows[:shots], start=1):
            values |= {f"shot_{place}": text, f"label_{place}": answer(TASKS[name], label_text)}
        assert rendered(name, shots) == template.content.format(**values)
    assert golden() == json.loads(GOLDEN.read_text("utf-8"))


def test_texts_are_no_templates() -> None:
    shown = authors.Template("{shot_1}|{label_1}|{text}").render("{shot_1} {x}", [("{text}", "{{")])
    assert shown == "{text}|{{|{shot_1} {x}"


def test_other_bytes_and_no_file_are_refused(tmp_path: Path) -> None:
    task, place = TASKS["sentiment"], tmp_path / "assets" / "prompt_templates" / "sentiment.zero-shot.txt"
    with pytest.raises(SeluError, match=r"zero-shot\.txt is not available here: 'selu fetch prompt_files'"):
        read(task, 0, tmp_path)
    place.parent.mkdir(parents=True)
    place.write_text("another {text}", "utf-8")
    with pytest.raises(SeluError, match="does not have the pinned bytes"):
        read(task, 0, tmp_path)
    with pytest.raises(SeluError, match="no 2-shot prompt of sentiment"):
        authors.pinned(ROOT, task, 2)


@pytest.mark.parametrize(
    ("name", "reply", "read"),
    [
        ("bug_issue", "None of these is a BUG.", 1),
        ("bug_issue", "not a bug", 0),
        ("tone_bearing", "Non-technical", 1),
        ("safety_issue", "I cannot tell", 0),
        ("question_quality", "lq_edit", 1),
        ("closed_question", "off-topic", -1),
        ("sentiment", "", -1),
        ("sentiment", None, None),
        ("comment_type_python", "Summary, developmentNotes", [0, 0, 1, 0, 1]),
        ("comment_type_python", "usage; expand", [0, 0, 0, 0, 0]),
        ("story_points", " 8 ", 8.0),
        ("story_points", "8.0", 0.0),
        ("story_points", "about 8", 0.0),
    ],
)
def test_replies_are_read_as_the_authors_scripts_do(name: str, reply: str | None, read: Any) -> None:
    assert authors.read(TASKS[name], reply) == read


@pytest.mark.parametrize(
    ("name", "reply", "found"),
    [
        ("sentiment", "It is Positive.", True),
        ("sentiment", "mixed", False),
        ("comment_type_python", "Summary, other", True),
        ("comment_type_python", "usage; expand", False),
        ("story_points", " 0 ", True),
        ("story_points", "8.0", False),
    ],
)
def test_replies_without_an_answer_for_the_authors_scripts_are_told(name: str, reply: str, found: bool) -> None:
    assert authors.finds(TASKS[name], reply) is found


def test_our_grammar_reads_each_of_the_authors_answers_back() -> None:
    for task in TASKS.values():
        answers = [5.0] if not task.labels else list(range(len(task.labels)))
        if task.kind == "multi_label":
            answers = [[int(label == other) for other in answers] for label in answers]
        for answer in answers:
            found = parse(authors.words(task, answer), str(task.kind), authors.names(task))
            assert found.answer == answer


def test_answers_in_the_authors_words() -> None:
    assert authors.words(TASKS["comment_type_java"], [1, 0, 0, 0, 0, 0, 1]) == "summary,rational"
    assert authors.words(TASKS["safety_issue"], 1) == "YES"
    assert authors.words(TASKS["story_points"], 5.0) == "5"
    assert all(len(authors.names(task)) == len(task.labels) for task in TASKS.values())
