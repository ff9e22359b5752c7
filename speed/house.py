"""Measure what a change of the package costs, beside the goals: lines, stages, signatures, files in a folder.

``python speed/house.py`` prints one line a figure. Nothing is timed: each machine gives the same numbers.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

from selu.papers.api import Benchmark
from selu.runs.pipeline import read_lock

ROOT = Path(__file__).parents[1]
PAPERS = "src/selu/papers/"
_UNTYPED = re.compile(r"\b(?:dict\b|Mapping\[str, Any\]|Record\b|Entry\b)")
_PARAMETERS = 7  # of a function that is easy to call


class Figure(NamedTuple):
    """What was measured, its value and its goal (at most)."""

    name: str
    value: int
    goal: int


def figures(root: Path = ROOT) -> list[Figure]:
    """Measure a checkout."""
    signatures = [*_signatures(_python(root / "src"))]
    return [
        Figure("stages that depend on a shared room of src", _shared(root), 0),
        Figure("stages stale after a new claim of a paper, at most", _stale(root), 3),
        Figure("lines of dvc.yaml", _lines([root / "dvc.yaml"]), 200),
        Figure("lines of dvc.lock", _lines([root / "dvc.lock"]), 4_000),
        Figure("functions with an untyped record in their signature", _count(signatures, _UNTYPED), 300),
        Figure("functions with Any in their signature", _count(signatures, re.compile(r"\bAny\b")), 250),
        Figure(
            "functions of more than 7 parameters",
            sum(signature.parameters > _PARAMETERS for signature in signatures),
            5,
        ),
        Figure("fields of a paper's record", len(fields(Benchmark)), 14),
        Figure("modules side by side in a folder of src, at most", _beside(root), 20),
        Figure("lines of src", _lines(_python(root / "src")), 66_000),
        Figure("lines of tests", _lines(_python(root / "tests")), 42_000),
    ]


class Signature(NamedTuple):
    """A function's parameters and types as written, and how many parameters it has.

    Those of a verb of the command line are options that a person names, and none is counted: nobody calls it.
    """

    text: str
    parameters: int


def _python(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def _lines(paths: Sequence[Path]) -> int:
    return sum(path.read_text("utf-8").count("\n") for path in paths)


def _signatures(paths: Sequence[Path]) -> Iterator[Signature]:
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                taken = node.args
                named = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs]
                count = (
                    sum(argument.arg not in ("self", "cls") for argument in named) if not _is_verb(node) else 0
                )
                returns = ast.unparse(node.returns) if node.returns else ""
                yield Signature(f"{ast.unparse(taken)} -> {returns}", count)


def _is_verb(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Say whether a function is a command of typer, by its decorator ``@verbs.command(...)``."""
    called = (decorator.func for decorator in function.decorator_list if isinstance(decorator, ast.Call))
    return any(isinstance(target, ast.Attribute) and target.attr == "command" for target in called)


def _count(signatures: Sequence[Signature], pattern: re.Pattern[str]) -> int:
    return sum(bool(pattern.search(signature.text)) for signature in signatures)


def _shared(root: Path) -> int:
    """Count stages that a change of a shared room makes stale, but for the picture of the rooms."""
    shared = (
        [path for path in stage.reads if path.startswith("src/") and not path.startswith(PAPERS)]
        for stage in read_lock(root)
        if stage.name != "architecture"
    )
    return sum(map(bool, shared))


def _stale(root: Path) -> int:
    """Count the stages that read a paper's claims, or what they make; the most of a paper without runs."""
    stages = read_lock(root)
    papers = [path.name for path in (root / PAPERS).iterdir() if (path / "claims").is_dir()]
    most = 0
    for paper in (name for name in papers if not (root / "results" / name).is_dir()):
        touched = {f"{PAPERS}{paper}/claims", f"reports/{paper}/claims.json", f"reports/{paper}"}
        most = max(most, sum(bool(touched & set(stage.reads)) for stage in stages))
    return most


def _beside(root: Path) -> int:
    return max(Counter(path.parent for path in _python(root / "src")).values())


def main() -> None:
    """Print the figures."""
    for figure in figures():
        goal = "" if figure.value <= figure.goal else f"(goal {figure.goal:,}) "
        print(f"{figure.value:>7,} {goal}{figure.name}")


if __name__ == "__main__":
    main()
