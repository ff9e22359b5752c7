"""What makes a run that run: a hash over everything that its predictions depend on, and nothing else."""

from __future__ import annotations

import ast
import csv
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from selu.vocabulary import SeluError

LEDGER = Path(__file__).with_name("programs.csv")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)


def canonical(record: Any) -> bytes:
    """Write a record for hashing, in the one way there is."""
    return json.dumps(
        record, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode("utf-8", "surrogatepass")


def identity(fields: Mapping[str, Any]) -> str:
    """Hash a run's fields by sha256."""
    return hashlib.sha256(canonical(fields)).hexdigest()


def source(paths: Iterable[Path]) -> str:
    """Hash Python files as programs: a comment, a docstring or the layout of a line changes nothing.

    Programs that were shown to give the answers of an earlier one keep its hash (``same_answers``).

    Args:
        paths: files, or folders with all ``*.py`` below them.

    Raises:
        SeluError: the ledger is damaged.
    """
    found = program_hash(paths)
    return same_answers().get(found, found)


def program_hash(paths: Iterable[Path]) -> str:
    """Hash Python files as ``source`` does, whatever the ledger says of them."""
    files: list[tuple[str, Path]] = []
    for path in paths:
        inside = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        files += [(file.relative_to(path.parent).as_posix(), file) for file in inside]
    digest = hashlib.sha256()
    for name, file in sorted(files):
        digest.update(name.encode() + b"\0" + _program(file.read_text("utf-8")).encode() + b"\0")
    return digest.hexdigest()


@cache
def same_answers() -> dict[str, str]:
    """Read the ledger: hash of a program -> hash of the earlier one whose answers it gives.

    A line is added by a commit that ran both on the same rows and found equal bytes, and names that proof; so a
    module can be moved or renamed without a tracked run becoming stale.

    Raises:
        SeluError: the ledger is missing or damaged, names a program twice, or leads from line to line.
    """
    try:
        rows = list(csv.DictReader(LEDGER.read_text("utf-8").splitlines()))
        found = {str(row["program"]): str(row["same_as"]) for row in rows}
        proven = all(row["since"] and row["shown_by"] for row in rows)
    except (OSError, ValueError, KeyError):
        raise SeluError(f"{LEDGER} is missing or damaged: restore it from git.") from None
    hashes = [*found, *found.values()]
    if len(found) != len(rows) or not proven or not all(map(_SHA256.fullmatch, hashes)):
        raise SeluError(f"{LEDGER} has a line that is double or not whole: restore it from git.")
    if found.keys() & found.values():
        raise SeluError(f"{LEDGER} leads from line to line: name the first program in each.")
    return found


@cache  # most files are of many runs' sources
def _program(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def pinned(lock: Path, names: Iterable[str]) -> dict[str, str]:
    """Read the versions that a lock pins for these packages.

    Raises:
        SeluError: the lock is missing, or pins one of them in no or in several versions.
    """
    try:
        pins = _PIN.findall(lock.read_text("utf-8"))
    except (OSError, ValueError):
        raise SeluError(f"{lock} is missing or damaged: restore it from git.") from None
    found: dict[str, str] = {}
    for name in names:
        versions = {version for package, version in pins if package in PACKAGES.get(name, (name,))}
        if len(versions) != 1:
            raise SeluError(
                f"{lock} pins {len(versions)} versions of {name} where one is needed: run 'make locks'."
            )
        found[name] = versions.pop()
    return found


PACKAGES = {"xgboost": ("xgboost", "xgboost-cpu")}  # one library under two names of distributions
