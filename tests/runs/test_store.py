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
