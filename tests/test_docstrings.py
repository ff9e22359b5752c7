"""What docstrings name exists: parameters, fields, and what they refer to in other modules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

import pytest

DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)
SECTION = re.compile(r"^(?:Args|Attributes):\n((?:    .*\n|\n)+)", re.M)
ENTRY = re.compile(r"^    (\*{0,2}\w+(?:, \*{0,2}\w+)*):", re.M)
DOTTED = re.compile(r"``(\w+(?:\.\w+)*\.(?!(?:csv|html|json|lock|parquet|py|safetensors|txt|ya?ml)\b)\w+)``")


def _defined(body: Sequence[ast.stmt]) -> Iterator[str]:
    """What a module or a class defines, what its methods set, and what is given to make one; no locals."""
    for statement in body:
        yield (name := getattr(statement, "name", ""))
        for node in ast.walk(statement):
            if isinstance(node, ast.arg) and name == "__init__":
                yield node.arg
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                yield node.attr
            elif not name and isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
            elif not name and isinstance(node, ast.alias):
                yield node.asname or node.name


def _names(node: ast.AST, classes: Sequence[ast.ClassDef]) -> set[str]:
    """The parameters of a function, or the fields of a class and of those that it is made from."""
    if not isinstance(node, ast.ClassDef):
        return {found.arg for found in ast.walk(getattr(node, "args", node)) if isinstance(found, ast.arg)}
    bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases} - {node.name}
    return set(_defined(node.body)).union(*(_names(base, classes) for base in classes if base.name in bases))


@pytest.mark.ci
def test_docstrings_name_what_exists(root):
    """Whoever looks up a parameter, or what a docstring refers to, finds it by that name."""
    src = root / "src"
    files = {".".join(path.relative_to(src).with_suffix("").parts): path for path in src.rglob("*.py")}
    trees = {name.removesuffix(".__init__"): ast.parse(path.read_text("utf-8")) for name, path in files.items()}
    nodes = [(at, node) for at in trees for node in ast.walk(trees[at]) if isinstance(node, DOCUMENTED)]
    classes = [node for _, node in nodes if isinstance(node, ast.ClassDef)]
    named = set(trees) | {f"{at}.{name}" for at, tree in trees.items() for name in _defined(tree.body)}
    named |= {f"{at}.{getattr(node, 'name', '')}.{own}" for at, node in nodes for own in _names(node, classes)}
    known = {name.split(".", at)[-1] for name in named for at in range(name.count(".") + 1)}
    heads = {name.rpartition(".")[2] for name in trees} | {node.name for node in classes}
    wrong = set()
    for at, node in nodes:
        text = ast.get_docstring(node) or ""
        entries = " ".join(ENTRY.findall("".join(SECTION.findall(f"{text}\n"))))
        lost = set(re.findall(r"\w+", entries)) - _names(node, classes)
        lost |= {name for name in DOTTED.findall(text) if name.partition(".")[0] in heads} - known
        wrong |= {f"{at}.{getattr(node, 'name', '')}: {name}" for name in lost}
    assert wrong == set()
