from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import small_project as small
from selu import registry
from selu.papers.own import prompt as own_prompt
from selu.papers.own import record as own
from selu.papers.selu.prompts import FOLDER
from selu.systems.prompt.template import Prompts
from selu.vocabulary import Kind, Metric, SeluError

BINARY = {
    "question": "Why?",
    "kind": "binary",
    "text": "t",
    "label": "l",
    "labels": {"no": "it is not", "yes": "it is"},
}
NUMBER = {"question": "How much?", "kind": "regression", "text": ["a", "b"], "label": "l", "range": [0, 8]}


def put(root: Path, record: object, name: str = "mine") -> Path:
    path = root / own.FOLDER / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(record if isinstance(record, str) else yaml.safe_dump(record, sort_keys=False), "utf-8")
    return path


def read(root: Path, **fields: object) -> own.Own:
    put(root, {**BINARY, **fields})
    return own.read(root, "mine")


def refused(root: Path, record: object, name: str = "mine") -> str:
    path = put(root, record, name)
    with pytest.raises(SeluError) as caught:
        own.read(root, name)
    text = str(caught.value)
    assert text.startswith(f"{path}")
    assert len(text.splitlines()) == 1
    return text.removeprefix(f"{path}").lstrip(": ")


def test_a_record_gives_a_task(tmp_path):
    task = read(tmp_path).task
    assert (task.id, task.kind, task.metric, task.ranked) == ("mine", Kind.BINARY, Metric.F1_MACRO, True)
    assert [(label.name, label.means) for label in task.labels] == [("no", "it is not"), ("yes", "it is")]
    put(tmp_path, NUMBER, "points")
    points = own.read(tmp_path, "points", 7)
    assert (points.task.metric, points.task.range, points.task.instances) == (Metric.ONE_MINUS_SMAPE, (0, 8), 7)
    assert points.record.texts == ("a", "b")
    assert own.names(tmp_path) == ["mine", "points"]


def test_words_that_yaml_would_take_for_something_else_stay_words(tmp_path):
    names = ["no", "null", "1", "2024-01-01", "0x1F", "1_000"]
    lines = "".join(f"  {name}: meaning of it\n" for name in names)
    put(tmp_path, f"question: q?\nkind: multi_class\ntext: 1\nlabel: yes\nlabels:\n{lines}")
    found = own.read(tmp_path, "mine")
    assert [label.name for label in found.task.labels] == names
    assert (found.record.texts, found.record.label) == (("1",), "yes")


def test_the_rows_lie_beside_the_record_or_where_it_says(tmp_path):
    assert read(tmp_path).csv == tmp_path / own.FOLDER / "mine.csv"
    assert read(tmp_path, file="../all.csv").csv == tmp_path / own.FOLDER.parent / "all.csv"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"colour": "red"}, "colour: there is no such field; known are question, kind,"),
        ({"kind": "binry"}, "kind: Input should be 'binary'"),
        ({"kind": "entities"}, "kind: tasks of entities need words with tags, which no CSV holds"),
        ({"question": " "}, "question: it must not be empty"),
        ({"text": []}, "text: name the column"),
        ({"cleaning": ["emoji"]}, "cleaning: unknown cleaning step 'emoji': one of whitespace, jira"),
        ({"cleaning": ["url", "code"]}, "cleaning: steps url, code: each at most once, in the order"),
        ({"labels": {"a": "x"}}, "labels: binary tasks have 2 of them, and here are 1"),
        ({"kind": "multi_class"}, "labels: multi_class tasks have 3 or more of them, and here are 2"),
        ({"labels": {"a": "x", "b": ""}}, "labels: 'b' needs a name and a meaning"),
        ({"labels": {"Bug": "x", "bug": "y"}}, "labels: 'Bug' differs from another one only in case"),
        ({"kind": "multi_label", "labels": {"a;b": "x", "c": "y"}}, "labels: 'a;b' can't be told apart"),
        ({"kind": "regression", "range": [0, 1]}, "labels: regression has none"),
        ({"range": [0, 1]}, "range: only numbers"),
        ({"labels": ["a", "b"]}, "labels: "),
        ({"text": {"a": "b"}}, "text: "),
    ],
)
def test_a_wrong_field_is_named(tmp_path, change, says):
    assert refused(tmp_path, {**BINARY, **change}).startswith(says)


