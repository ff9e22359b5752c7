"""Real clones lack objects, hold submodules and pointers, and odd names: each is named, the rest is made."""

from __future__ import annotations

import csv
import json

import pytest

from papers.faun_eval.pipeline import histories
from selu.papers.faun_eval.pipeline import known
from selu.papers.faun_eval.pipeline.history import History
from selu.papers.faun_eval.pipeline.make import Pipeline
from selu.papers.faun_eval.pipeline.pairs import Side
from selu.vocabulary import SeluError

HERE = "own/repo"
CODE = b"def f():\n    return %d\n"
GOOD = [("first", {"a.py": CODE % 1}), ("Fixes #1", {"a.py": CODE % 2})]


def made(folder):
    """Make tasks: the paths of the edits, the reasons by issue, and what is said."""
    found = Pipeline(HERE, history=History(folder)).make([Side.COMMIT])
    edits = [json.loads(line) for line in found.texts["editing.jsonl"].splitlines()]
    reasons = csv.DictReader(found.tables["reasons.csv"].splitlines())
    by_issue = {row["record"].split()[0]: row["reason"] for row in reasons}
    return [edit["path"] for edit in edits], by_issue, " ".join(found.says)


def drop(folder, name):
    """Take an object away, as a clone lacks it that was made without all files."""
    id = histories.git(folder, "rev-parse", name).strip()
    (folder / ".git" / "objects" / id[:2] / id[2:]).unlink()


def test_a_shallow_clone_gives_what_its_commits_hold(tmp_path):
    histories.make(tmp_path / "whole", [*GOOD, ("Fixes #2", {"a.py": CODE % 3})])
    url = f"file://{tmp_path / 'whole'}"
    histories.git(tmp_path, "clone", "--quiet", "--depth", "2", url, "clone")
    paths, reasons, says = made(tmp_path / "clone")
    assert paths == ["a.py"]
    assert reasons == {"#1": "changed files not known"}  # not "file added", though git shows it so
    assert "lacks older commits: 'git fetch --unshallow' brings them" in says


def test_a_clone_without_some_files_gives_the_rest(tmp_path):
    """Git itself ends where it compares a renamed file with one that is missing."""
    folder = tmp_path / "clone"
    lines = b"".join(b"x%d = 1\n" % number for number in range(30))
    ids = histories.make(
        folder,
        [
            ("first", {"a.py": CODE % 1, "b.py": CODE % 11, "old.py": lines}),
            ("Fixes #1", {"a.py": CODE % 2}),
            ("Fixes #2", {"b.py": CODE % 12}),
            ("move", {"old.py": None, "new.py": lines + b"y = 2\n"}),
        ],
    )
    drop(folder, f"{ids[3]}:new.py")
    drop(folder, f"{ids[0]}:b.py")
    paths, reasons, says = made(folder)
    assert paths == ["a.py"]
    assert reasons == {"#2": "file not in the clone"}
    assert "lacks files (git log: " in says


def test_a_clone_whose_server_has_the_files_asks_it_for_none(tmp_path):
    histories.make(tmp_path / "whole", GOOD)
    histories.git(tmp_path / "whole", "config", "uploadpack.allowFilter", "true")
    url = f"file://{tmp_path / 'whole'}"
    histories.git(tmp_path, "clone", "--quiet", "--bare", "--filter=blob:none", url, "clone")
    assert made(tmp_path / "clone")[:2] == ([], {"#1": "file not in the clone"})


def test_a_commit_that_is_missing_ends_the_call_with_its_name(tmp_path):
    folder = tmp_path / "clone"
    ids = histories.make(folder, GOOD)
    drop(folder, ids[0])
    with pytest.raises(SeluError, match=ids[0]):
        made(folder)


@pytest.mark.ci
def test_what_is_no_file_of_code_is_named(tmp_path):
    folder = tmp_path / "clone"
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 9\n"
    ids = histories.make(
        folder,
        [
            *GOOD,
            ("add", {"big.py": pointer % 1, "huge.py": b"#" * (50 << 20)}),
            ("Fixes #2", {"big.py": pointer % 2}),
            ("Fixes #3", {"huge.py": b"#" * (50 << 20) + b"\n"}),
        ],
    )
    for number, id in enumerate(ids[:2], 4):
        histories.git(folder, "update-index", "--add", "--cacheinfo", f"160000,{id},three.js")
        link = histories.git(folder, "hash-object", "-w", "--stdin", given=b"a%d.py" % number).strip()
        histories.git(folder, "commit", "--quiet", "--message", f"Fixes #{number}")
        histories.git(folder, "update-index", "--add", "--cacheinfo", f"120000,{link},link.py")
        histories.git(folder, "commit", "--quiet", "--message", f"Fixes #{number + 2}")
    paths, reasons, _ = made(folder)
    assert paths == ["a.py"]
    submodules, links = dict.fromkeys(("#4", "#5"), "submodule"), dict.fromkeys(("#6", "#7"), "link")
    assert reasons == {"#2": "pointer of Git LFS", "#3": "file above 10 MB", **submodules, **links}


def test_paths_with_quotes_letters_and_breaks_are_read(tmp_path):
    folder = tmp_path / "clone"
    odd = ['"quo\\ted".py', "caf\u00e9 au lait.py", "x missing.py"]
    histories.make(
        folder,
        [
            ("first", dict.fromkeys((*odd, "two\nlines.py"), CODE % 1)),
            *((f"Fixes #{number}", {path: CODE % 2}) for number, path in enumerate(odd, 1)),
            ("Fixes #9", {"two\nlines.py": CODE % 2}),
        ],
    )
    paths, reasons, says = made(folder)
    assert set(paths) == {odd[1], odd[2]}
    assert reasons == {"#1": "path outside the tree", "#9": "can't be written as blocks"}
    assert "3 of fault localization" in says


def test_a_rewritten_history_says_which_commit_a_pair_is_now(tmp_path):
    ids = histories.make(tmp_path / "clone", [*GOOD, ("Fixes #2", {"a.py": CODE % 3})])
    histories.git(tmp_path / "clone", "branch", "kept")
    histories.git(tmp_path / "clone", "reset", "--quiet", "--hard", ids[1])
    gone = "0" * 40
    rows = [
        known.Known(HERE, gone, "", 1, "a.py", "Fixes #1", "2017-07-16", 1),
        known.Known(HERE, gone, "", 7, "a.py", "Fixes #7", "2017-07-16", 1),
        known.Known(HERE, ids[2], ids[1], 2, "a.py", "Fixes #2", "2017-07-17", 1),
    ]
    table, says = Pipeline(HERE, history=History(tmp_path / "clone")).compare(rows)
    found = {
        row["issue"]: row["reason"] for row in csv.DictReader(table.splitlines()) if row["state"] == "missing"
    }
    assert found == {
        "1": f"commit not in the clone: {ids[1]} has its subject, the history was rewritten",
        "7": "commit not in the clone",
        "2": "a merge, or not in the history of HEAD",
    }
    assert says == "0 of the 3 published pairs are found, and 1 beyond them"
