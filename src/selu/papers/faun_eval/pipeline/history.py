"""A local clone: messages of commits, what each changes, files and trees at a commit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from selu.clones import LARGEST, Objects, run
from selu.papers.faun_eval.pipeline.records import Changed
from selu.vocabulary import SeluError

_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_END = b"\x1e"  # git's own separator of records; a message that holds it is read on
_NO_FILES = {"160000": "S", "120000": "L"}  # by the mode of their entry in a tree
NO_COMMIT, NO_FILE = "commit not in the clone", "file not in the clone"
TOO_LARGE = f"file above {LARGEST >> 20} MB"


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
    """The commits of a clone. Raises SeluError when opened if there is none, or none that git can read.

    Attributes:
        cut: whether older commits are missing.
        lacks: sentences on what the clone lacks, as far as it was read.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._objects = folder, Objects(folder)
        if not folder.is_dir():
            raise SeluError(f"{folder} is not a folder: name the clone of the repository.")
        try:
            self._git("rev-parse", "--git-dir")
        except SeluError as error:
            raise SeluError(
                f"{folder} is not a repository that git can read ({error}): make a clone with its history."
            ) from None
        try:
            self.head = self._git("rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode().strip()
        except SeluError:
            raise SeluError(f"{folder} has no history: make a clone of a repository with commits.") from None
        self.cut = self._git("rev-parse", "--is-shallow-repository").strip() == b"true"
        self.lacks = [f"{folder} lacks older commits: 'git fetch --unshallow' brings them."] if self.cut else []

    def commits(self) -> Iterator[Commit]:
        """Walk through the commits that lead to HEAD, the newest first; merges are left out.

        Raises:
            SeluError: damaged objects.
        """
        try:
            out = self._log("--find-renames")
        except SeluError as error:
            out = self._log("--find-renames=100%")  # which looks at hashes alone
            self.lacks.append(
                f"{self._folder} lacks files ({error}): one that was renamed and edited counts as deleted and "
                "added; 'git fetch --refetch' brings what lacks."
            )
        for record in re.split(_END + rb"(?=[0-9a-f]{40})", out)[1:]:
            head, _, tail = record.rpartition(b"\x1f")
            id, parents, date, message = head.split(b"\x1f", 3)
            yield Commit(
                id.decode(), parents.decode().partition(" ")[0], date.decode(),
                message.decode("utf-8", "replace").strip("\n"), tuple(_changes(tail)),
            )  # fmt: skip

    def _log(self, renames: str) -> bytes:
        return self._git(
            "log", "-z", "--no-merges", "--raw", renames, "--root", "--format=%x1e%H%x1f%P%x1f%cs%x1f%B%x1f",
            "HEAD", "--",
        )  # fmt: skip

    def has(self, commit: str) -> bool:
        """Return whether the clone has a commit, on any branch."""
        found = self._objects.read(commit) if _HASH.fullmatch(commit) else None
        return found is not None and found.kind == "commit"

    def file(self, commit: str, path: str) -> bytes | str:
        """Read a file at a commit, or say why it can't be read."""
        if not self.has(commit):
            return NO_COMMIT
        found = self._objects.read(f"{commit}:{path}")
        if found is None or found.kind != "blob":
            return NO_FILE
        return TOO_LARGE if found.content is None else found.content

    def paths(self, commit: str) -> list[str] | None:
        """List all files at a commit; None where the clone lacks it."""
        if not self.has(commit):
            return None
        try:
            out = self._git("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
        except SeluError:
            return None
        return [name.decode("utf-8", "replace") for name in out.split(b"\0") if name]

    def base_of(self, commit: str) -> str | None:
        """Find the first parent of a commit; None where the clone lacks one of them."""
        found = self._objects.read(f"{commit}^1") if self.has(commit) else None
        return found.id if found else None

    def _git(self, *arguments: str) -> bytes:
        return run(self._folder, *arguments)


def _changes(out: bytes) -> Iterator[Changed]:
    """Read git's list of changed paths, parted by NUL; of a renamed file the new path counts."""
    left = iter([part for part in out.decode("utf-8", "replace").split("\0") if part.strip("\n")])
    for entry in left:  # ":OLD-MODE NEW-MODE OLD-ID NEW-ID LETTER"
        old, new, _, _, letter = entry.lstrip("\n:").split(" ")
        path = next(left, "")
        if letter[:1] in "RC":
            path = next(left, "")
        yield Changed(_NO_FILES.get(new) or _NO_FILES.get(old) or letter[:1], path)
