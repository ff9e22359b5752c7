"""The identity of a run: a hash over everything that its predictions depend on, and nothing else."""

from __future__ import annotations

import ast
import csv
import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path

from selu.vocabulary import SeluError

LEDGER = Path(__file__).with_name("programs.csv")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)


def canonical(record: object) -> bytes:
    """Write a record for hashing, in the one way there is."""
    return json.dumps(
        record, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode("utf-8", "surrogatepass")


def identity(fields: Mapping[str, object]) -> str:
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
    """Hash Python files as ``source`` does, regardless of the ledger."""
    files: list[tuple[str, Path]] = []
    for path in paths:
        inside = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        files += [(file.relative_to(path.parent).as_posix(), file) for file in inside]
    digest = hashlib.sha256()
    for name, file in sorted(files):
        digest.update(name.encode() + b"\0" + _program(file.read_text("utf-8")).encode() + b"\0")
    return digest.hexdigest()


@cache
def same_answers() -> Mapping[str, str]:
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
        raise SeluError(f"{LEDGER} has a duplicate or incomplete line: restore it from git.")
    if found.keys() & found.values():
        raise SeluError(f"{LEDGER} leads from line to line: name the first program in each.")
    return found


def source_of(
    package: str,
    modules: Mapping[str, Path],
    entries: Iterable[tuple[str, str]],
    files: Collection[Path] = (),
) -> str:
    """Hash the functions that are reached from some, as ``source`` hashes files, by the same ledger.

    A function that none of them names, such as a new metric, changes nothing.

    Args:
        package: dotted name of the package that the modules are in.
        modules: files by their names in it; what is imported from elsewhere is not followed.
        entries: module and name of each function to begin with.
        files: hashed as a whole, beside the functions.

    Raises:
        SeluError: the ledger is damaged.
    """
    digest = hashlib.sha256()
    for (module, name), text in reached(package, modules, entries):
        digest.update(f"{module}.{name}\0{text}\0".encode())
    if files:
        digest.update(program_hash(files).encode())
    return same_answers().get(digest.hexdigest(), digest.hexdigest())


def reached(
    package: str, modules: Mapping[str, Path], entries: Iterable[tuple[str, str]]
) -> list[tuple[tuple[str, str], str]]:
    """Find module, name and program of what functions name, and what that names; arguments as ``source_of``."""
    found = {name: _definitions(path.read_text("utf-8"), package) for name, path in modules.items()}
    known: dict[tuple[str, str], str] = {}
    left = list(entries)
    while left:
        place = module, name = left.pop()
        if place in known or name not in found[module]:
            continue
        known[place], named = found[module][name]
        left += [(other or module, each) for other, each in named if (other or module) in found]
    return sorted(known.items())


@cache
def _definitions(text: str, package: str) -> Mapping[str, tuple[str, frozenset[tuple[str, str]]]]:
    """Find what a module defines: by name the program, and the (module or "", name) that it uses."""
    tree = ast.parse(_program(text))
    modules: dict[str, str] = {}  # local name -> module of the package
    names: dict[str, tuple[str, str]] = {}  # local name -> module and name there
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == package:
            modules |= {each.asname or each.name: each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{package}."):
            origin = str(node.module).removeprefix(f"{package}.")
            names |= {each.asname or each.name: (origin, each.name) for each in node.names}
    found: dict[str, tuple[str, frozenset[tuple[str, str]]]] = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            defined = [node.name]
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            defined = [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
        else:
            continue
        named = set()
        for each in ast.walk(node):
            if isinstance(each, ast.Name):
                named.add(names.get(each.id, ("", each.id)))
            elif (
                isinstance(each, ast.Attribute)
                and isinstance(each.value, ast.Name)
                and each.value.id in modules
            ):
                named.add((modules[each.value.id], each.attr))
        found |= dict.fromkeys(defined, (ast.unparse(node), frozenset(named)))
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


def pinned(lock: Path, names: Iterable[str]) -> Mapping[str, str]:
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
