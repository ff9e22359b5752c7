from __future__ import annotations

import dataclasses
import json
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from helpers import pinned
from papers.faun_eval.answering import DRAWS, lines
from papers.faun_eval.pipeline import histories
from selu.files import read_json
from selu.papers.faun_eval import answers, lengths, rescored_files, trees
from selu.papers.faun_eval.records import HITS
from selu.papers.faun_eval.retrieval import files, over_trees, part, questions, rankers

ISSUES = {
    "t0": "QuerySet.union drops the order\nSee compiler of the sql package",
    "t1": "Template tags crash\nin defaultfilters",
    "t2": "zzz\nqqq",
}
RIGHT = {"t0": "db/models/sql/compiler.py", "t1": "template/defaultfilters.py", "t2": "db/models/query.py"}


def task(name, commit=""):
    path = RIGHT[name]
    patch = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-x\n+y\n"
    return {
        "instance_id": name,
        "repo": "own/er",
        "base_commit": commit,
        "problem_statement": ISSUES[name],
        "patch": patch,
    }


def by_letters(texts):
    return np.array([[text.count(letter) + 0.01 for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts])


@pytest.fixture
def tasks():
    return answers.read_tasks(lines(task(name) for name in ISSUES), "t.jsonl")


def test_words_are_parted_where_names_of_code_are():
    assert rankers.words("HTTPServer.getURL2 in django/db_utils.py") == [
        *("http", "server", "get", "url", "2", "in", "django", "db", "utils", "py")
    ]


def test_bm25_is_that_of_its_formula():
    """Lucene's: idf = ln(1 + (N - n + 0.5) / (n + 0.5)), tf over tf + k1 (1 - b + b length / mean)."""
    documents = ["a b", "a a c", "d"]
    n, idf = 3, np.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    mean = sum(map(len, (d.split() for d in documents))) / n
    expected = [
        idf * tf / (tf + 1.5 * (1 - 0.75 + 0.75 * len(text.split()) / mean))
        for tf, text in zip((1, 2, 0), documents, strict=True)
    ]
    assert rankers.bm25(["a z"], documents)[0] == pytest.approx(expected, rel=1e-5)
    assert not rankers.bm25(["z"], documents).any()
    assert not rankers.bm25(["a"], ["", "?"]).any()
    counted = [Counter(rankers.words(text)) for text in documents]
    for query in ("a z", "a b a c", "zz"):  # the package's index, and counted words
        assert rankers.bm25_of_counts([query], counted)[0] == pytest.approx(
            rankers.bm25([query], documents)[0], rel=1e-5
        )
    assert not rankers.bm25_of_counts(["a"], [{}, {}]).any()


def test_fusion_is_the_sum_of_reciprocal_ranks():
    first, second = np.array([[3.0, 2.0, 1.0]]), np.array([[0.1, 0.3, 0.2]])
    assert rankers.fuse([first, second])[0] == pytest.approx(
        [1 / 61 + 1 / 63, 1 / 62 + 1 / 61, 1 / 63 + 1 / 62]
    )
    silent = np.zeros_like(first)
    assert (rankers.fuse([first, silent]) - rankers.fuse([first]))[0] == pytest.approx([1 / 62] * 3)  # no vote


def test_the_right_file_is_found_by_its_words_and_a_silent_ranking_is_no_answer(tasks):
    known = files.known_paths(tasks, [])
    assert known == {"own/er": sorted(RIGHT.values())}
    named = dict.fromkeys(tasks, known["own/er"])
    found = files.rank(tasks, named, [files.ISSUE], {"letters": by_letters})[files.ISSUE]
    assert list(found) == ["bm25", "overlap", "letters", "bm25+letters", "fusion"]
    for way in ("bm25", "overlap", "fusion"):
        assert [row[0] for row in found[way][:2]] == [RIGHT["t0"], RIGHT["t1"]]
    assert (found["bm25"][2], found["overlap"][2]) == ([], [])
    assert len(found["letters"][2]) == 3
    scored = files.score(files.rank(tasks, named, list(files.PARTS), {}), tasks, named, DRAWS)
    rows = {(row["way"], row["part"]): row for row in scored["rows"]}
    full, title = rows["bm25", "title and body"], rows["bm25", "title"]
    assert (full["answered"], full["hit_1"]["score"]) == (2, pytest.approx(2 / 3))
    assert title["change_1"]["score"] == pytest.approx(title["hit_1"]["score"] - 2 / 3)
    assert scored["chance"]["hit_1"] == pytest.approx(1 / 3)


def test_what_answers_name_are_candidates_but_neither_tests_nor_new_files(tasks):
    named = {"instance_id": "t0", "found_files": ["db/other.py", "db/tests/test_x.py", "../up.py", "a.txt"]}
    answered = answers.read_files(lines([named]), "f.jsonl", tasks)
    assert set(files.known_paths(tasks, [answered])["own/er"]) == {*RIGHT.values(), "db/other.py"}


# Files of two commits; of the second, "db/query.py" alone is another. The paper's filter refuses "_pytest".
SOURCES = {
    "db/base.py": b"x\n",
    "db/query.py": b"class QuerySet: the order of a union\n",
    "src/_pytest/mark.py": b"x\n",
}
TESTS = ("db/test_query.py", "Tests/query.py", "testing/query.py", "db/query_test.py", "conftest.py")


@pytest.fixture
def cloned(tmp_path):
    """A task at each of two commits of a clone, one at a commit that it lacks, and the folder of clones."""
    others = dict.fromkeys((*TESTS, "README.md"), b"union\n")
    folder = tmp_path / trees.FOLDER / "own" / "er"
    first, second = histories.make(folder, [("1", SOURCES | others), ("2", {"db/query.py": b"nothing\n"})])
    named = {"t0": first, "t1": second, "t2": "0" * 40}
    return answers.read_tasks(lines(task(name, commit) for name, commit in named.items()), "t.jsonl"), tmp_path


def test_candidates_are_sources_of_the_tree_and_a_task_without_its_commit_is_named(cloned):
    golds, folder = cloned
    assert over_trees.find_trees(golds, [folder]) == ({"t0": list(SOURCES), "t1": list(SOURCES)}, ["t2"])
    assert over_trees.find_trees(golds, [folder / "nowhere"]) == ({}, [])


def test_files_are_ranked_by_what_they_hold_at_the_tasks_commit(cloned):
    golds, folder = cloned
    candidates, _ = over_trees.find_trees(golds, [folder])
    here = {name: dataclasses.replace(golds[name], issue="Lost union\nclass") for name in candidates}
    found = files.rank(here, candidates, list(files.PARTS), {}, files.TreeTexts([folder]))
    assert list(found[files.ISSUE]) == ["bm25", "overlap", "bm25_text", "fusion_paths", "fusion"]
    assert [row[:1] for row in found[files.TITLE]["bm25_text"]] == [["db/query.py"], []]  # gone in the second
    assert [row[:1] for row in found[files.BODY]["bm25_text"]] == [["db/query.py"], []]
    assert found[files.ISSUE]["fusion"][0][0] == "db/query.py"
    paths = files.rank(here, candidates, [files.ISSUE], {})
    assert found[files.ISSUE]["fusion_paths"] == paths[files.ISSUE]["fusion"]  # texts have no vote
    ranks = over_trees.rank_right(
        found, {"t0": dataclasses.replace(here["t0"], path="db/query.py")}, candidates
    )
    assert (ranks[0]["candidates"], ranks[0]["ranks"][files.TITLE]["bm25_text"]) == (3, 1)


def test_tracked_scores_over_trees_follow_from_the_ranks(root):
    """Else the table shows what the ranks do not say."""
    record = read_json(root / over_trees.PLACE, over_trees.MADE_BY, over_trees.FIELDS)
    ranks = record["ranks"]
    assert len({entry["task"] for entry in ranks}) == len(ranks) == record["files"]["tasks"]
    for row in record["files"]["rows"]:
        places = [entry["ranks"][row["part"]][row["way"]] for entry in ranks]
        for k, (hit, _) in HITS.items():
            share = sum(place is not None and place <= k for place in places) / len(places)
            assert row[hit]["score"] == pytest.approx(share, abs=1e-9)
            assert row[hit]["low"] <= row[hit]["score"] <= row[hit]["high"]
    table = over_trees.by_way(record).frame
    assert len(table) == len(record["files"]["rows"]) / len(files.PARTS) + 1
    tasks = over_trees.by_repository(record).frame["Tasks"].astype(int)
    assert (sum(tasks), len(tasks)) == (len(ranks), 9)


# -- questions --------------------------------------------------------------------------------------


def test_a_question_is_answered_with_the_answer_of_another_one():
    asked = [
        questions.Question("one", "where is the cache kept", "in memory"),
        questions.Question("one", "where is the cache of pages kept", "in memory and on disk"),
        questions.Question("two", "who parses dates", "the parser"),
    ]
    found = questions.nearest(asked, {}, 7)
    assert found["bm25"] == [1, 0, None]
    assert all(place != number for number, place in enumerate(found[questions.RANDOM]))
    scored = questions.score(asked, {}, DRAWS)
    rows = {row["way"]: row for row in scored["rows"]}
    assert (rows["bm25"]["answered"], rows["bm25"]["same"]) == (2, 2)
    assert 0 < rows["bm25"]["rouge_1"]["score"] < 1


def test_the_checked_answer_of_a_question_is_taken_and_a_broken_line_is_counted():
    content = lines([{"question": "q", "answer": "a", "ground_truth": "b"}, {"question": "q", "answer": "a"}])
    found, left_out = questions.read(content + b'{"question": "q"}\n\n{"quest', "r")
    assert [question.answer for question in found] == ["b", "a"]
    assert left_out == 2


@pytest.fixture
def evidence(tmp_path):
    """Three tasks, a set of files and three questions, pinned; an encoder by letters, and what it embedded."""
    asked = [{"question": f"what is {word}", "answer": f"it is {word}"} for word in ("x", "x y", "z")]
    contents = {
        ("tasks", "Lite"): lines(task(name) for name in ISSUES),
        ("files", "one"): lines([{"instance_id": "t0", "found_files": ["db/other.py"]}]),
        ("questions", "own"): lines(asked),
    }
    pinned.write(tmp_path / rescored_files.PINS, contents)
    embedded = []

    def embed(name, texts):
        embedded.append(name)
        return by_letters(texts)

    return SimpleNamespace(
        draws=DRAWS, copies=lambda: [tmp_path], pins=lambda: tmp_path, embed=embed, embedded=embedded,
        settings=lambda section, kind: kind(tasks=2, paths=2, characters=20, answer_tokens=9, seed=1),
    )  # fmt: skip


def test_the_record_is_made_from_pinned_files(evidence):
    record = json.loads(part.collect(evidence, lambda _: None)[part.RECORD])
    assert record["files"]["among"] == part.KNOWN
    assert "puts the changed file first in" in record["finding"]
    assert len(record["files"]["paired"]) == 7 * 6 / 2
    rows = {row["way"]: row for row in record["files"]["rows"] if row["part"] == files.ISSUE}
    for pair in record["files"]["paired"]:
        change = rows[pair["one"]]["hit_1"]["score"] - rows[pair["other"]]["hit_1"]["score"]
        assert pair["hit_1"]["score"] == pytest.approx(change)
        assert pair["hit_1"]["low"] <= change <= pair["hit_1"]["high"]
    assert (
        "all-mpnet-base-v2 does so about as often as MiniLM-L6 on the same tasks (+0.0 points"
        in record["finding"]
    )
    assert [row["way"] for row in record["questions"]["rows"]] == [
        *("bm25", "minilm-l6", "all-mpnet-base-v2", "fusion", "random")
    ]
    assert evidence.embedded == ["minilm-l6", "all-mpnet-base-v2"]  # each is loaded once


def test_issues_are_parted_in_three_by_length():
    texts = ["aa a", "b" * 9, "c", "dd dd dd dd", "e e", "f", "g" * 8]
    parts = lengths.part(texts, "characters")
    assert parts == {"short": [2, 4, 5], "medium": [0, 6], "long": [1, 3]}
    assert lengths.part(texts, "words")["long"] == [3, 4]
    rows = lengths.score({"one": {"resolved": [1.0, 0, 1, 0, 0, 1, 0]}}, texts, DRAWS)
    assert {(row["unit"], row["part"]): row["score"] for row in rows}["characters", "short"] == pytest.approx(
        2 / 3
    )
