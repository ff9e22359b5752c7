from __future__ import annotations

import pytest
import released

from selu.papers.nlbse24 import facts, facts_comments, facts_issues


@pytest.fixture
def issues():
    return released.issues()


@pytest.fixture
def comments(paper):
    return released.comments(paper.categories)


def places(table):
    return {(row, column): value for row, column, value in table}


def misses(paper, comments, training="0"):
    totals = {language: len(frame) for language, frame in released.comments(paper.categories).items()}
    return facts_comments.mismatches(comments, paper.categories, totals, training)


# -- issue reports -----------------------------------------------------------------------------------------


def test_files_of_the_expected_shape_have_no_mismatch(issues):
    assert facts_issues.mismatches(*issues, 4) == []
    assert {value for _, _, value in facts_issues.rows(*issues)} == {"4"}
    assert places(facts_issues.labels(*issues)) == {
        ("all", "without one of the three"): "0",
        ("train", "labels"): "bug, feature, question",
        ("test", "labels"): "bug, feature, question",
    }


def test_a_foreign_label_and_repository_are_named(issues):
    train, test = issues
    train.loc[0, "label"] = "wish"
    test.loc[5, "repo"] = "someone/else"
    found = facts_issues.mismatches(train, test, 4)
    assert "Issues, train: 1 reports have the foreign label 'wish'." in found
    assert "Issues, test: 1 reports are of the foreign repository 'else'." in found
    assert "Issues, train: react, bug has 3 reports, not 4." in found
    assert len(found) == 4
    assert places(facts_issues.labels(train, test))["all", "without one of the three"] == "1"


def test_overlap_tells_the_same_report_from_the_same_text(issues):
    train, test = issues
    test.loc[0, ["title", "body"]] = train.loc[20, ["title", "body"]].to_list()
    test.loc[1, ["title", "body"]] = [text.upper() + "  " for text in train.loc[1, ["title", "body"]]]
    test.loc[2] = train.loc[2]
    test.loc[3, ["title", "body"]] = [train.loc[4, "title"], ""]
    found = places(facts_issues.overlap(train, test))
    assert {column: found["test", column] for _, column in found if _ == "test"} == {
        "reports": "60",
        "same report as in training": "1",
        "equal to training": "2",
        "equal to training, with another label": "1",
        "equal but for case and white space": "3",
        "title equal to training": "3",
        "body equal to training": "2",
        "repeated in its own part": "0",
    }
    train.loc[7, "label"] = " "
    empty = places(facts_issues.texts(train, test))
    assert (empty["test", "without body"], empty["train", "without label"]) == ("1", "1")
    assert (empty["test", "without label"], empty["test", "reports"]) == ("0", "60")


def test_days_and_the_order_of_opening(issues):
    train, test = issues
    found = places(facts_issues.dates(train, test))
    assert (found["all", "earliest"], found["all", "latest"]) == ("2023-09-21", "2023-09-28")
    assert found["test", "latest"] == "2023-09-27"
    assert {column: value for (row, column), value in found.items() if column.startswith("groups")} == {
        "groups": "15",
        "groups in falling order of creation": "15",
        "groups split report by report": "15",
    }
    train.loc[0, "created_at"], train.loc[1, "created_at"] = "2023-08-01 10:00:00", "2023-08-02 10:00:00"
    moved = places(facts_issues.dates(train, test))
    assert moved["all", "groups in falling order of creation"] == "14"
    assert moved["all", "groups split report by report"] == "14"


# -- comment sentences -------------------------------------------------------------------------------------


def test_comments_of_the_expected_shape_have_no_mismatch(paper, comments):
    assert misses(paper, comments) == []


def test_swapped_partitions_are_detected_by_counts_and_said(paper, comments):
    frame = comments["Pharo"]
    frame["partition"] = frame["partition"].map({"0": "1", "1": "0"})
    (found,) = misses(paper, comments)
    assert found.startswith("Pharo: the partitions are swapped: 1 is the larger")
    counted = places(facts_comments.distribution(comments, paper.categories))
    assert counted["Pharo/Intent", "Training: Total"] == "8"  # the larger one trains all the same
    assert misses(paper, released.comments(paper.categories), "1") == [
        "Section 3.1 says that partition 1 is training; by counts it is 0."
    ]


@pytest.mark.parametrize(
    ("alter", "message"),
    [
        (lambda f: f.assign(category=f["category"].replace("Usage", "Other")), "the category usage is missing"),
        (lambda f: f.assign(category=f["category"].replace("Usage", "Other")), "the category other is foreign"),
        (lambda f: f.assign(instance_type="2"), "instance_type has the foreign value '2'"),
        (lambda f: f.iloc[1:], "69 rows in the file, 70 in Table 2"),
        (lambda f: f.iloc[1:], "1 sentences are not in every category"),
        (lambda f: f.iloc[[0, *range(len(f) - 1)]], "1 rows repeat a sentence in a category"),
        (
            lambda f: f.assign(comment_sentence=["another", *f["comment_sentence"][1:]]),
            "1 sentence ids have several texts",
        ),
    ],
)
def test_each_fault_of_a_comment_file_is_a_finding(paper, comments, alter, message):
    comments["Java"] = alter(comments["Java"])
    assert any(f"Java: {message}" in sentence for sentence in misses(paper, comments))


# -- all of it ---------------------------------------------------------------------------------------------


def test_every_table_is_made_and_survives_its_csv(paper, tmp_path):
    from selu.papers.nlbse24.evidence.counted import read_facts

    tables = facts.tables(released.frames(paper.categories), paper)
    for name, table in tables.items():
        (tmp_path / f"{name}.csv").write_text(facts.to_csv(table), "utf-8")
    back = read_facts(tmp_path)
    assert {name: {place: c.published for place, c in cells.items()} for name, cells in back.items()} == {
        name: places(table) for name, table in tables.items()
    }
    assert any("react, bug has 4 reports, not 100" in text for _, _, text in tables[facts.MISMATCHES])
