"""Claims: a file whose lock says that a process works on something, and nobody else may begin it.

A lock ends with its process, however that ends, so that no claim is left behind. It holds among the processes
of one machine, and among machines that share the folder by a file system that knows locks (NFS from version 4).
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from selu.runs import atomic
from selu.vocabulary import MachineError


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim that is held."""

    path: Path
    number: int

    def end(self) -> None:
        """Give it up, and leave no file."""
        with suppress(OSError):
            self.path.unlink()  # while it is held: who has it open finds out that it is not the file any more
        os.close(self.number)


def take(path: Path) -> Claim | None:
    """The claim of this name, or None where somebody else holds it.

    Raises:
        MachineError: the file system knows no locks.
        OSError: the disk refuses.
    """
    import fcntl

    atomic.make_folder(path.parent)
    while True:
        number = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(number)
            return None
        except OSError as error:
            os.close(number)
            raise MachineError(
                f"{path.parent} can't hold locks ({error.strerror}): put the project on another file system."
            ) from None
        if _still_there(path, number):
            return Claim(path, number)
        os.close(number)  # its holder gave it up between our opening and our locking it


def _still_there(path: Path, number: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(number))
    except FileNotFoundError:
        return False
