"""README and the pipeline: numbers come from files, and nothing a stage writes is left untracked."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import command
from selu import registry
from selu.app import documents, report
from selu.evidence.tracked import tracked_claims
from selu.execution import plans
from selu.execution.planned import Wanted
from selu.report.notebooks import executing
from selu.report.rules import history, page
from selu.runs.pipeline import read_lock
from selu.vocabulary import SeluError


def test_claims_page_is_that_of_the_tracked_findings(root):
    """A reader of docs/CLAIMS.md sees the rules and sentences that the verdicts follow: 'selu report rules'."""
    claims = {registry.benchmark(id).name: tracked_claims(root, id) for id in registry.published()}
    assert (root / "docs" / "CLAIMS.md").read_text("utf-8") == page(claims)
    assert (root / "docs" / "CLAIMS_HISTORY.md").read_text("utf-8") == history(claims)


BLOCKS = {"README.md": {"benchmarks", "summary", "hours"}, "REPRODUCE.md": {"ways", "artefacts"}}
BLOCKS |= {"docs/RESULTS.md": {"results"}}


@pytest.mark.parametrize("document", documents.DOCUMENTS)
def test_documents_show_what_is_tracked(root, document):
    """A number in README that no file gives would be believed: 'selu report documents' writes the blocks."""
    text = (root / document).read_text("utf-8")
    assert set(re.findall(r"<!-- (\w+): ", text)) == BLOCKS[document.as_posix()]
    assert documents.filled(root, document) == text


def test_documents_are_said_to_be_written_where_they_change(root, tmp_path):
    """Whoever reads 'wrote README.md' looks for a change in it."""
    for name in ("data", "reports", "params.yaml", "dvc.lock", "dvc.yaml"):
        (tmp_path / name).symlink_to(root / name)
    names = [*documents.DOCUMENTS, documents.PICTURE]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(root / name, tmp_path / name)
    messages: list[str] = []
    assert list(report.make(tmp_path, ["documents"], messages.append)) == []
    assert messages[1:] == ["documents: no file changed"]
    readme, picture = tmp_path / "README.md", tmp_path / documents.PICTURE
    old = readme.read_text("utf-8").replace("<!-- /summary -->", "Old.\n<!-- /summary -->")
    readme.write_text(old, "utf-8")
    picture.write_bytes(b"old")
    assert list(report.make(tmp_path, ["documents"], messages.append)) == [readme, picture]
    assert all((tmp_path / name).read_bytes() == (root / name).read_bytes() for name in names)


def test_a_block_that_nothing_makes_is_named(tmp_path):
    (tmp_path / "README.md").write_text("<!-- scores: here -->\n<!-- /scores -->\n")
    with pytest.raises(SeluError, match="the block 'scores'"):
        documents.filled(tmp_path, Path("README.md"))


def test_readme_is_read_in_minutes(root):
    lines = (root / "README.md").read_text("utf-8").splitlines()
    assert len(lines) <= 160


def test_readme_shows_the_tracked_picture(root):
    picture = (root / "docs" / "overview.png").read_bytes()
    assert picture == (root / "reports" / "selu" / "figures" / "overview.png").read_bytes()


def test_readme_commands_exist(root):
    targets = set(re.findall(r"^([a-z0-9-]+):", (root / "Makefile").read_text(), re.MULTILINE))
    for document in ("README.md", "REPRODUCE.md", "docs/RUNNING.md"):
        wanted = set(
            re.findall(r"^make ([a-z0-9-]+)|`make ([a-z0-9-]+)`", (root / document).read_text("utf-8"), re.M)
        )
        assert {a or b for a, b in wanted} <= targets


def test_every_benchmark_and_task_of_a_paper_has_its_stages(root):
    """A benchmark or a task that no stage names would never be tracked."""
    made = {path for stage in read_lock(root) for path in stage.writes}
    for benchmark in registry.published():
        assert f"reports/{benchmark}/claims.json" in made
        assert f"results/{benchmark}" in made or not _planned(root, benchmark)
        assert f"reports/{benchmark}/notebooks" in made or not executing.names(root, benchmark)
        for task in registry.tasks(benchmark):
            assert {f"data/splits/{benchmark}", f"data/splits/{benchmark}/{task.id}"} & made


def _planned(root, benchmark):
    """How many runs of a benchmark can be planned: one that only asks models of one's own has none."""
    if not (names := tuple(task.id for task in registry.tasks(benchmark))):
        return 0
    try:
        return len(plans.plan(root, Wanted(names)))
    except SeluError:
        return 0


