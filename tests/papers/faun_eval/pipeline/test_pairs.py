"""A pair that is missed, or made of two things that have nothing to do with each other, is a wrong task."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from pathlib import Path

import pytest

from papers.faun_eval.pipeline import histories
from selu.papers.faun_eval.pipeline import known, listed
from selu.papers.faun_eval.pipeline.history import History
from selu.papers.faun_eval.pipeline.make import Pipeline
from selu.papers.faun_eval.pipeline.pairs import Side, closed_here, in_entries
from selu.papers.faun_eval.pipeline.records import Comment, Place, Pull, Thread
from selu.vocabulary import SeluError

ROOT = Path(__file__).parents[4]
LIST = ROOT.parent / "shared" / "datasets" / "faun_eval" / "git_fix_pairs.csv.gz"
is_here = pytest.mark.skipif(not LIST.is_file(), reason="the published pairs (../shared) are not here")
HERE = "own/repo"


def issue(number, body="", comments=()):
    remarks = tuple(Comment("other", False, "NONE", text) for text in comments)
    return Thread(Place(HERE, number), "t", body, "asker", False, "NONE", "closed", "", "", remarks)


def pull(number, body="", title="t", branch="main", comments=(), review=()):
    remarks, reviewed = (
        tuple(Comment("a", False, "NONE", text) for text in texts) for texts in (comments, review)
    )
    about = Pull(True, "a" * 40, branch, "b" * 40, "c" * 40, 1, (), reviewed)
    return Thread(
        Place(HERE, number), title, body, "fixer", False, "NONE", "closed", "", "", remarks, pull=about
    )


def numbers(entries, side, branch="main"):
    return [(pair.issue, pair.pull) for pair in in_entries(entries, side, branch)]


def test_each_side_finds_pairs_of_its_own():
    """The paper searches the issue's text, GitHub the pull request's: the two must not be mixed up."""
    entries = [
        issue(1), issue(2, "Fixed #12 yesterday"), issue(3, comments=["resolved #13"]), issue(4), issue(5),
        pull(11, "Fixes #1"), pull(12, "see #2"), pull(13), pull(14, title="Closes #4"),
        pull(15, comments=["fixes #5"]),
    ]  # fmt: skip
    assert numbers(entries, Side.PULL) == [(1, 11), (4, 14)]
    assert numbers(entries, Side.COMMENTS) == [(1, 11), (4, 14), (5, 15)]
    assert numbers(entries, Side.ISSUE) == [(2, 12), (3, 13)]


def test_only_issues_and_pull_requests_into_the_default_branch_of_the_same_repository_pair():
    entries = [
        issue(1), issue(2), pull(11, "Fixes #1", branch="old"), pull(12, "Fixes #12, fixes #13, fixes #99"),
       
        pull(13, f"Fixes other/repo#1, fixes {HERE.upper()}#2, fixes #2"), pull(14, "fixes #11"),
    ]  # fmt: skip
    assert numbers(entries, Side.PULL) == [(2, 13)]
    assert numbers(entries, Side.PULL, branch=None) == [(1, 11), (2, 13)]


CODE = b"def f():\n    return %d\n"


def test_a_clone_is_compared_with_a_published_list(tmp_path):
    """Rows that are not found, and pairs beyond the list, each with its reason."""
    ids = histories.make(
        tmp_path / "clone",
        [
            ("first", {"a.py": CODE % 1, "b.py": CODE % 1, "test_a.py": b"", "notes.md": b"x"}),
            ("Fixes #1", {"a.py": CODE % 2, "test_a.py": b"1"}),
            ("Fixes #2", {"a.py": CODE % 3, "b.py": CODE % 3}),
            ("Fixes #3\n\nResolves gh-4", {"a.py": CODE % 4}),
            ("Fixes #5", {"notes.md": b"y"}),
            ("closes #6 again", {"b.py": CODE % 6}),
            ("Fix something", {"b.py": CODE % 7}),
            ("Fixes #8", {"b.py": CODE % 8}),
        ],
    )
    rows = [
        (ids[1], ids[0], 1, "a.py"),
        (ids[1], ids[0], 9, "a.py"),
        (ids[6], ids[5], 7, "b.py"),
        ("0" * 40, "", 10, "a.py"),
        (ids[5], ids[4], 6, "a.py"),
    ]
    listed = [
        known.Known(HERE, commit, base, number, path, "", "2017-07-20", 1)
        for commit, base, number, path in rows
    ]
    table, says = Pipeline(HERE, history=History(tmp_path / "clone")).compare(listed)
    lines = [line.split(",", 3)[1:] for line in table.splitlines()[1:]]
    assert sorted(lines) == [
        ["1", "found", ""],
        ["10", "missing", "commit not in the clone"],
        ["2", "beyond", "file-changed count: several changed files"],
        ["3", "beyond", "one-to-one check: fix of several issues"],
        ["4", "beyond", "one-to-one check: fix of several issues"],
        ["5", "beyond", "suffix detection: suffix of no main language"],
        ["6", "missing", "it does not edit that file"],
        ["7", "missing", "its message closes nothing here"],
        ["8", "beyond", "later than the list"],
        ["9", "missing", "its message closes #1 instead"],
    ]
    assert says == "1 of the 5 published pairs are found, and 5 beyond them"
    assert Pipeline("another/one", history=History(tmp_path / "clone")).compare(listed) is None


def test_a_pair_beyond_the_list_says_what_no_listed_one_has(tmp_path):
    """The rules of the list are not published: only what its own rows show can set a pair apart."""
    ids = histories.make(
        tmp_path / "clone",
        [
            ("first", dict.fromkeys(("a.py", "b.py", "c.go", "bench.py", "test_a.py"), CODE % 1)),
            ("Fixes #1", {"a.py": CODE % 2}),
            ("Fixes #2", {"a.py": CODE % 3}),
            ("Fixes #3 in docker", {"a.py": CODE % 4, "test_a.py": b""}),
            ("Fixes #4", {"bench.py": CODE % 5}),
            ("Fixes #5", {"c.go": b"package a\n"}),
            ("Fixes #6", {"a.py": CODE % 7}),
            ("Fixes #7", {"a.py": CODE % 8}),
        ],
    )
    place = {"repository": HERE, "path": "a.py", "files": 1}
    listed = [
        known.Known(
            commit=ids[number], base="", issue=number, subject="", date=f"2017-07-{15 + number}", **place
        )
        for number in (2, 6)
    ]
    table, says = Pipeline(HERE, history=History(tmp_path / "clone")).compare(listed)
    found = {
        row["issue"]: row["reason"] for row in csv.DictReader(table.splitlines()) if row["state"] == "beyond"
    }
    assert found == {
        "1": "earlier than the list",
        "3": '"doc" in the subject, as in none of the list',
        "4": '"bench" in the path, as in none of the list',
        "5": "suffix that no listed file has",
        "7": "later than the list",
    }
    assert says == "2 of the 2 published pairs are found, and 5 beyond them"


@is_here
def test_a_subject_of_the_published_list_closes_its_own_issue_or_none():
    """The list has subjects only; what they close must agree with it. Messages are in the histories."""
    rows = known.read(gzip.decompress(LIST.read_bytes()), "git_fix_pairs.csv")
    closes = Counter(
        "none" if not (numbers := closed_here(row.subject, row.repository)) else numbers == [row.issue]
        for row in rows
    )
    assert len(rows) == 1449
    assert closes == {True: 392, "none": 1057}


@pytest.mark.ci
@is_here
def test_every_row_of_the_published_list_is_found_in_a_history_made_of_it(tmp_path):
    """Histories are made here of the list's own rows, since the real ones are not available: each row must be
    found among commits that close nothing, several issues, other repositories' issues, tests or notes."""
    rows = known.read(gzip.decompress(LIST.read_bytes()), "git_fix_pairs.csv")
    found = Counter()
    for repository in sorted({row.repository for row in rows}):
        mine = [row for row in rows if row.repository == repository]
        paths = {row.path: b"start\n" for row in mine}
        commits, places = [("first", {**paths, "notes/a.md": b"a", "other/test_a.py": b"a"})], {}
        for number, row in enumerate(mine):
            closes = closed_here(row.subject, repository)
            message = row.subject if closes else f"{row.subject}\n\nSome words.\n\nCloses #{row.issue}"
            places[len(commits)] = row
            beside = {f"tests/test_{index}.py": b"%d" % number for index in range(number % 3)}
            commits.append((message, {row.path: b"edit %d\n" % number, **beside}))
            commits.append((f"Refs #{row.issue}, fixes elsewhere/repo#1", {row.path: b"again %d\n" % number}))
        commits.append(("fixes #900001", {"other/test_a.py": b"b"}))
        commits.append(("fixes #900002, closes gh-900003", {mine[0].path: b"last\n"}))
        ids = histories.make(tmp_path / repository, commits)
        local = [
            known.Known(repository, ids[at], ids[at - 1], row.issue, row.path, row.subject, row.date, row.files)
            for at, row in places.items()
        ]
        pipeline = Pipeline(repository, history=History(tmp_path / repository))
        table, _ = pipeline.compare(local)
        states = Counter(line.split(",")[2] for line in table.splitlines()[1:])
        assert states == {"found": len(mine), "beyond": 3}
        assert ",found,with another base" not in table
        found += states
    assert found == {"found": 1449, "beyond": 21}


