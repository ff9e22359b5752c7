"""Files of a repository at a commit, from a local clone, and whether a patch applies to them."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from selu.benchmarks.faun_eval.metrics.patches import is_inside

FOLDER = "repositories"  # of clones, as OWNER/NAME, beside the copies of published answers
_SECONDS = 60


def find_clone(folders: Iterable[Path], name: str) -> Path | None:
    """Find the clone of OWNER/NAME in the first of these folders that has it."""
    places = (folder / FOLDER / name for folder in folders)
    return next((place for place in places if is_inside(name) and place.is_dir()), None)


def list_paths(clone: Path, commit: str) -> list[str] | None:
    """List all files of a commit; None where the clone does not have it."""
    listed = _git(clone, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
    return None if listed is None else [name for name in listed.decode("utf-8", "replace").split("\0") if name]


def read_text(clone: Path, commit: str, path: str) -> str | None:
    """Read a file of a commit; None where there is none."""
    content = _git(clone, "cat-file", "blob", f"{commit}:{path}")
    return None if content is None else content.decode("utf-8", "replace")


def read_texts(clone: Path, commit: str, paths: Collection[str]) -> dict[str, str]:
    """Read many files of a commit at once; links and what the commit does not have are left out."""
    packed = _git(clone, "archive", "--format=tar", commit)
    if packed is None:
        return {}
    found = {}
    with tarfile.open(fileobj=io.BytesIO(packed)) as tree:
        for member in tree:
            if member.name in paths and (stream := tree.extractfile(member)) and not member.issym():
                found[member.name] = stream.read().decode("utf-8", "replace")
    return found


def apply(patch: str, files: Mapping[str, str]) -> dict[str, str] | None:
    """Apply a patch to files as ``git apply`` does: all files afterwards, or None where git refuses it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text.encode("utf-8"))
        if _git(folder, "apply", "--whitespace=nowarn", "-", given=patch.encode("utf-8")) is None:
            return None
        found = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
        return {
            path.relative_to(folder).as_posix(): path.read_bytes().decode("utf-8", "replace") for path in found
        }


def _git(folder: Path, *words: str, given: bytes = b"") -> bytes | None:
    # Neither the settings of a user nor a repository around the folder play a part.
    quiet = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command: Sequence[str] = ("git", "-C", str(folder), *words)
    environment = kept | quiet | {"GIT_CEILING_DIRECTORIES": str(folder.parent)}
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, timeout=_SECONDS, env=environment, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode else done.stdout
