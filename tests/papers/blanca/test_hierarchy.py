from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from helpers import small_project as small
from selu.papers.blanca import design, hierarchy
from selu.vocabulary import SeluError

FILES = {
    "__init__.py": "raise SystemExit('imported')\nfrom .base import Base\n",
    "base.py": 'class Root:\n    "All."\n\nclass Base(Root, object):\n    "A base."\n',
    "deep/__init__.py": "from toypackage import Base as Renamed\n",
    "deep/leaves.py": (
        "import toypackage.base as b\nfrom . import Renamed\nfrom os import PathLike\n\n"
        'class One(Renamed, PathLike):\n    "One."\n\nclass Two(b.Root):\n    "Two."\n\n'
        'class Silent(One):\n    pass\n\nclass Three(Silent):\n    "Three."\n'
    ),
    "tests/test_it.py": 'class Tested:\n    "No."\n',
    "broken.py": "class (:",
}

TASK = next(task for task in design.tasks() if task.id == "class_hierarchy")


@pytest.fixture
def package(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "toypackage"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder


def found(folder):
    modules = hierarchy.read_modules("toypackage", folder)
    return hierarchy.superclasses(modules), hierarchy.documentation(modules)


def test_bases_are_followed_through_imports_and_nothing_is_imported(package):
    bases, documented = found(hierarchy.find_folder("toypackage"))
    leaves = "toypackage.deep.leaves"
    assert bases[f"{leaves}.One"] == {"toypackage.base.Base"}
    assert bases[f"{leaves}.Two"] == {"toypackage.base.Root"}
    assert bases["toypackage.base.Base"] == {"toypackage.base.Root"}
    assert f"{leaves}.Silent" in bases
    assert f"{leaves}.Silent" not in documented
    assert not any("Tested" in name for name in bases)
    assert "toypackage" not in sys.modules


def test_distances_are_steps_over_bases_either_way_undocumented_classes_too(package):
    pairs = hierarchy.distances(*found(package))
    steps = {tuple(sorted(name.rpartition(".")[2] for name in (p.first, p.second))): p.distance for p in pairs}
    assert steps == {
        ("Base", "Root"): 1, ("Base", "One"): 1, ("Root", "Two"): 1, ("One", "Root"): 2, ("Base", "Two"): 2,
        ("One", "Two"): 3, ("One", "Three"): 2, ("Base", "Three"): 3, ("Root", "Three"): 4, ("Three", "Two"): 5,
    }  # fmt: skip
    assert hierarchy.draw(pairs, 1) == hierarchy.draw(pairs[::-1], 1)
    assert [pair.distance for pair in hierarchy.draw(pairs, 1)] == [1, 2, 3, 4, 5]


@pytest.mark.ci
def test_bases_are_those_of_the_imported_classes():
    """On a library of today: what parsing finds is what Python has when it imports the module."""
    bases = hierarchy.superclasses(hierarchy.read_modules("sklearn", hierarchy.find_folder("sklearn")))
    for module in ("sklearn.linear_model._logistic", "sklearn.ensemble._forest", "sklearn.base"):
        for name in (name for name in bases if name.rpartition(".")[0] == module):
            imported = getattr(importlib.import_module(module), name.rpartition(".")[2])
            mine = [base for base in imported.__bases__ if base.__module__.partition(".")[0] == "sklearn"]
            assert bases[name] == {f"{base.__module__}.{base.__qualname__}" for base in mine}


def test_a_package_is_refused_where_no_rows_are_made_of_one(tmp_path):
    project = small.make(tmp_path / "clone", ())
    words = ("prepare", "--paper", "blanca", "--package", "sklearn")
    for task, message in ((("class_usage",), "are not made from a package"), ((), "name that task")):
        code, _, lines = small.done(project, *words, *task)
        assert code == 2
        assert message in lines[-1]
    code, _, lines = small.done(project, "fetch", "class_hierarchy")
    assert (code, "makes its rows from a package" in lines[-1]) == (2, True)


def test_a_package_that_is_not_here_or_too_small_is_refused(package):
    with pytest.raises(SeluError, match="nowhere is not an installed package with sources"):
        hierarchy.make(TASK, "nowhere")
    with pytest.raises(SeluError, match="toypackage has 10 pairs of documented classes"):
        hierarchy.make(TASK, "toypackage")
