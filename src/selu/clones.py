"""Clones of repositories: their location, and the objects in them, read by git.

Nothing of the clone is run: no hook, no filter, no external diff, and git asks no server for what is missing.
"""

from __future__ import annotations

import os
import re
import subprocess
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from selu.vocabulary import SeluError

CLONES = "SELU_CLONES"  # names a folder of clones, as OWNER+NAME or OWNER__NAME
FOLDER = "repositories"  # of clones, as OWNER/NAME, beside the copies of published answers
LARGEST = 10 << 20  # bytes of a file, as the paper's upper limit of a record
_SAFE = ("core.hooksPath=/dev/null", "core.fsmonitor=", "log.showSignature=false", "protocol.allow=never")
_AT_ONCE = 1 << 20
_SECONDS = 3600  # of one call; the log of a large history takes minutes
_NAME = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")
NO_GIT = "git can't be started ({}): install git."


def find_clone(folders: Iterable[Path], name: str) -> Path | None:
    """Find the clone of OWNER/NAME in the first of these folders that has it, or in the one of ``CLONES``.

    There a clone may also lie in the folder ``repo`` of its own, and no case is told apart.

    Raises:
        SeluError: ``CLONES`` names no folder.
    """
    places = [folder / FOLDER / name for folder in folders]
    if given := os.environ.get(CLONES):
        if not Path(given).is_dir():
            raise SeluError(
                f"{CLONES} names {given}, which is not a folder: name the one that holds the clones."
            )
        called = {name.lower().replace("/", between) for between in ("+", "__")}
        named = [place for place in sorted(Path(given).iterdir()) if place.name.lower() in called]
        places += [place / below for place in named for below in ("repo", "")]
    return next((place for place in places if _NAME.fullmatch(name) and place.is_dir()), None)


class Object(NamedTuple):
    """A git object by name; ``content`` is None above ``LARGEST`` bytes."""

    id: str
    kind: str
    content: bytes | None


def run(
    folder: Path,
    *arguments: str,
    given: bytes = b"",
    check: bool = True,
    seconds: float = _SECONDS,
    variables: Mapping[str, str] = {},
) -> bytes:
    """Run a command of git in a folder, and return what it writes.

    Args:
        check: whether a failure of git is an error; else what it wrote is returned all the same.
        variables: added to its environment.

    Raises:
        SeluError: git fails, takes longer than ``seconds``, or can't be started.
    """
    command, kept = _call(folder, *arguments)
    env = {**kept, **variables}
    try:
        done = subprocess.run(command, env=env, input=given, capture_output=True, timeout=seconds, check=False)
    except OSError as error:
        raise SeluError(NO_GIT.format(error.strerror)) from None
    except subprocess.TimeoutExpired:
        raise SeluError(f"git {arguments[0]}: no answer in {seconds} seconds") from None
    if check and done.returncode:
        message = (done.stderr.decode(errors="replace").strip().splitlines() or ["no message"])[0]
        raise SeluError(f"git {arguments[0]}: {message.removeprefix('fatal: ')}")
    return done.stdout


class Objects:
    """Reads objects of a clone through one process of ``git cat-file``, which starts at the first one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, name: str) -> Object | None:
        """Read the object of a name such as COMMIT:PATH; None if the clone lacks it.

        Raises:
            SeluError: git can't be started.
        """
        if "\n" in name:  # which parts the names that the process is given
            try:
                name = run(self._folder, "rev-parse", "--verify", "--end-of-options", name).decode().strip()
            except SeluError:
                return None
        process = self._process or self._start()
        assert process.stdin
        assert process.stdout
        process.stdin.write(name.encode("utf-8", "replace") + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:  # git ended over this name; the next one is read by another process
            _end(process)
            self._process = None
        *_, size = line.split() or [b""]
        if not size.isdigit():  # else "NAME missing"
            return None
        id, kind, left = *line.split()[:2], int(size)
        whole = left <= LARGEST
        content = process.stdout.read(left) if whole else None
        while not whole and left:
            left -= len(process.stdout.read(min(left, _AT_ONCE)))
        process.stdout.read(1)  # the line's end
        return Object(id.decode(), kind.decode(), content)

    def _start(self) -> subprocess.Popen[bytes]:
        command, environment = _call(self._folder, "cat-file", "--batch")
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        try:
            process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=null)
        except OSError as error:
            raise SeluError(NO_GIT.format(error.strerror)) from None
        weakref.finalize(self, _end, process)
        self._process = process
        return process


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def _call(folder: Path, *arguments: str) -> tuple[list[str], Mapping[str, str]]:
    """Return the command and its environment, free of the settings of the user and of surrounding folders."""
    settings = [word for setting in _SAFE for word in ("-c", setting)]
    quiet = ["--no-optional-locks", "--no-replace-objects"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    kept |= {"LC_ALL": "C", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
    kept |= {"GIT_CEILING_DIRECTORIES": os.fspath(folder.resolve().parent)}
    return ["git", "-C", os.fspath(folder), *settings, *quiet, *arguments], kept
