from __future__ import annotations

import pytest
import released
from sklearn.metrics import precision_recall_fscore_support

from selu.papers.nlbse24 import rescored
from selu.papers.nlbse24.tables import data as tables_data
from selu.vocabulary import SeluError

DRAWS = rescored.Resampling(200, 7, 0.95)
RUN = "setfit_readme"


@pytest.fixture
def test_file():
    return released.issues()[1]


def answers(test_file):
    """A made-up answer per row: every fifth is the next label."""
    names = rescored.NAMES
    return [names[(names.index(label) + (row % 5 == 0)) % 3] for row, label in enumerate(test_file["label"])]


def score(paper, test_file, given=None):
    return rescored.rescore(
        paper, RUN, released.predictions(test_file, given or answers(test_file)), test_file, DRAWS, "p.csv"
    )


def test_scores_are_those_of_scikit_learn(paper, test_file):
    given = answers(test_file)
    record = score(paper, test_file, given)
    assert [cell["task"] for cell in record["cells"]] == [f"issue_{name}" for name in released.OWNERS]
    for cell, name in zip(record["cells"], released.OWNERS, strict=True):
        own = [i for i, repo in enumerate(test_file["repo"]) if repo.endswith(f"/{name}")]
        truth, predicted = [test_file["label"][i] for i in own], [given[i] for i in own]
        each = precision_recall_fscore_support(truth, predicted, labels=rescored.NAMES)
        whole = precision_recall_fscore_support(truth, predicted, average="weighted")
        for key, per_label, average in zip(rescored.KEYS, each, whole, strict=False):
            assert [cell["scores"][label][key] for label in rescored.NAMES] == pytest.approx(list(per_label))
            assert cell["scores"]["average"][key] == pytest.approx(average)
        assert cell["support"] == {"bug": 4, "feature": 4, "question": 4}
        assert cell["evidence"] == "re-scored"
        interval = cell["interval_of_f1"]
        assert interval["low"] <= cell["scores"]["average"]["f1"] <= interval["high"]
    means = [cell["scores"]["bug"]["recall"] for cell in record["cells"]]
    assert record["overall"]["scores"]["bug"]["recall"] == pytest.approx(sum(means) / 5)


def test_other_predictions_differ_from_the_result_file_and_from_print(paper, test_file):
    record = score(paper, test_file)
    assert {cell["verdict"] for cell in record["cells"]} == {"differs"}
    assert record["overall"]["apart"]
    assert not all(entry["equal"] for entry in record["table1"])
    assert "do not follow from them" in rescored.summary([record])
    assert len(tables_data.table1_rescored(record).mismatches) > 0


def test_numbers_equal_to_12_digits_are_called_equal(paper, test_file):
    record = score(paper, test_file)
    for cell in (*record["cells"], record["overall"]):
        repository = cell.get("task", "issue_overall").removeprefix("issue_")
        for label, row in cell["scores"].items():
            for key, value in row.items():
                paper = paper.with_published(
                    "baselines", f"{RUN}/{repository}/{label}", key, repr(value + 1e-14)
                )
    again = score(paper, test_file)
    assert {cell["verdict"] for cell in (*again["cells"], again["overall"])} == {"equal"}
    paper = paper.with_published("baselines", f"{RUN}/react/bug", "f1", "0.123456")
    assert score(paper, test_file)["cells"][0]["apart"] == ["bug/f1"]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text.replace("predicted", "answer"), "must have the columns test_row, repo"),
        (lambda text: text.rstrip().rpartition("\n")[0] + "\n", "has 59 lines that are not the 60 test rows"),
        (lambda text: text.replace("\n1,", "\n2,"), "are not the 60 test rows in order"),
        (lambda text: text.replace("facebook/react,bug", "facebook/react,question", 1), "row 0: predicted for"),
        (lambda text: text.replace("react,bug,bug", "react,bug,wish", 1), "'wish' is none of the labels"),
        (lambda text: text + "\x00\n", "p.csv"),
    ],
)
def test_predictions_of_other_rows_are_refused(paper, test_file, damage, message):
    damaged = damage(released.predictions(test_file, answers(test_file)).decode()).encode()
    with pytest.raises(SeluError, match=message):
        rescored.rescore(paper, RUN, damaged, test_file, DRAWS, "p.csv")
    with pytest.raises(SeluError, match="is not a CSV table"):
        rescored.rescore(paper, RUN, b"\xff\xfe", test_file, DRAWS, "p.csv")
