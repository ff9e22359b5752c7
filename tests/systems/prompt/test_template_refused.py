"""What is wrong with a template is said with its place; and which bytes a task's prompts hang on."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from selu.papers.selu.prompts import FOLDER
from selu.registry import tasks
from selu.systems.prompt.template import Prompts, source_hash
from selu.vocabulary import Kind, SeluError

TASKS = {task.id: task for task in tasks("selu") if task.ranked}
BINARY = TASKS["bug_issue"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the templates, to be spoilt."""
    return Path(shutil.copytree(FOLDER, tmp_path / "prompts"))


def refused(folder: Path, shots: int = 3) -> str:
    with pytest.raises(SeluError) as caught:
        Prompts(folder, BINARY).render("x", [("y", "bug")] * shots)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    return message


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("bug_issue.j2", '{% extends "base.j2" %}\n{% set entity = %}', "line 2: Expected an expression"),
        ("bug_issue.j2", "{{ 'open", "line 1: unexpected char"),
        ("bug_issue.j2", "\n\n{{ 1 / 0 }}", "line 3: division by zero"),
        ("bug_issue.j2", "{{ text | shout }}", "line 1: No filter named 'shout'"),
        ("bug_issue.j2", "{{ labels.__class__.__mro__ }}", "line 1: access to attribute '__class__'"),
        ("bug_issue.j2", "{% for x in range(10**9) %}{% endfor %}", "line 1: Range too big"),
        ("bug_issue.j2", "{% extends text %}", "bug_issue.j2: it refers to a template by a variable"),
        ("bug_issue.j2", b"\xff", "bug_issue.j2: 'utf-8' codec"),
        ("forms/one_class.j2", "{% if %}", "line 1: Expected an expression"),
        ("base.j2", "{% block a %}\n{% endfor %}", "line 2: Encountered unknown tag 'endfor'"),
    ],
)
def test_what_is_no_template(folder: Path, name: str, content: str | bytes, message: str) -> None:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    found = refused(folder)
    assert message in found
    assert str(folder / name) in found


@pytest.mark.parametrize(
    ("name", "old", "new", "shots", "message"),
    [
        ("bug_issue.j2", '"ISSUE"', "entety", 3, r"base\.j2, line 15: 'entety' is undefined"),
        ("bug_issue.j2", '"ISSUE"', "entety", 0, r"base\.j2, line 20: 'entety' is undefined"),
        ("base.j2", "label.means", "label.meaning", 3, r"base\.j2, line 7: .*has no attribute 'meaning'"),
    ],
)
def test_a_misspelt_name(folder: Path, name: str, old: str, new: str, shots: int, message: str) -> None:
    content = (folder / name).read_text("utf-8")
    (folder / name).write_text(content.replace(old, new, 1), "utf-8")
    assert re.search(message, refused(folder, shots))


@pytest.mark.parametrize("name", ["bug_issue.j2", "forms/one_class.j2", "base.j2"])
def test_a_template_that_is_missing(folder: Path, name: str) -> None:
    (folder / name).unlink()
    path = folder / name
    assert refused(folder) == f"{path} is missing: restore it with 'git checkout -- {path}'."
    with pytest.raises(SeluError, match="is missing"):
        source_hash(folder, "bug_issue")


def test_the_source_hash_follows_the_files_of_a_task_and_no_others(folder: Path) -> None:
    def hashes() -> dict[str, str]:
        return {name: source_hash(folder, name) for name in TASKS}

    first = hashes()
    assert first == {name: source_hash(FOLDER, name) for name in TASKS}
    assert len(set(first.values())) == len(TASKS)
    changed = {
        "bug_issue.j2": {"bug_issue"},
        "forms/number.j2": {"story_points"},
        "forms/labels.j2": {name for name, task in TASKS.items() if task.kind is Kind.MULTI_LABEL},
        "base.j2": set(TASKS),
        "examples.yaml": set(),
    }
    for file, names in changed.items():
        before = hashes()
        with (folder / file).open("a", encoding="utf-8") as stream:
            stream.write("{# more #}\n")
        after = hashes()
        assert {name for name in TASKS if before[name] != after[name]} == names
