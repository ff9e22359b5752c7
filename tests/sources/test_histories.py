"""Messages from clones: what a user who has them gets, and what is said of clones that are wrong."""

from __future__ import annotations

import csv
import subprocess
from pathlib import Path

import pytest
from made import COMMIT, TABLE, held, pin, sha256

from selu import clones
from selu.sources.fetch import fetch
from selu.sources.pins import Availability, Form, FormKind, History, Origin, PinnedFile
from selu.sources.verify import RefusedError, UnavailableError
from selu.vocabulary import SeluError

MESSAGE = 'Repair "it", all\n\nsigned-off-by: nobody\n'


def git(folder: Path, *words: str, given: bytes = b"") -> str:
    person = [f"user.{name}=a@b.c" for name in ("name", "email")]
    settings = [word for setting in (*person, "commit.gpgsign=false") for word in ("-c", setting)]
    done = subprocess.run(
        ["git", "-C", str(folder), *settings, *words], input=given, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


def commit(folder: Path, message: str) -> str:
    git(folder, "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-F", "-", given=message.encode())
    return git(folder, "rev-parse", "HEAD")


class World:
    """Two projects, their histories below ``SELU_CLONES``, and a pin of their four labelled commits."""

    def __init__(self, root: Path) -> None:
        self.clones, self.folder = root / "clones", root / "raw" / "incivility"
        self.clones.mkdir()
        self.first, self.second = self.clones / "own+one", self.clones / "Own__Two"
        for place in (self.first, self.second):
            place.mkdir()
            git(place, "init", "-q")
        self.commits = [commit(self.first, text) for text in (MESSAGE, "Größe, geändert\r\n")]
        self.commits += [commit(self.second, text) for text in ("Tidy", "Again")]
        self.gone = "5" * 40  # a labelled commit of two that is in no history
        named = ("one", "one", "two", "two", "two")
        lines = [f"{name},{id}" for name, id in zip(named, [*self.commits, self.gone], strict=True)]
        data = "\n".join(("project,id", *lines, "")).encode()
        place = self.folder / "labels.csv"
        place.parent.mkdir(parents=True)
        place.write_bytes(data)
        form = Form(FormKind.COMMITS, columns=("project", "id"))
        files = (
            PinnedFile("labels.csv", "labels.csv", sha256(data), len(data), Form(FormKind.CSV), "o/n", COMMIT),
            PinnedFile("messages.csv", "labels.csv", None, None, form, "o/n", COMMIT),
        )
        histories = (
            History("one", "own/one", self.commits[1]),
            History("two", "own/two", self.commits[3], lacks=1),
        )
        self.pin = pin(Origin("clones", "rows", files, TABLE, histories), availability=Availability.PARTIAL)

    def fetch(self) -> tuple[list[list[str]], list[str]]:
        """Return the rows of the messages' file, and what was said."""
        messages: list[str] = []
        found = fetch(self.pin, self.folder, progress=messages.append)
        with found.files["messages.csv"].open(encoding="utf-8", newline="") as stream:
            head, *rows = csv.reader(stream)
        assert head == ["project", "commit", "message"]
        return rows, messages

    def refusal(self) -> str:
        with pytest.raises(RefusedError) as caught:
            fetch(self.pin, self.folder)
        assert "\n" not in str(caught.value)
        assert "clones/messages.csv" not in held(self.folder)
        return str(caught.value)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(tmp_path)
    monkeypatch.setenv("SELU_CLONES", str(made.clones))
    return made


def test_messages_are_those_of_the_commits_to_the_letter(world):
    rows, messages = world.fetch()
    texts = [MESSAGE, "Größe, geändert\r\n", "Tidy", "Again"]
    assert [row[1:] for row in rows] == [list(pair) for pair in zip(world.commits, texts, strict=True)]
    assert messages == ["incivility: 4 messages read"]


def test_a_missing_clone_is_named_and_the_rest_goes_on(world):
    world.second.rename(world.clones / "elsewhere")
    rows, messages = world.fetch()
    assert len(rows) == 2
    assert messages == [
        "incivility: 2 messages read; 2 are left out, for which these clones are missing: own/two"
    ]


def test_each_wrong_clone_is_refused_in_a_sentence(world, tmp_path):
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{world.first}", str(shallow))
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    commit(other, "Elsewhere")
    world.first.rename(tmp_path / "whole")
    world.second.rename(tmp_path / "whole two")
    shallow.rename(world.first)
    other.rename(world.second)
    assert world.refusal() == (
        f"{world.first} is a shallow clone and lacks 1 of 2 commits of own/one: run 'git -C {world.first} "
        f"fetch --unshallow'. {world.second} has no commit of own/two, so it is of another repository: clone "
        "own/two there."
    )


def test_a_clone_that_lacks_commits_or_is_none_is_refused(world, tmp_path):
    git(world.second, "reset", "-q", "--hard", "HEAD~1")
    git(world.second, "reflog", "expire", "--expire=now", "--all")
    git(world.second, "gc", "-q", "--prune=now")
    world.first.rename(tmp_path / "whole")
    world.first.mkdir()
    message = world.refusal()
    assert f"{world.first} is no Git repository: put a clone of own/one there, or remove it." in message
    assert (
        f"{world.second} lacks 1 of 2 commits of own/two, such as {world.commits[3]}: run 'git -C " in message
    )


def test_without_any_clone_nothing_is_written(world, tmp_path, monkeypatch):
    monkeypatch.setenv("SELU_CLONES", str(tmp_path / "raw"))
    with pytest.raises(UnavailableError, match=r"has none of the 2 clones, such as own\+one"):
        fetch(world.pin, world.folder)
    monkeypatch.delenv("SELU_CLONES")
    with pytest.raises(UnavailableError, match=r"no folder of clones was given \(SELU_CLONES\)"):
        fetch(world.pin, world.folder)
    assert "origin.json" not in held(world.folder)


def test_a_git_that_hangs_is_not_waited_for(tmp_path, monkeypatch):
    (tmp_path / "git").write_text("#!/bin/sh\nexec /bin/sleep 60\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SeluError, match=r"^git log: no answer in 0\.2 seconds$"):
        clones.run(tmp_path, "log", seconds=0.2)
