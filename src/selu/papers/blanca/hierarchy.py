"""Pairs of documented classes of an installed package, with their distance in its class hierarchy (task H).

The package's sources are parsed and never imported: what a module does when it is imported is not done, and
classes that only compiled modules define are not seen. As in section 4.4 of the paper, two classes are as far
apart as the shortest way between them over bases, either way, of at most ``FARTHEST`` steps; ``object`` and
classes of other packages are no steps. The paper takes all pairs; here at most ``MOST`` a distance are drawn.
"""

from __future__ import annotations

import ast
import hashlib
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from selu.papers.api import Made, TaskRows
from selu.papers.blanca import readers
from selu.vocabulary import SeluError, Task

FARTHEST = 10
MOST = 600  # pairs of one distance
LEAST = 20  # pairs of a package
_DEPTH = 20  # modules that a name is followed through
Place = tuple[str, str]  # module and name


@dataclass(frozen=True)
class Module:
    """A module's source: its classes, with their bases as places, and the names that it imports."""

    classes: Mapping[str, ast.ClassDef]
    imported: Mapping[str, Place] = field(default_factory=dict)


@dataclass(frozen=True)
class Pair:
    """Two documented classes, by name in order of the alphabet, and their distance."""

    first: str
    second: str
    distance: int


def find_folder(package: str) -> Path:
    """Find the folder of an installed package without importing it.

    Raises:
        SeluError: no such package is installed, or it has no sources in a folder.
    """
    from importlib.util import find_spec

    try:
        spec = find_spec(package) if package.isidentifier() else None
    except (ImportError, ValueError):
        spec = None
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise SeluError(
            f"{package} is not an installed package with sources: name one by what is imported ('sklearn')."
        )
    return Path(places[0])


def read_modules(package: str, folder: Path) -> Mapping[str, Module]:
    """Parse a package's sources by module name, without its tests and files that are not Python."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        inside = path.relative_to(folder).with_suffix("").parts
        if "tests" in inside or not all(part.isidentifier() for part in inside):
            continue
        name = ".".join((package, *inside)).removesuffix(".__init__")
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue
        here = name if path.name == "__init__.py" else name.rpartition(".")[0]
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        found[name] = Module(classes, dict(_imports(tree, here)))
    return found


def _imports(tree: ast.Module, here: str) -> Iterator[tuple[str, Place]]:
    """Yield each name that a module imports, with its source; ``here`` is the module's package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield (
                    (alias.asname or alias.name.partition(".")[0]),
                    (
                        (alias.name if alias.asname else alias.name.partition(".")[0]),
                        "",
                    ),
                )
        elif isinstance(node, ast.ImportFrom):
            above = here.split(".")[: len(here.split(".")) + 1 - node.level] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield (alias.asname or alias.name), (module, alias.name)


def superclasses(modules: Mapping[str, Module]) -> Mapping[str, set[str]]:
    """Map every class, by its full name, to those of its bases that the package defines."""
    found: dict[str, set[str]] = {}
    for name, module in modules.items():
        for class_, node in module.classes.items():
            places = (_find(modules, name, ast.unparse(base).partition("[")[0]) for base in node.bases)
            found[f"{name}.{class_}"] = {place for place in places if place}
    return found


def _find(modules: Mapping[str, Module], module: str, dotted: str) -> str | None:
    """Return the full name of the class that a module refers to; None if the package does not define it."""
    for _ in range(_DEPTH):
        first, _, rest = dotted.partition(".")
        if module not in modules:
            return None
        if not rest and first in modules[module].classes:
            return f"{module}.{first}"
        if first in modules[module].imported:
            source, name = modules[module].imported[first]
            if not name or f"{source}.{name}" in modules:  # a module, of which an attribute is meant
                module, dotted = (f"{source}.{name}" if name else source), rest
            else:
                module, dotted = source, f"{name}.{rest}" if rest else name
        elif f"{module}.{first}" in modules:
            module, dotted = f"{module}.{first}", rest
        else:
            return None
    return None


def documentation(modules: Mapping[str, Module]) -> Mapping[str, str]:
    """Map every class that has a docstring, by its full name, to it."""
    every = (
        (f"{name}.{class_}", (ast.get_docstring(node) or "").strip())
        for name, module in modules.items()
        for class_, node in module.classes.items()
    )
    return {name: text for name, text in every if text}


def distances(bases: Mapping[str, set[str]], documented: Mapping[str, str]) -> list[Pair]:
    """Find all pairs of documented classes within ``FARTHEST`` steps, in order of their names."""
    near: dict[str, set[str]] = {name: set() for name in bases}
    for name, above in bases.items():
        for base in above - {name}:
            near[name].add(base)
            near[base].add(name)
    found = []
    for start in sorted(documented):
        away, todo = {start: 0}, deque([start])
        while todo:
            name = todo.popleft()
            for other in near[name] - away.keys() if away[name] < FARTHEST else ():
                away[other] = away[name] + 1
                todo.append(other)
        found += [
            Pair(start, name, steps) for name, steps in away.items() if name > start and name in documented
        ]
    return sorted(found, key=lambda pair: (pair.first, pair.second))


def draw(pairs: list[Pair], most: int = MOST) -> list[Pair]:
    """Draw at most this many pairs of each distance, by the hash of their names: the same each time."""
    by_hash = sorted(pairs, key=lambda pair: hashlib.sha256(f"{pair.first} {pair.second}".encode()).digest())
    taken: dict[int, list[Pair]] = {}
    for pair in by_hash:
        mine = taken.setdefault(pair.distance, [])
        if len(mine) < most:
            mine.append(pair)
    return [pair for distance in sorted(taken) for pair in taken[distance]]


def make(_task: Task, package: str) -> Made:
    """Build the rows of H from a package: two documentations and a distance; groups are first modules.

    Raises:
        SeluError: there is no such package, or it has fewer than ``LEAST`` pairs.
    """
    import pandas as pd

    modules = read_modules(package, find_folder(package))
    documented = documentation(modules)
    every = distances(superclasses(modules), documented)
    chosen = draw(every)
    if len(chosen) < LEAST:
        raise SeluError(
            f"{package} has {len(chosen)} pairs of documented classes whose bases it defines, and {LEAST} are "
            "needed: name a package with more classes."
        )
    rows = [
        (
            f"p{number:06d}",
            documented[pair.first],
            documented[pair.second],
            float(pair.distance),
            pair.first.rpartition(".")[0],
            f"{package}:{pair.first} {pair.second}",
        )
        for number, pair in enumerate(chosen)
    ]
    says = (
        f"Not the paper's pairs, which are not available here: {len(chosen):,} of the {len(every):,} pairs of "
        f"documented classes of {package} {_version(package)}, at most {MOST} of each distance, from its "
        "parsed sources."
    )
    return Made(TaskRows(pd.DataFrame(rows, columns=list(readers.COLUMNS), dtype=object)), says)


def _version(package: str) -> str:
    from importlib.metadata import packages_distributions, version

    names = packages_distributions().get(package, ())
    return version(names[0]) if names else "of an unknown version"
