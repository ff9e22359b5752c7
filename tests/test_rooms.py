"""What keeps the house in order: shared rooms name no benchmark, and no folder is a hall."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from selu import registry

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "selu"
# Where the word is the package's or the command's: how often a file has it as a text of its own.
OF_THE_PACKAGE = {
    "app/ranking/submit.py": 1,
    "cli/app.py": 3,
    "package/architecture.py": 1,
    "package/crate.py": 1,
    "package/every_eval_ever.py": 1,
    "package/doctor.py": 1,
    "papers/drawing.py": 1,
    "report/pdf.py": 1,
    "sources/network.py": 1,
    "systems/prompt/provider_openai.py": 2,
}
# What a benchmark is called in texts, in names of folders and in keys of params.yaml.
NAMED = re.compile(
    r"\bSELU\b(?!_)|NLBSE|nlbse|\b(data|paper|pins|clean|raw|splits|reports|results|notebooks|benchmarks)/selu\b|"
    r"\bselu\.(statistics|sensitivity)\b"
)


def _docstrings(tree: ast.AST) -> set[ast.AST]:
    """Documentation, in which a paper may be cited as the source."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = (node.body for node in ast.walk(tree) if isinstance(node, kinds))
    return {body[0].value for body in bodies if body and isinstance(body[0], ast.Expr)}


def _texts(tree: ast.AST) -> Iterator[str]:
    """Every text of a module but its documentation, and what it imports."""
    passed = _docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in passed:
            yield node.value
        elif isinstance(node, ast.ImportFrom):
            yield f"{node.module}."
        elif isinstance(node, ast.Import):
            yield from (f"{alias.name}." for alias in node.names)


def _naming(path: Path, ids: set[str]) -> list[str]:
    """The texts of a file that name a benchmark."""
    texts = list(_texts(ast.parse(path.read_text("utf-8"))))
    allowed = OF_THE_PACKAGE.get(path.relative_to(SOURCE).as_posix(), 0)
    exact = [text for text in texts if text in ids]
    of_package = len([text for text in exact if text == "selu"]) <= allowed and set(exact) <= {"selu"}
    imports = tuple(f"selu.papers.{id}." for id in ids)
    inside = [text for text in texts if NAMED.search(text) or text.startswith(imports)]
    named = [path.stem] if any(part in path.stem for part in ids - {"own"}) else []
    return [*named, *inside, *([] if of_package else exact)]


@pytest.mark.ci
def test_at_most_three_shared_files_name_a_benchmark() -> None:
    """Whoever brings a benchmark changes no file of the others: none of them knows which there are."""
    ids = set(registry.find().benchmarks)
    tenants = [SOURCE / "papers" / id for id in ids]
    shared = [
        path for path in SOURCE.rglob("*.py") if not any(path.is_relative_to(tenant) for tenant in tenants)
    ]
    found = {path.relative_to(SOURCE).as_posix(): texts for path in shared if (texts := _naming(path, ids))}
    assert len(found) <= 3, found


@pytest.mark.parametrize("folder", [ROOT / "src", ROOT / "tests"])
def test_nobody_looks_for_a_file_among_more_than_thirty(folder: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    side_by_side = Counter(path.parent.relative_to(ROOT).as_posix() for path in files)
    assert {name: count for name, count in side_by_side.items() if count > 30} == {}
