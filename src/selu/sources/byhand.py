"""Files that a person put into a task's folder: as they are, under an origin's name, or in one archive."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from selu.sources import archive
from selu.sources.pins import Origin, PinnedFile
from selu.sources.raw_folder import part_of, remove
from selu.sources.verify import Digest, RefusedError, differs, digest, is_file, is_pointer, refusal

_AT_WORK = ".unpacked.tmp"  # folder of what an archive held; settled away like every leftover


class Shelf:
    """What a task's folder has of the chosen origins, verified. Unpacked archives last as long as it is open.

    ``refused`` holds an error for each file or archive that has a pinned name, or an archive's ending, and is
    not what it should be. Such a file is left as it is.
    """

    def __init__(self, folder: Path, origins: Iterable[Origin]) -> None:
        self.refused: list[RefusedError] = []
        self._folder = folder
        self._origins = [origin for origin in origins if not origin.pickles]
        self._found: dict[tuple[str, str], tuple[Path, Digest]] = {}

    def __enter__(self) -> Shelf:
        for origin in self._origins:
            for file in origin.files:
                self._look(origin, file, self._folder / origin.name / file.name, own=True)
                self._look(origin, file, self._folder / file.name)
        for path in self._archives():
            try:
                self._unpack(path)
            except RefusedError as error:
                self.refused.append(error)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._folder / _AT_WORK, ignore_errors=True)

    def has(self, origin: Origin, file: PinnedFile) -> bool:
        """Whether the file is here, as far as its pin can tell."""
        return (origin.name, file.name) in self._found

    def is_whole(self, origin: Origin) -> bool:
        """Whether every file of an origin is here."""
        return not origin.pickles and all(self.has(origin, file) for file in origin.files)

    def place(self, origin: Origin, file: PinnedFile, place: Path) -> Digest:
        """Have a file that is here as its part, or leave it where it has its final name already.

        Raises:
            RefusedError: it was changed since it was looked at.
        """
        path, found = self._found[origin.name, file.name]
        part = part_of(place)
        remove(part)
        if path != place and digest(path, copy=part) != found:
            remove(part)
            raise RefusedError(f"{path} changes while it is read: put it there anew.")
        return found

    def _look(self, origin: Origin, file: PinnedFile, path: Path, *, own: bool = False) -> bool:
        key = (origin.name, file.name)
        if key in self._found or not is_file(path):
            return False
        found = digest(path)
        if not found.bytes or differs(found, file) or is_pointer(path):
            remedy = "put the right file there, or remove it"
            if not own or not is_file(self._folder / "origin.json"):
                self.refused.append(refusal(str(path), file, found, remedy))
            return False
        self._found[key] = (path, found)
        return True

    def _archives(self) -> list[Path]:
        names = {file.name for origin in self._origins for file in origin.files}
        found = [path for path in self._folder.iterdir() if path.name.lower().endswith(archive.ENDINGS)]
        return sorted(path for path in found if is_file(path) and path.name not in names)

    def _unpack(self, path: Path) -> None:
        """Take what an archive has of the files that are still missing; all of it is checked first."""
        listed = archive.members(path)
        target = self._folder / _AT_WORK
        for origin in self._origins:
            for file in origin.files:
                if self.has(origin, file):
                    continue
                for number, member in enumerate(_candidates(listed, file)):
                    target.mkdir(exist_ok=True)
                    unpacked = target / f"{origin.name}-{number}-{file.name}"
                    archive.extract(path, member, unpacked)
                    found = digest(unpacked)
                    if found.bytes and not differs(found, file):
                        self._found[origin.name, file.name] = (unpacked, found)
                        break
                    unpacked.unlink()
                    remedy = "put the right archive there, or remove it"
                    self.refused.append(refusal(f"{path}: {member.path}", file, found, remedy))


def _candidates(listed: tuple[archive.Member, ...], file: PinnedFile) -> list[archive.Member]:
    """Members that may be a file: of its pinned path's ending, or of its name, in an archive's order."""
    named = [member for member in listed if Path(member.path).name in (file.name, Path(file.path).name)]
    ending = [member for member in named if f"/{member.path}".endswith(f"/{file.path}")]
    found = ending or named
    if file.sha256 is None and len(found) > 1:
        return []  # nothing tells which of them is meant
    return [member for member in found if file.bytes in (None, member.bytes)]
