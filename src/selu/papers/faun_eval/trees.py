"""Files of a repository at a commit, from a local clone, and whether a patch applies to them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from selu.clones import CLONES, FOLDER, Objects, find_clone, run
from selu.vocabulary import SeluError

__all__ = ["CLONES", "FOLDER", "apply", "find_clone", "list_objects", "list_paths", "read_object", "read_text"]
# Neither the settings of a user nor of a machine play a part in how a patch applies.
_NO_SETTINGS = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


@cache
def _objects(clone: Path) -> Objects:
    return Objects(clone)


def list_paths(clone: Path, commit: str) -> list[str] | None:
    """List all files of a commit; None where the clone does not have it."""
    listed = _list(clone, commit)
    return None if listed is None else [path for path, _ in listed]


def _list(clone: Path, commit: str) -> list[tuple[str, str]] | None:
    """List the paths of a commit, each with its object, which is empty for entries that are not files."""
    try:
        listed = run(clone, "ls-tree", "-r", "-z", "--full-tree", commit).decode("utf-8", "replace")
    except SeluError:
        return None
    entries = (entry.partition("\t") for entry in listed.split("\0") if entry)  # "MODE KIND OBJECT\tPATH"
    return [(path, about.split(" ")[2] if about.startswith("100") else "") for about, _, path in entries]


def list_objects(clone: Path, commit: str) -> Mapping[str, str] | None:
    """List the objects of a commit's files by path, without links; None where the clone lacks the commit."""
    listed = _list(clone, commit)
    return None if listed is None else {path: id for path, id in listed if id}


def read_object(clone: Path, id: str) -> str | None:
    """Read a file by its object; None where the clone lacks it or it is too large."""
    return _text(clone, id)


def read_text(clone: Path, commit: str, path: str) -> str | None:
    """Read a file of a commit; None if it does not exist."""
    return _text(clone, f"{commit}:{path}")


def _text(clone: Path, name: str) -> str | None:
    found = _objects(clone).read(name)
    if found is None or found.kind != "blob" or found.content is None:
        return None
    return found.content.decode("utf-8", "replace")


def apply(patch: str, files: Mapping[str, str]) -> Mapping[str, str] | None:
    """Apply a patch to files as ``git apply`` does: all files afterwards, or None where git refuses it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text.encode("utf-8"))
        try:
            words = ("apply", "--whitespace=nowarn", "-")
            run(folder, *words, given=patch.encode(), seconds=60, variables=_NO_SETTINGS)
        except SeluError:
            return None
        found = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
        return {
            path.relative_to(folder).as_posix(): path.read_bytes().decode("utf-8", "replace") for path in found
        }
