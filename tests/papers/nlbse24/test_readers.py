from __future__ import annotations

from functools import partial

import pandas as pd
import pytest
import released

from selu import registry
from selu.papers.nlbse24 import readers
from selu.sources import rows
from selu.vocabulary import SeluError, Task

BY_ID = {task.id: task for task in registry.tasks("nlbse24")}


def task(name: str) -> Task:
    return BY_ID[name]


def issues() -> dict[str, pd.DataFrame]:
    train, test = released.issues(100)
    return {"issues_train.csv": train, "issues_test.csv": test}


def cut(whole, task):
    rows = readers.cut_rows(task, {"a set": whole})
    return rows.table, rows.test


def test_a_repository_has_its_own_rows_first_those_to_train_on() -> None:
    table, test = cut(readers.issues(issues()), task("issue_vscode"))
    rows.check(table, task("issue_vscode"))
    assert len(table) == 600
    assert test == [False] * 300 + [True] * 300
    assert table["group"].unique().tolist() == ["microsoft/vscode"]
    assert table["text"].iloc[0] == "vscode bug 0 words of vscode bug 0"
    assert table["source"].iloc[300] == "issues_test.csv:601"


def test_one_model_for_all_has_all_rows_with_their_repositories() -> None:
    table, test = cut(readers.issues(issues()), task("issue_all"))
    assert (len(table), sum(test)) == (3000, 1500)
    assert table["group"].value_counts().to_dict() == {
        f"{owner}/{name}": 600 for name, owner in released.OWNERS.items()
    }
    assert table["id"].iloc[-1] == "p002999"


def test_a_sentence_is_read_with_its_class_and_one_category() -> None:
    whole = readers.comments("pharo", released.whole())
    table, test = cut(whole, task("pharo_intent"))
    rows.check(table, task("pharo_intent"))
    assert table["text"].iloc[51] == "sentence 51 | Class1"
    assert table["label"].tolist() == [int(number % 9 == 0) for number in range(1765)]
    assert test == [number % 5 == 0 for number in range(1765)]


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        (
            "label",
            "enhancement",
            r"issues_test.csv:8: the label 'enhancement' is none of bug, feature, question",
        ),
        ("repo", "someone/else", r"issues_test.csv:8: the repository 'someone/else' is not of the competition"),
        ("label", "question", r"issues_test has 99 reports of facebook/react with the label bug .* has 100"),
        ("category", "Poetry", r"pharo.csv:8: the category 'Poetry' is not of the competition"),
        ("partition", "2", r"pharo.csv:8: partition '2' and instance_type .* must be 0 or 1"),
        ("instance_type", "yes", r"instance_type 'yes' must be 0 or 1"),
    ],
)
def test_what_is_not_of_the_competition_is_said_by_its_place(column: str, value: str, message: str) -> None:
    if column in ("label", "repo"):
        raw, read = issues(), readers.issues
    else:
        raw, read = released.whole(), partial(readers.comments, "pharo")
    list(raw.values())[-1].loc[7, column] = value
    with pytest.raises(SeluError, match=message):
        read(raw)


def test_a_missing_file_is_said() -> None:
    with pytest.raises(SeluError, match=r"the file issues_train is missing \(there are: pharo.csv\)"):
        readers.issues(released.whole())


def test_exchanged_partitions_are_seen_by_their_counts() -> None:
    made = released.whole()
    made["pharo.csv"]["partition"] = made["pharo.csv"]["partition"].map({"0": "1", "1": "0"})
    with pytest.raises(SeluError, match=r"353 rows of pharo_\w+ to train on and 1412 to test.*exchanged"):
        readers.comments("pharo", made)


def test_rows_too_few_of_a_category_are_said() -> None:
    made = released.whole()
    made["pharo.csv"] = made["pharo.csv"].iloc[1:]
    with pytest.raises(SeluError, match=r"1764 rows of pharo_\w+ where the competition has 1765"):
        readers.comments("pharo", made)


def test_issues_are_cleaned_as_the_organisers_did_and_comments_not() -> None:
    text = "Crash in v2?\nSee https://example.org/x\n```py\nboom(1)\n``` it's #12, I think"
    assert readers.clean(text, task("issue_react")) == "Crash in v? See its I think"
    assert readers.clean(text, task("java_usage")) == text
