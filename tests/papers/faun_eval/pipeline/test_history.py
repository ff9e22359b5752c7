"""A clone is somebody else's: it must be read right, and nothing of it may run or be waited for."""

from __future__ import annotations

import pytest

from papers.faun_eval.pipeline import histories
from selu.papers.faun_eval.pipeline.history import History
from selu.papers.faun_eval.pipeline.records import Changed
from selu.vocabulary import SeluError


def test_commits_files_and_trees_are_read_as_git_has_them(tmp_path):
    folder = tmp_path / "clone"
    ids = histories.make(
        folder,
        [
            ("first\n\nbody é \x1e\x1f", {"a b.py": b"1\n" * 9, "d/e.py": b"\xff\0", "x.md": b"x"}),
            ("edit", {"a b.py": b"2\n" * 9}),
            ("move", {"a b.py": None, "c.py": b"2\n" * 9, "x.md": None}),
        ],
    )
    history = History(folder)
    commits = {commit.id: commit for commit in history.commits()}
    assert list(commits) == ids[::-1] == [history.head, *ids[1::-1]]
    first = commits[ids[0]]
    assert (first.base, first.subject, first.message) == ("", "first", "first\n\nbody é \x1e\x1f")
    assert first.date == "2017-07-15"
    assert [change.kind for change in first.changes] == ["A"] * 3
    assert commits[ids[1]].changes == (Changed("M", "a b.py"),)
    assert commits[ids[1]].base == ids[0]
    assert set(commits[ids[2]].changes) == {Changed("R", "c.py"), Changed("D", "x.md")}
    assert history.paths(ids[2]) == ["c.py", "d/e.py"]
    assert history.paths("0" * 40) is None
    assert history.paths("--output=x") is None  # what is no hash is never handed to git
    assert history.file(ids[0], "d/e.py") == b"\xff\0"
    assert history.file(ids[0], "c.py") == history.file(ids[0], "../clone/x.md") == "file not in the clone"
    assert history.file("0" * 40, "c.py") == "commit not in the clone"
    assert history.base_of(ids[1]) == ids[0]
    assert history.base_of(ids[0]) is None
    assert not history.cut


def test_nothing_of_a_clone_is_run(tmp_path):
    """A clone from somewhere may name a program as its pager, its diff or its monitor of files."""
    folder, trap = tmp_path / "clone", tmp_path / "ran"
    histories.make(
        folder,
        [("one", {"a.py": b"1", ".gitattributes": b"*.py diff=evil filter=evil\n"}), ("two", {"a.py": b"2"})],
    )
    program = f"touch {trap}; false"
    for name in (
        "core.fsmonitor",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.smudge",
        "core.pager",
    ):
        histories.git(folder, "config", name, program)
    history = History(folder)
    commits = list(history.commits())
    assert history.file(commits[0].id, "a.py") == b"2"
    assert not trap.exists()


def test_what_is_no_clone_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(SeluError, match="is not a folder"):
        History(tmp_path / "nowhere")
    (tmp_path / "plain").mkdir()
    with pytest.raises(SeluError, match="not a repository that git can read"):
        History(tmp_path / "plain")
    (tmp_path / "empty").mkdir()
    histories.git(tmp_path / "empty", "init", "--quiet")
    with pytest.raises(SeluError, match="has no history"):
        History(tmp_path / "empty")
