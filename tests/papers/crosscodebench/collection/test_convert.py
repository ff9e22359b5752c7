from __future__ import annotations

import json

import pytest

from selu.papers.crosscodebench import BENCHMARK
from selu.papers.crosscodebench.collection import convert
from selu.papers.crosscodebench.collection.instances import Instance
from selu.papers.crosscodebench.collection.meta import describe, draw_examples, to_meta
from selu.papers.crosscodebench.collection.tasks import entry, with_rows
from selu.vocabulary import SeluError


def read(reader, raw):
    table = convert.read(reader, raw, reader)
    return {
        task: list(own[["part", "input", "label"]].itertuples(index=False, name=None))
        for task, own in table.groupby("task", sort=False)
    }


def test_parallel_files_are_read_in_each_direction():
    raw = {f"{part}-{side}.txt.gz": [f"{side} {part}"] for part in convert.PARTS for side in ("java", "cs")}
    found = read("code_trans", raw)
    assert found["code_trans_java_cs"] == [(part, f"java {part}", f"cs {part}") for part in convert.PARTS]
    assert found["code_trans_cs_java"] == [(part, f"cs {part}", f"java {part}") for part in convert.PARTS]
    raw["test-cs.txt.gz"] = []
    with pytest.raises(SeluError, match=r"test-java and test-cs have \[1, 0\] lines"):
        read("code_trans", raw)


def test_a_label_stands_for_the_function_that_ends_in_its_line():
    names = ("training_100", *(f"test_{number}_100" for number in range(1, 5)))
    raw = {f"{name}.txt": ["void fun ()", "{", "}", "void fun ()", "{", "a[9];", "}"] for name in names}
    raw |= {f"{name}_labels.txt": ["3:=:0", "7:=:1"] for name in names}
    rows = read("buffer_overrun", raw)["buffer_overrun"]
    assert rows[:2] == [("train", "void fun ()\n{\n}", "No"), ("train", "void fun ()\n{\na[9];\n}", "Yes")]
    assert [part for part, _, _ in rows] == ["train"] * 2 + ["test"] * 8
    raw["test_2_100_labels.txt"] = ["3:=:0", "8:=:1"]
    with pytest.raises(SeluError, match="test_2_100_labels does not fit the lines"):
        read("buffer_overrun", raw)


def test_functions_are_translated_where_both_languages_have_them():
    lines = [
        json.dumps({"cpp": "c1", "java": "j1", "python": "p1"}),
        json.dumps({"java": "j2", "python": "p2"}),
    ]
    found = read("trans_coder", {"gfg_functions.jsonl.gz": lines})
    assert len(found) == 6
    assert found["trans_coder_java_python"] == [("test", "j1", "p1"), ("test", "j2", "p2")]
    assert found["trans_coder_cpp_python"] == [("test", "c1", "p1")]


def test_pairs_of_inputs_are_joined_and_labels_are_words():
    pairs = [{"doc": "sort", "code": "def f", "label": 1}, {"doc": "open", "code": "def g", "label": 0}]
    assert read("cosqa", {"cosqa-dev.json": json.dumps(pairs).split("\n")})["cosqa"] == [
        ("valid", "sort ||| def f", "Yes"),
        ("valid", "open ||| def g", "No"),
    ]
    with pytest.raises(SeluError, match="cosqa-dev is not JSON"):
        read("cosqa", {"cosqa-dev.json": ["[{"]})


def test_a_carriage_return_in_a_field_ends_no_record():
    raw = {f"{name}_{part}.txt": [] for name in ("csharp", "sql", "python") for part in ("valid", "test")}
    raw["sql_test.txt"] = ["1\t2\tcount rows\tselect a", "from b\t0", "3\t4\tall\tselect c\t1"]
    assert read("codenn", raw)["codenn_sql"] == [
        ("test", "select a\nfrom b", "count rows"),
        ("test", "select c", "all"),
    ]
    raw["sql_test.txt"] = ["1\t2\tcut short"]
    with pytest.raises(SeluError, match="sql_test, line 1 has 3 fields instead of 5"):
        read("codenn", raw)


def test_rows_of_a_task_have_the_published_test_part_where_there_is_another():
    raw = {f"{part}-{side}.txt": [f"{side} {part}"] for part in ("valid", "test") for side in ("diff", "msg")}
    (task,) = (task for task in BENCHMARK.tasks() if task.id == "commit_gen")
    cut = convert.cut_rows(task, {"nngen": convert.read("nngen", raw, "nngen")})
    assert cut.test == [False, True]
    assert list(cut.table.columns) == ["id", "input", "label", "group", "source"]
    assert cut.table["source"].tolist() == ["valid/valid-diff:1", "test/test-diff:1"]
    with pytest.raises(SeluError, match="did you mean 'nngen'"):
        convert.read("nnge", raw, "nngen")


def test_examples_are_short_and_wrong_ones_have_another_answer():
    instances = [Instance("x " * at, "Yes" if at % 2 else "No", "train", at) for at in range(1, 100)]
    drawn = draw_examples(instances, ("Yes", "No"))
    right = {example.input: example.output for example in drawn.positive}
    assert len(right) == len(drawn.negative) == 4
    assert all(len(example.input) <= 2 * 20 for example in (*drawn.positive, *drawn.negative))
    for example in drawn.negative:
        assert example.output == ("No" if len(example.input) // 2 % 2 else "Yes")
    assert drawn == draw_examples(instances, ("Yes", "No"))
    assert to_meta(entry("cosqa"), instances)["Instance_number"] == [{"train": 99, "total": 99}]


def test_every_task_with_rows_says_what_is_asked():
    words = {task.id: describe(task) for task in with_rows()}
    assert words["code_trans_java_cs"].prompt == "Translate Java to C#"
    assert all(
        task.wanted in words[task.id].definition for task in with_rows() if task.main_type == "Translation"
    )
    assert all(repr(label) in words[task.id].definition for task in with_rows() for label in task.labels)
    assert len({text.definition for text in words.values()}) >= 20
