"""Runs made elsewhere: how they are transferred, and put in place once they are complete.

They travel as the bytes of their files, or through a folder that an fsspec URL names: a shared path, a bucket
(``s3://``, ``gs://``) or a folder of another machine (``ssh://``). There each run has a folder of its own,
named by its identity, whose record is written last.
"""

from __future__ import annotations

import os
import re
import tempfile
import uuid
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from selu.names import shown
from selu.runs import atomic, record
from selu.vocabulary import MachineError, SeluError

if TYPE_CHECKING:
    from selu.contents import RunContent

Got = TypeVar("Got")
_IDENTITY = re.compile(r"[0-9a-f]{64}")
_LIBRARIES = {
    "s3": "s3fs ('make remotes-environment' does)",
    **{"gs": "gcsfs", "gcs": "gcsfs", "ssh": "sshfs", "sftp": "sshfs"},
}
_ATTEMPTS = 3
# Errors by name, since their libraries may not be here: of botocore, aiohttp and Python itself.
_NO_KEY = {"NoCredentialsError", "PartialCredentialsError"}
_NO_CONNECTION = {
    *("ConnectionError", "HTTPClientError", "ClientConnectionError", "ClientPayloadError", "TimeoutError")
}
_WITHOUT_FOLDERS = ("s3", "gs", "gcs", "memory")  # where making a folder may make a bucket, of a misspelt name


def read_files(folder: Path, identity: str) -> Mapping[str, bytes]:
    """Read all files of a present run, by name, its record last.

    Raises:
        SeluError: it is missing, damaged or of another identity.
    """
    content = record.read_run(folder, identity)
    names = [*content["files"], *([record.SCORES] if (folder / record.SCORES).exists() else []), record.RUN]
    return {name: (folder / name).read_bytes() for name in names}


def put_in_place(folder: Path, files: Mapping[str, bytes], identity: str) -> None:
    """Put a run into its folder atomically, once every seal and hash was verified.

    A failed run does not take the place of a present one of the same identity.

    Raises:
        MachineError: a file is missing, damaged, or of another run.
        OSError: the disk refuses; the old or the new run is kept.
    """
    with tempfile.TemporaryDirectory(prefix="selu-") as scratch:
        found = _checked(Path(scratch, *folder.parts[-3:]), files, identity)
    there = record.state(folder, identity)
    if found["state"] == record.State.FAILED and there is record.State.PRESENT:
        return
    atomic.make_folder(folder.parent)
    with atomic.locked(folder, alone=True):
        atomic.replace_folder(folder, files, record.whole)


def _checked(folder: Path, files: Mapping[str, bytes], identity: str) -> RunContent:
    """Check a run that arrived: write it to a folder of its name and return the record read from there."""
    name, again = "/".join(folder.parts[-3:]), "nothing was put in place; run the sweep again"
    if any(Path(file).name != file for file in files):
        raise MachineError(f"what arrived as {name} has a file outside of its folder: {again}.")
    folder.mkdir(parents=True)
    for file, content in files.items():
        (folder / file).write_bytes(content)
    try:
        found = record.read_run(folder, identity)
        if record.SCORES in files:
            record.read_scores(folder)
    except SeluError:
        raise MachineError(f"what arrived as {name} is damaged, or another run: {again}.") from None
    if extra := files.keys() - {*found["files"], record.RUN, record.SCORES}:
        raise MachineError(f"what arrived as {name} has a file {min(extra)!r}, unknown to its record: {again}.")
    return found


