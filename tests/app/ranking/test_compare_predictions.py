"""``selu compare A.jsonl B.jsonl``: which of two systems is better on the same rows, and what is refused."""

from __future__ import annotations

import json

import pytest

from helpers import small_project as small
from helpers.command import printed, refused, selu


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    names = (small.BINARY, small.LABELS, small.NUMBER, small.TAGS)
    return small.make(tmp_path_factory.mktemp("compare"), names)


def answers(task, wrong):
    """The right answers to the test rows, but for so many of the first ones."""
    registered, table = small.task(task), small.table(small.task(task))
    names = [label.name for label in registered.labels]
    for place, (id, label) in enumerate(zip(table["id"][::5], table["label"][::5], strict=True)):
        if task == small.NUMBER:
            answer = label + 9 if place < wrong else label
        elif task == small.TAGS:
            answer = ["O"] * len(label) if place < wrong else list(label)
        elif task == small.LABELS:
            chosen = [1 - bit for bit in label] if place < wrong else label
            answer = [name for name, yes in zip(names, chosen, strict=True) if yes]
        else:
            answer = names[1 - label if place < wrong else label]
        yield {"id": id, "answer": answer}


def written(folder, name, rows):
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


def compared(project, *words):
    return printed(project, "compare", *words)


@pytest.mark.parametrize("task", [small.BINARY, small.LABELS, small.NUMBER, small.TAGS])
def test_the_better_file_is_found_and_the_other_order_turns_it_round(project, tmp_path, task):
    good = written(tmp_path, "good.jsonl", answers(task, 0))
    poor = written(tmp_path, "poor.jsonl", answers(task, 9))
    record = json.loads(compared(project, good, poor, "--task", task, "--json"))
    (row,) = record["tasks"]
    assert (record["a"]["name"], record["b"]["name"], row["rows"]) == ("good", "poor", 12)
    assert record["a"]["score"] == 1
    assert row["difference"] == pytest.approx(1 - record["b"]["score"])
    assert 0 < row["low"] <= row["difference"] <= row["high"]
    assert row["detectable"] > 0
    assert "good scores higher (difference +" in record["sentence"]
    if task == small.NUMBER:
        assert row["p_value"] is None
    else:
        assert row["both_right"] + row["only_a"] == 12
        assert (row["only_b"], row["neither"]) == (0, 0)
        assert f"Only good is right on {row['only_a']} rows" in record["sentence"]
    (other,) = json.loads(compared(project, poor, good, "--task", task, "--json"))["tasks"]
    assert other["difference"] == -row["difference"]
    assert other["low"] <= other["difference"] <= other["high"] < 0


def test_equal_files_show_no_difference_in_words_and_a_table_for_programs(project, tmp_path):
    a, b = (written(tmp_path, name, answers(small.BINARY, 2)) for name in ("a.jsonl", "b.jsonl"))
    text = " ".join(compared(project, a, b, "--task", small.BINARY).split())
    assert "a has macro F1 0." in text
    assert "no clear difference (difference +0.000, 95 % interval +0.000 to +0.000" in text
    head, row = compared(project, a, b, "--task", small.BINARY, "--csv").splitlines()
    assert head.startswith("task,metric,rows,difference,low,high,detectable,both_right")
    assert row.startswith(f"{small.BINARY},f1_macro,12,0")


def test_a_file_that_names_its_task_needs_no_option(project, tmp_path):
    rows = [row | {"task": small.BINARY} for row in answers(small.BINARY, 1)]
    a, b = written(tmp_path, "a.jsonl", rows), written(tmp_path, "b.jsonl", rows[::-1])
    assert f"test rows of {small.BINARY}" in " ".join(compared(project, a, b).split())


SCORES = [{"task": small.BINARY, "score": 0.5}]


@pytest.mark.parametrize(
    ("rows", "words", "message"),
    [
        (None, [], "name no task: give --task"),
        (None, ["--task", small.BINARY, "--paper", "selu"], "leave out --paper and --board"),
        (None, ["--task", small.NUMBER], "a.jsonl: row 1, column answer: "),
        (None, ["--task", "requirement_completion"], "is not scored by one answer a row"),
        (None, ["--task", "nothing"], "there is no task 'nothing'"),
        (SCORES, ["--task", small.BINARY], "b.jsonl holds no predictions: give predictions"),
        ([{"id": "p000000", "answer": "sec"}], ["--task", small.BINARY], "b.jsonl: 11 of 12 test rows"),
        ([{"id": "p000000", "answer": 3}], ["--task", small.BINARY], "b.jsonl: "),
        (
            [{"id": "p000000", "answer": "sec", "task": "sentiment"}],
            ["--task", small.BINARY],
            "compare those of",
        ),
        ([], ["--task", small.BINARY], "b.jsonl: the file is empty"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_sentence(project, tmp_path, rows, words, message):
    a = written(tmp_path, "a.jsonl", answers(small.BINARY, 1))
    b = written(tmp_path, "b.jsonl", answers(small.BINARY, 1) if rows is None else rows)
    assert message in refused(selu("--root", str(project), "compare", a, b, *words))


def test_a_file_beside_the_name_of_a_system_is_refused(project, tmp_path):
    a = written(tmp_path, "a.jsonl", answers(small.BINARY, 1))
    message = refused(selu("--root", str(project), "compare", a, "bert-base", "--task", small.BINARY))
    assert message == "selu: bert-base can't be read: No such file or directory."
