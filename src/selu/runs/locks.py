"""Locks that show that a process works on something, so that no other one starts on it.

A lock ends with its process, however that ends, so that none is left behind. It holds among the processes of
one machine, and among machines that share the folder by a file system that knows locks (NFS from version 4).
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from selu.runs import atomic
from selu.vocabulary import MachineError


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock that is held, until it is released or the ``with`` block ends."""

    path: Path
    number: int

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.release()

    def release(self) -> None:
        """Release the lock, and remove its file."""
        with suppress(OSError):
            self.path.unlink()  # while it is held: who has it open finds out that it is not the file any more
        os.close(self.number)


def take(path: Path) -> Lock | None:
    """Take the lock of this name; None if another process holds it.

    Raises:
        MachineError: the file system knows no locks.
        OSError: the disk refuses.
    """
    atomic.make_folder(path.parent)
    while True:
        number = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(path.stat(), os.fstat(number)):
                return Lock(path, number)
        except BlockingIOError:
            os.close(number)
            return None
        except FileNotFoundError:
            pass  # its holder gave it up between our opening and our locking it
        except OSError as error:
            os.close(number)
            raise MachineError(
                f"{path.parent} can't hold locks ({error.strerror}): put the project on another file system."
            ) from None
        os.close(number)
