"""Patches in the real files of their tasks: what applies, what is near, and what that says of passing tests."""

from __future__ import annotations

import json

import numpy as np
import pytest

from papers.faun_eval.answering import DRAWS
from papers.faun_eval.pipeline import histories
from selu.papers.faun_eval import patched, trees
from selu.papers.faun_eval.answers import read_patches, read_tasks
from selu.papers.faun_eval.metrics.similarity import LONGEST
from selu.papers.faun_eval.rescored import STUDIED
from selu.papers.faun_eval.validity import area, area_difference
from selu.vocabulary import SeluError

BEFORE = "def f(x):\n    y = x\n    return y\n"
HEAD = "diff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n@@ -1,3 +1,3 @@\n"
BODY = " def f(x):\n-    y = {}\n+    y = {}\n     return y\n"


def patch(path, old="x", new="x + 1"):
    return HEAD.format(path) + BODY.format(old, new)


def answers_of(*texts):
    records = [{"instance_id": f"t{number}", "model_patch": text} for number, text in enumerate(texts)]
    return read_patches(json.dumps(records).encode(), "a.json", {f"t{number}" for number in range(9)}).by_task


@pytest.fixture
def tasks(tmp_path, monkeypatch):
    """Four tasks: two of clones by either name, one of a long file, and one whose repository has no clone."""
    monkeypatch.setenv(trees.CLONES, str(tmp_path))
    files = {"a b.py": BEFORE.encode(), "long.py": (BEFORE + "# \n" * LONGEST).encode()}
    (first,) = histories.make(tmp_path / "own+repo" / "repo", [("first", files)])
    (second,) = histories.make(tmp_path / "Other__repo", [("first", files)])
    made = [("own/repo", first, "a b.py"), ("other/repo", second, "a b.py"), ("own/repo", first, "long.py")]
    made += [("no/clone", first, "a b.py")]
    lines = [
        {"instance_id": f"t{number}", "repo": repo, "base_commit": commit, "patch": patch(path)}
        for number, (repo, commit, path) in enumerate(made)
    ]
    return read_tasks(json.dumps(lines).encode(), "t.json")


def test_a_patch_counts_by_the_file_that_it_leaves(tasks):
    answers = answers_of(patch("a b.py"), patch("a b.py", old="z"), patch("long.py", new="2"))
    files = {task: found for task, gold in tasks.items() if (found := patched.read_files(gold))}
    assert list(files) == ["t0", "t1", "t2"]
    scores = {task: patched.score(answers.get(task), tasks[task], files[task]) for task in files}
    assert scores["t0"] == {"applies": 1, "codebleu_file": 1, "edit_file": 1}
    assert scores["t1"] == {"applies": 0, "codebleu_file": 0, "edit_file": 0}
    assert scores["t2"] == {"applies": 1}  # too long for the metrics of texts: it counts for none, not as wrong
    assert patched.score(None, tasks["t0"], files["t0"]) == scores["t1"]
    unedited = patched.compare(files["t0"].before, tasks["t0"], files["t0"])
    assert 0.5 < unedited["edit_file"] < 1
    found = patched.summarise("mine", scores, DRAWS)
    assert (found["applies"]["score"], found["applies"]["tasks"]) == (2 / 3, 3)
    assert (found["codebleu_file"]["score"], found["codebleu_file"]["tasks"]) == (0.5, 2)


def test_a_folder_of_clones_that_is_none_is_named(tasks, tmp_path, monkeypatch):
    assert trees.find_clone([], "../own/repo") is None
    monkeypatch.setenv(trees.CLONES, str(tmp_path / "nowhere"))
    with pytest.raises(SeluError, match=r"SELU_CLONES names .*nowhere, which is not a folder"):
        trees.find_clone([], "own/repo")
    monkeypatch.delenv(trees.CLONES)
    assert trees.find_clone([], "own/repo") is None


def test_many_files_of_a_commit_are_read_without_links(tmp_path):
    folder = tmp_path / "clone"
    histories.make(folder, [("first", {"é.py": b"1", '"q".py': b"2", "c.py": b"3"})])
    (folder / "link.py").symlink_to("c.py")
    histories.git(folder, "add", ".")
    histories.git(folder, "commit", "--quiet", "--message", "link")
    commit = histories.git(folder, "rev-parse", "HEAD").strip()
    assert set(trees.list_paths(folder, commit)) == {"é.py", '"q".py', "c.py", "link.py"}
    objects = trees.list_objects(folder, commit)
    assert {path: trees.read_object(folder, id) for path, id in objects.items()} == {
        "é.py": "1", '"q".py': "2", "c.py": "3"
    }  # fmt: skip
    assert trees.list_objects(folder, "0" * 40) is None
    assert trees.read_object(folder, "0" * 40) is None


def test_two_metrics_are_compared_on_the_same_resamples():
    random = np.random.default_rng(3)
    passed = random.random(60) < 0.4
    tasks = [f"t{number // 3}" for number in range(60)]
    near, noise = passed + random.normal(0, 0.5, 60), random.normal(0, 1, 60)
    found = area_difference(near, noise, passed, tasks, DRAWS)
    whole = [float(area(values, passed, np.ones((1, 60)))[0]) for values in (near, noise)]
    assert found["difference"] == pytest.approx(whole[0] - whole[1])
    assert found["low"] < found["difference"] < found["high"]
    same = area_difference(near, 2 * near, passed, tasks, DRAWS)
    assert same["low"] == same["difference"] == same["high"] == 0  # other draws would leave noise
    with pytest.raises(ValueError, match="resolved and other"):
        area_difference(near, noise, passed | True, tasks, DRAWS)


def test_the_study_says_what_the_edited_file_adds():
    random = np.random.default_rng(4)
    rows = []
    for number in range(40):
        passes = number % 3 == 0
        scores = dict.fromkeys(STUDIED, float(random.random())) | dict.fromkeys(patched.IN_FILES, float(passes))
        rows.append((f"t{number // 2}", passes, scores))
    sets = [{"system": name, patched.CODEBLEU: {"score": score}} for name, score in (("a", 0.6), ("b", 0.95))]
    unedited = {"system": patched.UNEDITED, patched.CODEBLEU: {"score": 0.9}}
    record = {"study": patched.study(rows, DRAWS), "sets": [*sets, unedited]}
    assert "tells passing patches better than" in patched.say(record)
    assert patched.say(record).endswith("a file without any edit scores 0.900, above 1 of 2 sets")
    assert [row["metric"] for row in record["study"]] == [*STUDIED, *patched.IN_FILES]
