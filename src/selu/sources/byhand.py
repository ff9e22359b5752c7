"""Files that a person put into a task's folder: as they are, under an origin's name, or in one archive."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from selu.sources import archive
from selu.sources.pins import Origin, PinnedFile
from selu.sources.raw_folder import RECORD, part_of
from selu.sources.verify import Digest, RefusedError, differs, digest, is_pointer, refusal

_AT_WORK = ".unpacked.tmp"  # folder of what an archive held; settled away like every leftover


class Shelf:
    """What a task's folder has of the chosen origins, verified. Unpacked archives last as long as it is open.

    ``refused`` holds an error for each file or archive that has a pinned name, or an archive's ending, and is
    not what it should be. Such a file is left as it is.
    """

    def __init__(self, folder: Path, origins: Iterable[Origin]) -> None:
        self.refused: list[RefusedError] = []
        self._folder, self._unpacked = folder, folder / _AT_WORK
        self._wanted = [(origin, file) for origin in origins if not origin.pickles for file in origin.files]
        self._found: dict[tuple[str, str], tuple[Path, Digest]] = {}

    def __enter__(self) -> Shelf:
        fetched = (self._folder / RECORD).is_file()
        for origin, file in self._wanted:
            # A damaged file of the set that was fetched is none that a person put there: it is mended.
            self._look(origin, file, self._folder / origin.name / file.name, quietly=fetched)
            self._look(origin, file, self._folder / file.name)
        names = {file.name for _, file in self._wanted}
        for path in sorted(self._folder.iterdir()):
            if path.name.lower().endswith(archive.ENDINGS) and path.name not in names and path.is_file():
                try:
                    self._unpack(path)
                except RefusedError as error:
                    self.refused.append(error)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._unpacked, ignore_errors=True)

    def has(self, origin: Origin, file: PinnedFile) -> bool:
        """Tell whether the file is here, as far as its pin can tell."""
        return (origin.name, file.name) in self._found

    def is_whole(self, origin: Origin) -> bool:
        """Tell whether every file of an origin is here."""
        return all(self.has(origin, file) for file in origin.files)

    def place(self, origin: Origin, file: PinnedFile, place: Path) -> Digest:
        """Copy a file that is here to its part, or leave it where it has its final name already.

        Raises:
            RefusedError: it was changed since it was looked at.
        """
        path, found = self._found[origin.name, file.name]
        part = part_of(place)
        part.unlink(missing_ok=True)
        if path != place and digest(path, copy=part) != found:
            part.unlink()
            raise RefusedError(f"{path} changes while it is read: put it there anew.")
        return found

    def _look(self, origin: Origin, file: PinnedFile, path: Path, *, quietly: bool = False) -> None:
        if not self.has(origin, file) and path.is_file():
            self._take(origin, file, path, str(path), "put the right file there, or remove it", quietly)

    def _take(
        self, origin: Origin, file: PinnedFile, path: Path, name: str, remedy: str, quietly: bool = False
    ) -> bool:
        """Note a file if it is the pinned one, and say so if not."""
        found = digest(path)
        good = bool(found.bytes) and not differs(found, file) and not is_pointer(path)
        if good:
            self._found[origin.name, file.name] = (path, found)
        elif not quietly:
            self.refused.append(refusal(name, file, found, remedy))
        return good

    def _unpack(self, path: Path) -> None:
        """Take what an archive has of the files that are still missing; all of it is checked first."""
        listed = archive.members(path)
        for origin, file in self._wanted:
            for number, member in enumerate(() if self.has(origin, file) else _candidates(listed, file)):
                self._unpacked.mkdir(exist_ok=True)
                unpacked = self._unpacked / f"{origin.name}-{number}-{file.name}"
                archive.extract(path, member, unpacked)
                name, remedy = f"{path}: {member.path}", "put the right archive there, or remove it"
                if self._take(origin, file, unpacked, name, remedy):
                    break
                unpacked.unlink()


def _candidates(listed: tuple[archive.Member, ...], file: PinnedFile) -> list[archive.Member]:
    """Find members that may be a file: of its pinned path's ending, or of its name, in an archive's order."""
    named = [member for member in listed if Path(member.path).name in (file.name, Path(file.path).name)]
    ending = [member for member in named if f"/{member.path}".endswith(f"/{file.path}")]
    found = ending or named
    if file.sha256 is None and len(found) > 1:
        return []  # nothing tells which of them is meant
    return [member for member in found if file.bytes in (None, member.bytes)]