def test_every_file_of_the_report_is_tracked(root):
    """A table or figure that a notebook writes but no stage declares would never reach a reviewer."""
    tracked = {path for stage in read_lock(root) for path in stage.writes}
    files = {path.relative_to(root).as_posix() for path in (root / "reports" / "selu").rglob("*.*")}
    folders = {path for path in tracked if (root / path).is_dir()}
    assert {name for name in files if not any(name.startswith(f"{folder}/") for folder in folders)} <= tracked


@pytest.mark.parametrize(
    "extra",
    ["verify", "data", "baselines", "finetune", "finetune-cpu", "prompt", "text-metrics", "pipeline", "dev"],
)
def test_every_extra_has_a_lock_with_a_hash_for_each_package(root, extra):
    text = (root / "locks" / f"{extra}.txt").read_text()
    entries = re.split(r"\n(?=[A-Za-z0-9])", text[text.index("\n", text.rindex("# ")) + 1 :])
    packages = [entry for entry in entries if "==" in entry.splitlines()[0]]
    assert len(packages) > 100
    assert all("--hash=sha256:" in entry for entry in packages)
    if extra in ("finetune-cpu", "dev"):  # on a machine without a GPU nothing of CUDA is installed
        assert not [entry for entry in packages if entry.startswith(("nvidia-", "triton"))]


@pytest.mark.ci
def test_no_module_works_when_imported(root):
    """Importing every module reads no file of the project and loads no heavy library.

    Tensors are what some modules of fine-tuning are about: they import torch, and no other module imports them.
    """
    tensors = {root / "src" / "selu" / "systems" / room for room in ("finetune", "texts")}
    of_tensors = r"^(import|from) (torch|selu\.systems\.finetune\.(attention|engines|models|training))"
    modules = [
        path.relative_to(root / "src").with_suffix("").as_posix().replace("/", ".")
        for path in sorted((root / "src" / "selu").rglob("*.py"))
        if path.stem != "__main__"
        and not (set(path.parents) & tensors and re.search(of_tensors, path.read_text(), re.MULTILINE))
    ]
    code = (
        f"import importlib, sys\nfor name in {modules!r}: importlib.import_module(name)\n"
        "heavy = {'torch', 'transformers', 'xgboost', 'sklearn', 'dvc', 'papermill', 'autorank'}\n"
        "heavy &= set(sys.modules)\nsys.exit(f'imported {heavy}' if heavy else 0)\n"
    )
    done = command.python("-c", code, cwd=Path("/"))
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_skip_fails_where_nothing_may_be_skipped(root, tmp_path):
    shutil.copy(root / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_hole.py").write_text(
        "import pytest\ndef test_full(): pass\n@pytest.mark.skip(reason='absent')\ndef test_hole(): pass\n"
    )
    surroundings = {key: value for key, value in os.environ.items() if not key.startswith(("SELU_", "PYTEST_"))}
    words = [sys.executable, "-m", "pytest", "-p", "xdist", "-n", "1", str(tmp_path)]
    surroundings |= {"SELU_NO_SKIP": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(words, cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout
    assert "1 tests were skipped" in done.stdout


def test_a_paper_that_is_not_tracked_is_in_no_table(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = documents.block(root, "benchmarks")
    names = (*registry.published(), "own")  # which has no results in dvc.lock
    monkeypatch.setattr(registry, "published", lambda: names)
    assert documents.block(root, "benchmarks") == before