class Store:
    """The folder that a URL names.

    Raises:
        SeluError: no such URL, or what it takes is not installed.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.name = shown(url)
        try:
            from fsspec.core import url_to_fs

            self._system, self._base = url_to_fs(url, **_settings(url))
        except ImportError:
            library = _LIBRARIES.get(urlsplit(url).scheme, "what its kind of address takes")
            raise SeluError(f"--gather {self.name} needs a library: install {library}.") from None
        except ValueError:
            raise SeluError(
                f"--gather {self.name}: give a folder, or a place as s3://, gs:// or ssh://."
            ) from None
        except Exception as error:
            raise self._refused("opened", error) from None

    def check(self) -> None:
        """Write a small file, read it and remove it.

        Raises:
            MachineError: one of these is refused.
        """
        path, content = f"{self._base}/.selu-{uuid.uuid4().hex}", b"selu"
        try:
            self._make(self._base)
            self._system.pipe_file(path, content)
            same = self._system.cat_file(path) == content
            self._system.rm_file(path)
        except Exception as error:
            raise self._refused("written to", error) from None
        if not same:
            raise MachineError(f"--gather {self.name} does not return what was written to it: choose another.")

    def held(self) -> set[str]:
        """List the identities of the runs there."""
        return {name for name in self._listed(self._base) if _IDENTITY.fullmatch(name)}

    def put(self, identity: str, files: Mapping[str, bytes]) -> None:
        """Write a run's files, its record last, so that a run without one counts as none."""
        folder = f"{self._base}/{identity}"
        self._again("written to", self._make, folder)
        for name in sorted(files, key=lambda name: name == record.RUN):
            self._again("written to", self._system.pipe_file, f"{folder}/{name}", files[name])

    def get(self, identity: str) -> Mapping[str, bytes] | None:
        """Read a run's files; None where no whole run is there."""
        folder = f"{self._base}/{identity}"
        names = self._listed(folder)
        if record.RUN not in names:
            return None
        read: Callable[[str], bytes] = self._system.cat_file
        files = {name: self._again("read", read, f"{folder}/{name}") for name in names}
        whole = {name: content for name, content in files.items() if content is not None}
        return whole if len(whole) == len(files) else None  # somebody removes it

    def _listed(self, folder: str) -> list[str]:
        """Names in a folder; none where it is missing."""
        self._system.invalidate_cache()
        paths = self._again("read", partial(self._system.ls, detail=False), folder) or ()
        return sorted(str(path).rstrip("/").rpartition("/")[2] for path in paths)

    def _make(self, folder: str) -> None:
        if urlsplit(self.url).scheme not in _WITHOUT_FOLDERS:
            self._system.makedirs(folder, exist_ok=True)

    def _again(self, what: str, call: Callable[..., Got], *arguments: object) -> Got | None:
        """Retry a call, since networks lose one now and then; None if what is to be read is missing."""
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return call(*arguments)
            except Exception as error:  # any exception of the libraries
                if what == "read" and isinstance(error, FileNotFoundError):
                    break
                if attempt == _ATTEMPTS or isinstance(error, (FileNotFoundError, PermissionError)):
                    raise self._refused(what, error) from None
        return None

    def _refused(self, what: str, error: Exception) -> MachineError:
        """Describe an error of any library without the text it quotes: a URL may hold a password."""
        kinds = {kind.__name__ for kind in type(error).__mro__}
        why, advice = type(error).__name__, "check the address and your rights."
        if isinstance(error, (PermissionError, FileNotFoundError)):
            why = "no rights" if isinstance(error, PermissionError) else "no such place"
        elif kinds & _NO_KEY:
            why = "no key in the environment"
        elif kinds & _NO_CONNECTION:
            why = "no connection"
            advice = "run it again once the network is back; what is there already is not copied twice."
        elif isinstance(error, OSError) and error.errno:
            why = os.strerror(error.errno)
        return MachineError(f"--gather {self.name} can't be {what} ({why}): {advice}")


def _settings(url: str) -> Mapping[str, object]:
    """Return settings for libraries that are too patient or cache too long."""
    if urlsplit(url).scheme == "s3":
        patience = {"connect_timeout": 10, "read_timeout": 20, "retries": {"max_attempts": 2}}
        return {"use_listings_cache": False, "config_kwargs": patience}
    return {}
