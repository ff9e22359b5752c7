from __future__ import annotations

from selu.papers.crosscodebench.collection.tasks import entry
from selu.papers.crosscodebench.splits import leaks
from selu.papers.crosscodebench.splits.configurations import Split
from selu.project import SHARED, read_settings
from selu.splits.settings import DataSettings

LONG = "return the sum of all numbers in the list that are larger than the first one of"


def groups(root, tasks):
    return leaks.group(tasks, read_settings(root, SHARED, "data", DataSettings))


def split(tune, evaluated):
    return Split("mine", tuple(map(entry, tune)), tuple(map(entry, evaluated)))


def test_a_row_in_either_direction_is_found_and_others_are_not(root):
    found = groups(
        root,
        {
            "conala_gen": [
                ("Sort  a list", "sorted ( a )"),
                ("open a file", "open ( f )"),
                (f"{LONG} a", "x = 1"),
            ],
            "conala_sum": [("sorted ( a )", "sort a list"), ("close ( f )", "close a file")],
            "nl_2_bash_gen": [("open a file", "cat f"), (f"{LONG} b", "awk")],
        },
    )
    leak = leaks.measure(split(["conala_gen"], ["conala_sum", "nl_2_bash_gen"]), found)
    assert leak.by_task["conala_sum"] == {
        "rows": 2, "exact input": 0, "exact pair": 0, "reversed pair": 1, "near input": 0, "near either way": 1
    }  # fmt: skip
    assert leak.by_task["nl_2_bash_gen"] == {
        "rows": 2, "exact input": 1, "exact pair": 0, "reversed pair": 0, "near input": 2, "near either way": 2
    }  # fmt: skip
    assert (leak.training, leak.rows, leak.dropped) == (3, 4, 3)
    assert {(pair["task"], pair["other"]) for pair in leaks.between(found)} >= {("conala_gen", "conala_sum")}


def test_only_the_rows_that_the_scripts_read_count(root, monkeypatch):
    assert (leaks.TRAINING_CAP, leaks.EVALUATION_CAP) == (10_000, 500)
    monkeypatch.setattr(leaks, "TRAINING_CAP", 40)
    monkeypatch.setattr(leaks, "EVALUATION_CAP", 20)
    same = ("the row that is at the end", "it")
    found = groups(
        root,
        {
            "ncs": [(f"a question of number {at}", "a") for at in range(leaks.EVALUATION_CAP)] + [same],
            "kb13": [(f"the pattern of number {at}", "a") for at in range(leaks.TRAINING_CAP)] + [same],
            "nl_rx": [same],
        },
    )
    assert leaks.measure(split(["nl_rx"], ["ncs"]), found).found["exact input"] == 0
    assert leaks.measure(split(["kb13"], ["nl_rx"]), found).found["exact input"] == 0
    assert leaks.measure(split(["ncs"], ["nl_rx"]), found).found["exact input"] == 1


def test_a_split_without_rows_leaks_nothing(root):
    leak = leaks.measure(split(["kb13"], ["devign"]), groups(root, {"kb13": [("a", "b")]}))
    assert (leak.evaluated, leak.rows, set(leak.found.values())) == (0, 0, {0})
