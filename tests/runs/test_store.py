from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from selu.runs import store
from selu.runs.pipeline import read_lock
from selu.vocabulary import SeluError

PAGE, EMPTY_JSON = b"<p>hello</p>", b"{}\n"


def put(root: Path, content: bytes, suffix: str = "") -> str:
    digest = hashlib.md5(content).hexdigest() + suffix
    path = root / "store" / "files" / "md5" / digest[:2] / digest[2:]  # as DVC lays it down
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return digest


def track(root: Path, output: str, files: dict[str, bytes], stage: str) -> None:
    """Have a stage write a folder with these files, or a file (of the name ""), and be locked so."""
    for relative, content in files.items():
        path = root / output / relative if relative else root / output
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    hashes = {relative: put(root, content) for relative, content in files.items()}
    listing = json.dumps([{"md5": md5, "relpath": relative} for relative, md5 in hashes.items()])
    digest = hashes[""] if "" in hashes else put(root, listing.encode(), ".dir")
    for name, entry in (
        ("dvc.yaml", {"outs": [output]}),
        ("dvc.lock", {"cmd": "make", "outs": [{"path": output, "md5": digest}]}),
    ):
        path = root / name
        known: dict[str, Any] = yaml.safe_load(path.read_text()) if path.exists() else {"stages": {}}
        path.write_text(yaml.safe_dump({"stages": {**known["stages"], stage: entry}}, sort_keys=False))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a tracked file, a tracked folder and a tracked run of a cell, pulled."""
    track(tmp_path, "out/a.json", {"": EMPTY_JSON}, "first")
    track(tmp_path, "out/site", {"index.html": PAGE}, "site")
    track(tmp_path, "results/b", {"task/system/strict-s1/run.json": EMPTY_JSON}, "runs")
    return tmp_path


def test_an_undamaged_project_passes(project):
    assert store.check_store(project) == 3
    store.check_results(project)
    assert store.changed(project, project) == []


def test_a_damaged_object_is_named_with_both_digests(project):
    digest = hashlib.md5(PAGE).hexdigest()
    store.object_path(project, digest).write_bytes(b"<p>hullo</p>")
    with pytest.raises(SeluError) as caught:
        store.check_store(project)
    for word in ("out/site/index.html", digest, hashlib.md5(b"<p>hullo</p>").hexdigest()):
        assert word in str(caught.value)


def test_a_missing_object_is_named(project):
    store.object_path(project, hashlib.md5(EMPTY_JSON).hexdigest()).unlink()
    with pytest.raises(SeluError, match=r"out/a\.json, is missing"):
        store.check_store(project)


@pytest.mark.parametrize("text", ["[{", "[]"])
def test_a_damaged_or_shortened_listing_of_a_folder_is_named(project, text):
    next(project.glob("store/**/*.dir")).write_text(text)
    with pytest.raises(SeluError, match="missing or damaged"):
        store.check_store(project)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda out: (out / "a.json").unlink(), r"out/a\.json: tracked, but missing"),
        (lambda out: (out / "a.json").write_text("[]"), r"out/a\.json: its bytes differ"),
        (lambda out: (out / "site" / "x.html").write_text(""), r"out/site/x\.html: present, but not tracked"),
    ],
)
def test_a_changed_result_is_named(project, change, message):
    change(project / "out")
    with pytest.raises(SeluError, match=message):
        store.check_results(project)
    store.check_results(project, within=Path("results"))
    with pytest.raises(SeluError, match=message):
        store.check_results(project, within=Path("out"))


def test_a_result_still_to_be_pulled_is_no_difference_where_that_is_asked(project):
    (project / "out" / "a.json").unlink()
    store.check_results(project, whole=False)
    (project / "out" / "site" / "index.html").unlink()  # a folder that is there in part was changed
    with pytest.raises(SeluError, match=r"out/site/index\.html: tracked, but missing"):
        store.check_results(project, whole=False)


def test_differences_of_some_stages_only(project):
    (project / "out" / "a.json").write_bytes(b"[]\n")
    (project / "out" / "site" / "index.html").unlink()
    stages = {stage.name: stage for stage in read_lock(project)}
    assert store.changed(project, project, [stages["first"]]) == [
        "out/a.json: its bytes differ from the tracked ones (stage first)."
    ]
    assert store.changed(project, project, [stages["site"]]) == ["out/site/index.html: tracked, but missing."]
    assert store.changed(project, project, []) == []
    assert len(store.changed(project, project)) == 2


def test_a_run_of_ones_own_beside_the_tracked_ones_is_no_difference(project):
    own = project / "results" / "b" / "task" / "mine" / "strict-s1"
    own.mkdir(parents=True)
    (own / "run.json").write_text("{}")
    store.check_results(project)
    assert store.replaced(project, [own]) == []
    ignored = project / "results" / ".dvcignore"
    store.set_aside(project, [own.with_name("strict-s2")])
    assert ignored.read_text() == "/b/task/mine/strict-s1\n/b/task/mine/strict-s2\n"
    (own / "run.json").unlink()
    own.rmdir()
    store.set_aside(project)
    assert not ignored.exists()


def test_what_brings_a_run_back_names_that_run_alone(project):
    run = project / "results" / "b" / "task" / "system" / "strict-s1"
    (run / "run.json").write_text("[]")
    (run / "more").write_text("")
    (project / "out" / "site" / "index.html").unlink()
    assert store.replaced(project, [run]) == ["results/b/task/system/strict-s1"]
    assert store.replaced(project, []) == []
    with pytest.raises(SeluError, match=r"'dvc checkout --force results/b/task/system/strict-s1' brings"):
        store.check_results(project, within=Path("results"))
    with pytest.raises(SeluError, match=r"\(3 files differ, of out/site, results/b/task/system/strict-s1\)"):
        store.check_results(project)


def test_advice_to_make_a_tracked_run_anew_says_so_with_the_way_back(project):
    system = project / "results" / "b" / "task" / "system"
    back = "'dvc checkout --force results/b/task/system/strict-s1' brings it back"
    for start in ("strict", "strict-s1"):
        assert store.caution(project, system, start) == (
            f", and replaces a tracked result: 'selu verify' refuses until {back}"
        )
    assert store.caution(project, system, "strict-s") == store.caution(project, system, "paper") == ""


@pytest.mark.parametrize(("count", "named"), [(6, ", of out/site/0, .*out/site/5"), (7, "")])
def test_of_many_changed_results_none_is_named_but_the_first(project, count, named):
    for number in range(count):
        (project / "out" / "site" / f"{number}").mkdir()
        (project / "out" / "site" / f"{number}" / "x").write_text("")
    with pytest.raises(SeluError, match=rf"^out/site/0/x: .* \({count} files differ{named}\) 'dvc checkout"):
        store.check_results(project)