@pytest.mark.parametrize(
    "wrong", [None, [3, 3], [4, 1], ["a", 2], [1], [".inf", 1], ["1_0", 20], ["٣", 9], [0, "nan"]]
)
def test_numbers_have_a_range(tmp_path, wrong):
    record = {name: value for name, value in NUMBER.items() if name != "range" or wrong}
    assert refused(tmp_path, {**record, **({"range": wrong} if wrong else {})}).startswith("range: ")


def test_a_file_that_is_no_record(tmp_path):
    assert "can't be read as YAML" in refused(tmp_path, "a: [")
    assert "is not a record of fields" in refused(tmp_path, "- a")
    assert "no is given twice" in refused(tmp_path, "labels:\n  no: a\n  no: b\n")
    path = put(tmp_path, BINARY)
    path.write_bytes(b"question: \xff")
    with pytest.raises(SeluError, match="can't be read as YAML"):
        own.read(tmp_path, "mine")


def test_the_paper_s_names_are_taken(tmp_path):
    for task in (registry.tasks("selu")[0], registry.tasks("nlbse24")[0]):
        put(tmp_path, BINARY, task.id)
        with pytest.raises(SeluError, match=f"{task.id}, declared in this clone, is a task of the paper"):
            registry.tasks_of(tmp_path, [task.id])
    assert "small letters" in refused(tmp_path, BINARY, "My-Task")


def test_places_of_own_tasks_are_beside_the_benchmark_s():
    place = Path("reports") / "selu" / "data"
    assert registry.record_of(Path(), "sentiment") == place / "sentiment" / "record.json"
    assert registry.record_of(Path(), "mine") == Path("reports") / "own" / "data" / "mine" / "record.json"


def prompt(found: own.Own, folder: Path, text: str = "TEXT OF IT") -> str:
    for name, content in own_prompt.files(found, FOLDER).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return Prompts(folder, found.task).render(text, [("one", "yes")])


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1).filter(
    lambda text: text.strip()
)


@pytest.mark.ci
@settings(max_examples=25, deadline=None)
@given(question=WORDS, column=WORDS)
def test_whatever_the_question_is_the_prompt_has_it(tmp_path_factory, question, column):
    folder = tmp_path_factory.mktemp("asked")
    found = read(folder, question=question, text=column)
    shown = " ".join(question.split())
    assert f'classify a text by the question "{shown}". Answer with' in prompt(found, folder)
    assert prompt(found, folder).endswith(" TO CLASSIFY: TEXT OF IT")


def test_prompts_of_each_kind(tmp_path):
    several = {"kind": "multi_label", "labels": {"a": "first", "b": "second"}}
    assert "\nLABELS: yes\n" in prompt(read(tmp_path, **several), tmp_path)
    put(tmp_path, NUMBER | {"label": "story_points"})
    text = prompt(own.read(tmp_path, "mine"), tmp_path)
    assert "Answer with one number from 0 to 8" in text
    assert 'The meaning of story points is as follows: the answer to the question "How much?"' in text
    assert "\nSTORY POINTS: yes\n" in text
    assert text.endswith("\nTEXT TO ESTIMATE: TEXT OF IT")


def test_a_template_of_one_s_own_takes_its_place(tmp_path):
    found = read(tmp_path)
    found.path.with_suffix(".j2").write_text(
        '{% extends "forms/one_class.j2" %}{% set context = "C" %}'
        '{% set task = "do it" %}{% set entity = "E" %}'
    )
    assert prompt(found, tmp_path).startswith("In the context of C, do it. Answer with")


def test_a_bad_record_stops_no_command_but_its_own(tmp_path: Path) -> None:
    clone = small.make(tmp_path / "clone", ())
    put(clone, BINARY, "fine")
    bad = put(clone, "kind: [", "broken")
    code, out, messages = small.done(clone, "list", "tasks", "--csv")
    assert code == 0
    assert "fine," in str(out)
    assert "broken," not in str(out)
    assert "left out: " in str(messages)
    assert bad.name in str(messages)
    code, _, messages = small.done(clone, "show", "broken")
    assert code == 2
    assert bad.name in str(messages)
    assert small.done(clone, "show", "fine")[0] == 0
