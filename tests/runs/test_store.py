from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from selu.runs import store
from selu.vocabulary import SeluError


def put(root: Path, content: bytes, suffix: str = "") -> str:
    digest = hashlib.md5(content).hexdigest() + suffix
    path = store.object_path(root, digest)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return digest


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one tracked file and one tracked folder, pulled."""
    (tmp_path / "out" / "site").mkdir(parents=True)
    (tmp_path / "out" / "a.json").write_bytes(b"{}\n")
    (tmp_path / "out" / "site" / "index.html").write_bytes(b"<p>hello</p>")
    page = put(tmp_path, b"<p>hello</p>")
    listing = json.dumps([{"md5": page, "relpath": "index.html"}]).encode()
    folder, single = put(tmp_path, listing, ".dir"), put(tmp_path, b"{}\n")
    (tmp_path / "dvc.yaml").write_text("stages: {site: {outs: [out/site]}, first: {outs: [out/a.json]}}\n")
    (tmp_path / "dvc.lock").write_text(
        "schema: '2.0'\nstages:\n"
        f"  site:\n    cmd: build\n    deps:\n    - path: out/a.json\n      md5: {single}\n"
        f"    outs:\n    - path: out/site\n      md5: {folder}\n"
        f"  first:\n    cmd: compute\n    outs:\n    - path: out/a.json\n      md5: {single}\n"
    )
    return tmp_path


def test_stages_come_in_the_order_of_their_needs(project):
    assert [stage.name for stage in store.read_lock(project)] == ["first", "site"]


def test_an_undamaged_project_passes(project):
    assert store.check_store(project) == 2
    store.check_results(project)
    assert store.summary(project) == {"tracked files": 2, "differences": 0}


def test_a_damaged_object_is_named_with_both_digests(project):
    digest = hashlib.md5(b"<p>hello</p>").hexdigest()
    store.object_path(project, digest).write_bytes(b"<p>hullo</p>")
    with pytest.raises(SeluError) as caught:
        store.check_store(project)
    message = str(caught.value)
    assert "out/site/index.html" in message
    assert digest in message
    assert hashlib.md5(b"<p>hullo</p>").hexdigest() in message


def test_a_missing_object_is_named(project):
    store.object_path(project, hashlib.md5(b"{}\n").hexdigest()).unlink()
    with pytest.raises(SeluError, match=r"out/a\.json, is missing"):
        store.check_store(project)


def test_a_damaged_folder_listing_is_named(project):
    listing = next(project.glob("store/**/*.dir"))
    listing.write_text("[{")
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


def test_a_result_still_to_be_pulled_is_no_difference_where_that_is_asked(project):
    (project / "out" / "a.json").unlink()
    store.check_results(project, whole=False)
    (project / "out" / "site" / "index.html").unlink()  # a folder that is there in part was changed
    with pytest.raises(SeluError, match=r"out/site/index\.html: tracked, but missing"):
        store.check_results(project, whole=False)


@pytest.mark.parametrize("text", ["stages: [", "stages: 3\n", "nothing: here\n"])
def test_a_damaged_lock_is_refused(project, text):
    (project / "dvc.lock").write_text(text)
    with pytest.raises(SeluError, match="damaged"):
        store.read_lock(project)


def test_a_shortened_lock_is_no_all_clear(project):
    text = (project / "dvc.lock").read_text()
    (project / "dvc.lock").write_text(text[: text.index("  first:")])
    with pytest.raises(SeluError, match=r"differ on the stage 'first'"):
        store.check_store(project)


def test_a_shortened_folder_listing_is_damage(project):
    listing = next(project.glob("store/**/*.dir"))
    listing.write_text("[]")
    with pytest.raises(SeluError, match="missing or damaged"):
        store.check_store(project)


def test_a_circle_of_stages_is_refused(tmp_path):
    (tmp_path / "dvc.yaml").write_text("stages: {a: {outs: [p]}, b: {outs: [q]}}\n")
    (tmp_path / "dvc.lock").write_text(
        "stages:\n"
        "  a:\n    cmd: x\n    deps: [{path: q, md5: '1'}]\n    outs: [{path: p, md5: '1'}]\n"
        "  b:\n    cmd: x\n    deps: [{path: p, md5: '1'}]\n    outs: [{path: q, md5: '1'}]\n"
    )
    with pytest.raises(SeluError, match="wait for each other"):
        store.read_lock(tmp_path)


def test_a_foreach_declares_one_stage_per_key(project):
    """The lock names each of them; its outputs are those of ``do`` with the key in them."""
    digest = put(project, b"{}\n")
    for key in ("x", "y_2"):
        (project / "out" / f"{key}.json").write_bytes(b"{}\n")
    (project / "dvc.yaml").write_text(
        "stages:\n"
        "  data:\n    foreach: {x: data/a, y_2: data/b}\n"
        "    do: {cmd: 'prepare ${key}', deps: ['${item}'], outs: ['out/${key}.json']}\n"
        "  site: {outs: [out/site]}\n  first: {outs: [out/a.json]}\n"
    )
    locked = "".join(
        f"  data@{key}:\n    cmd: prepare {key}\n    outs:\n    - path: out/{key}.json\n      md5: {digest}\n"
        for key in ("x", "y_2")
    )
    text = (project / "dvc.lock").read_text()
    (project / "dvc.lock").write_text(text + locked)
    found = {stage.name: stage for stage in store.read_lock(project)}
    assert list(found["data@y_2"].writes) == ["out/y_2.json"]
    assert found["data@y_2"].command == "prepare y_2"
    assert store.summary(project) == {"tracked files": 4, "differences": 0}
    for missing in ("x", "y_2"):
        (project / "dvc.lock").write_text(text + locked.replace(f"data@{missing}", "data@z"))
        with pytest.raises(SeluError, match=r"differ on the stage 'data@"):
            store.read_lock(project)
    (project / "dvc.lock").write_text(text + locked.replace("out/x.json", "out/y_2.json"))
    with pytest.raises(SeluError, match=r"differ on the stage 'data@x'"):
        store.read_lock(project)


def test_outs_that_persist_and_a_foreach_over_a_list(project):
    """``persist: true`` makes a mapping of an out; the item of a list stands for ``${item}``."""
    digest = put(project, b"{}\n")
    for system in ("fasttext", "tfidf-xgboost"):
        (project / "out" / "sentiment").mkdir(exist_ok=True)
        (project / "out" / "sentiment" / system).write_bytes(b"{}\n")
    (project / "dvc.yaml").write_text(
        "stages:\n"
        "  baseline:\n    foreach: [tfidf-xgboost, fasttext]\n"
        "    do:\n      cmd: run ${item}\n      outs:\n"
        "      - out/sentiment/${item}:\n          persist: true\n"
        "  site: {outs: [{out/site: {persist: true}}]}\n  first: {outs: [out/a.json]}\n"
    )
    locked = "".join(
        f"  baseline@{system}:\n    cmd: run {system}\n"
        f"    outs:\n    - path: out/sentiment/{system}\n      md5: {digest}\n"
        for system in ("fasttext", "tfidf-xgboost")
    )
    text = (project / "dvc.lock").read_text()
    (project / "dvc.lock").write_text(text + locked)
    found = {stage.name: list(stage.writes) for stage in store.read_lock(project)}
    assert found["baseline@fasttext"] == ["out/sentiment/fasttext"]
    assert found["baseline@tfidf-xgboost"] == ["out/sentiment/tfidf-xgboost"]
    assert found["site"] == ["out/site"]
    assert store.summary(project) == {"tracked files": 4, "differences": 0}
    (project / "dvc.lock").write_text(text + locked.replace("sentiment/fasttext", "sentiment/other"))
    with pytest.raises(SeluError, match=r"differ on the stage 'baseline@fasttext'"):
        store.read_lock(project)


def test_a_foreach_over_a_list_that_a_file_or_the_pipeline_names(project):
    digest = put(project, b"{}\n")
    (project / "names.yaml").write_text("tasks: [x]\nother: [z]\n")
    pipeline = "vars: ['names.yaml:tasks', {kinds: {y: Y}}]\n" + (project / "dvc.yaml").read_text()
    stages = (
        "a: {foreach: '${tasks}', do: {cmd: m, outs: ['out/${item}']}}, "
        "b: {foreach: '${kinds}', do: {cmd: m, outs: ['out/${key}/${item}']}}, site:"
    )
    (project / "dvc.yaml").write_text(pipeline.replace("site:", stages))
    locked = "".join(
        f"  {name}:\n    cmd: m\n    outs:\n    - path: {path}\n      md5: {digest}\n"
        for name, path in (("a@x", "out/x"), ("b@y", "out/y/Y"))
    )
    (project / "dvc.lock").write_text((project / "dvc.lock").read_text() + locked)
    assert {"a@x", "b@y"} < {stage.name for stage in store.read_lock(project)}
    (project / "names.yaml").write_text("tasks: [x, new]\n")
    with pytest.raises(SeluError, match="differ on the stage 'a@new'"):
        store.read_lock(project)
    (project / "names.yaml").write_text("other: [x]\n")
    with pytest.raises(SeluError, match="damaged"):
        store.read_lock(project)


@pytest.fixture
def with_runs(project: Path) -> Path:
    """The same with a tracked run of a cell."""
    run = project / "results" / "b" / "task" / "system" / "strict-s1"
    run.mkdir(parents=True)
    (run / "run.json").write_bytes(b"{}\n")
    single = put(project, b"{}\n")
    listing = [{"md5": single, "relpath": "task/system/strict-s1/run.json"}]
    folder = put(project, json.dumps(listing).encode(), ".dir")
    text = (project / "dvc.yaml").read_text()
    (project / "dvc.yaml").write_text(text.replace("site:", "runs: {outs: [results/b]}, site:"))
    locked = f"  runs:\n    cmd: run\n    outs:\n    - path: results/b\n      md5: {folder}\n"
    (project / "dvc.lock").write_text((project / "dvc.lock").read_text() + locked)
    return project


def test_a_run_of_ones_own_beside_the_tracked_ones_is_no_difference(with_runs):
    own = with_runs / "results" / "b" / "task" / "mine" / "strict-s1"
    own.mkdir(parents=True)
    (own / "run.json").write_text("{}")
    store.check_results(with_runs)
    assert store.replaced(with_runs, [own]) == []
    store.set_aside(with_runs, [own.with_name("strict-s2")])
    ignored = with_runs / "results" / ".dvcignore"
    assert ignored.read_text() == "/b/task/mine/strict-s1\n/b/task/mine/strict-s2\n"
    (own / "run.json").unlink()
    own.rmdir()
    store.set_aside(with_runs)
    assert not ignored.exists()


def test_what_brings_a_run_back_names_that_run_alone(with_runs):
    run = with_runs / "results" / "b" / "task" / "system" / "strict-s1"
    (run / "run.json").write_text("[]")
    (run / "more").write_text("")
    with pytest.raises(SeluError, match=r"'dvc checkout --force results/b/task/system/strict-s1' brings"):
        store.check_results(with_runs)
    assert store.replaced(with_runs, [run]) == ["results/b/task/system/strict-s1"]


@pytest.mark.parametrize("foreach", ["3", "null", "{x: 1}"])
def test_a_damaged_foreach_is_refused(project, foreach):
    (project / "dvc.yaml").write_text(f"stages: {{data: {{foreach: {foreach}, do: 5}}}}\n")
    with pytest.raises(SeluError, match="damaged"):
        store.read_lock(project)


def test_differences_of_some_stages_only(project):
    (project / "out" / "a.json").write_bytes(b"[]\n")
    (project / "out" / "site" / "index.html").unlink()
    first, site = store.read_lock(project)
    assert store.changed(project, project, [first]) == [
        "out/a.json: its bytes differ from the tracked ones (stage first)."
    ]
    assert store.changed(project, project, [site]) == ["out/site/index.html: tracked, but missing."]
    assert store.changed(project, project, []) == []
    assert len(store.changed(project, project)) == 2
