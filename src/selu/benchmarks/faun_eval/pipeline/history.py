"""A local clone, read by git: messages of commits, what each changes, files and trees at a commit.

Nothing of the clone is run: no hook, no filter, no external diff, and git asks no server for what is missing.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from selu.benchmarks.faun_eval.pipeline.records import Changed
from selu.vocabulary import SeluError

_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_END = b"\x1e"  # git's own separator of records; a message that holds it is read on
LARGEST = 10 << 20  # bytes of a file, as the paper's upper limit of a record


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit with one parent or none, and what it changes against it.

    Attributes:
        base: the parent's hash, empty for a first commit.
        date: of the committer, YYYY-MM-DD.
    """

    id: str
    base: str
    date: str
    message: str
    changes: tuple[Changed, ...]

    @property
    def subject(self) -> str:
        """The first line of the message."""
        return self.message.split("\n", 1)[0]


class History:
    """The commits of a clone. Opening it raises SeluError where there is none, or none that git can read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        if not folder.is_dir():
            raise SeluError(f"{folder} is no folder: name the clone of the repository.")
        try:
            self._git("rev-parse", "--git-dir")
        except SeluError as error:
            raise SeluError(
                f"{folder} is no repository that git can read ({error}): make a clone with its history."
            ) from None
        try:
            self.head = self._git("rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode().strip()
        except SeluError:
            raise SeluError(f"{folder} has no history: make a clone of a repository with commits.") from None
        self.cut = self._git("rev-parse", "--is-shallow-repository").strip() == b"true"

    def commits(self, revision: str = "HEAD") -> Iterator[Commit]:
        """Walk through the commits that lead to a revision, the newest first; merges are left out.

        Raises:
            SeluError: no such revision, or damaged objects.
        """
        out = self._git(
            "log", "-z", "--no-merges", "--name-status", "--find-renames", "--root",
            "--format=%x1e%H%x1f%P%x1f%cs%x1f%B%x1f", "--end-of-options", revision, "--",
        )  # fmt: skip
        for record in re.split(_END + rb"(?=[0-9a-f]{40})", out)[1:]:
            head, _, tail = record.rpartition(b"\x1f")
            id, parents, date, message = head.split(b"\x1f", 3)
            yield Commit(
                id.decode(), parents.decode().partition(" ")[0], date.decode(),
                message.decode("utf-8", "replace").strip("\n"), tuple(_changes(tail)),
            )  # fmt: skip

    def file(self, commit: str, path: str) -> bytes | None:
        """Read a file at a commit; None where there is none, or it has more than ``LARGEST`` bytes."""
        name = f"{self._commit(commit)}:{path}"
        try:
            size = int(self._git("cat-file", "-s", "--end-of-options", name))
            return self._git("cat-file", "blob", "--end-of-options", name) if size <= LARGEST else None
        except SeluError:
            return None

    def paths(self, commit: str) -> list[str] | None:
        """List all files at a commit; None where the clone lacks it."""
        try:
            out = self._git("ls-tree", "-r", "-z", "--name-only", "--full-tree", self._commit(commit))
        except SeluError:
            return None
        return [name.decode("utf-8", "replace") for name in out.split(b"\0") if name]

    def base_of(self, commit: str) -> str | None:
        """Find the first parent of a commit; None where the clone lacks one of them."""
        try:
            out = self._git("rev-parse", "--verify", "--quiet", f"{self._commit(commit)}^1")
        except SeluError:
            return None
        return out.decode().strip()

    def _commit(self, name: str) -> str:
        if not _HASH.fullmatch(name):
            raise SeluError(f"{name!r} is no hash of a commit.")
        return name

    def _git(self, *arguments: str) -> bytes:
        command = [
            "git",
            "-C",
            os.fspath(self._folder),
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "core.fsmonitor=",
        ]
        command += ["-c", "log.showSignature=false", "--no-optional-locks", "--no-replace-objects", *arguments]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        kept |= {"LC_ALL": "C", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
        kept |= {"GIT_CEILING_DIRECTORIES": os.fspath(self._folder.resolve().parent)}
        try:
            done = subprocess.run(command, env=kept, capture_output=True, check=False)
        except OSError as error:
            raise SeluError(f"git can't be started ({error.strerror}): install git.") from None
        if done.returncode:
            said = (done.stderr.decode(errors="replace").strip().splitlines() or ["no message"])[0]
            raise SeluError(f"git {arguments[0]}: {said.removeprefix('fatal: ')}")
        return done.stdout


def _changes(out: bytes) -> Iterator[Changed]:
    """Read git's list of changed paths, parted by NUL; of a renamed file the new path counts."""
    parts: Sequence[str] = [part.decode("utf-8", "replace").strip("\n") for part in out.split(b"\0")]
    left = iter([part for part in parts if part])
    for letter in left:
        path = next(left, "")
        if letter[:1] in "RC":
            path = next(left, "")
        yield Changed(letter[:1], path)