def test_the_published_list_goes_through_the_filters_with_every_reason():
    """Numbers of the figure: each pair counts once, for the filter that refuses it, in its own repository."""
    rows = [
        known.Known("a/a", "c1", "", 1, "x.py", "fix", "", 1),
        known.Known("a/a", "c2", "", 2, "x.py", "fix", "", 1),
        known.Known("a/a", "c3", "", 2, "x.py", "docs", "", 3),
        known.Known("a/a", "c4", "", 4, "x.py", "fix", "", 3),
        known.Known("b/b", "c5", "", 1, "x.py", "update the docs", "", 1),
        known.Known("b/b", "c6", "", 2, "x.rb", "fix", "", 1),
    ]
    found = listed.count(rows)
    assert (found["pairs"], found["passed"]) == (6, 1)
    steps = {step["filter"]: (step["came"], step["passed"], step["reasons"]) for step in found["steps"]}
    assert steps == {
        "cross-reference check": (6, 6, {}),
        "merged check": (6, 6, {}),
        "one-to-one check": (6, 4, {"issue with several fixes": 2}),
        "file-changed count": (4, 3, {"several changed files": 1}),
        "doc change detection": (3, 2, {"title speaks of documentation": 1}),
        "suffix detection": (2, 1, {"suffix of no main language": 1}),
    }
    assert "The one-to-one check refuses most: 2 of the 6" in found["finding"]
    assert list(listed.by_filter(found).frame["Passed"]) == ["6", "6", "4", "3", "2", "1"]
    assert list(listed.by_repository(found).frame["Share"]) == ["25.0 %", "0.0 %"]


@pytest.mark.parametrize(
    "content",
    [b"\xff", b"a,b\n1,2\n", b"repo,fix_commit,base_commit,issue,source_file,subject,date\na,b,c,x,e,f,g\n"],
)
def test_a_damaged_list_is_refused_in_a_sentence(content):
    with pytest.raises(SeluError, match=r"pairs.csv is not a list of pairs .* copy it again"):
        known.read(content, "pairs.csv")
