from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
import yaml
from tests.papers.nlbse24 import released

from selu import registry
from selu.app.datasets import fetch
from selu.app.datasets import prepare as app_prepare
from selu.data import inputs, prepare, prepared
from selu.files import read_json
from selu.papers.nlbse24 import readers
from selu.registry import of_benchmark
from selu.sources import rows
from selu.splits import files
from selu.vocabulary import SeluError

ROOT = Path(__file__).parents[2]


def deaf(_line: str) -> None:
    pass


def offer(root: Path, mirror: Path, change: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    """A mirror with changed rows of Pharo, whose file the pin holds and whose rows it may not."""
    made = released.whole()["pharo.csv"]
    table = rows.canonical(readers.comments("pharo", {"pharo.csv": made}))
    mirror.mkdir(exist_ok=True)
    change(made).to_csv(mirror / "pharo.csv", index=False, lineterminator="\n")
    content = (mirror / "pharo.csv").read_bytes()
    pin = yaml.safe_load((ROOT / "data" / "pins" / "nlbse24" / "pharo.yaml").read_text("utf-8"))
    pin |= {"table": table, "rows": len(made)}
    (file,) = pin["origins"][0]["files"]
    file |= {"name": "pharo.csv", "path": "pharo.csv", "bytes": len(content)}
    file["sha256"] = hashlib.sha256(content).hexdigest()
    (root / "data" / "pins" / "nlbse24" / "pharo.yaml").write_text(yaml.safe_dump(pin), "utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "data" / "paper").mkdir(parents=True)
    (root / "data" / "pins" / "nlbse24").mkdir(parents=True)
    shutil.copy(ROOT / "params.yaml", root)
    offer(root, tmp_path / "mirror", lambda made: made)
    return root


@pytest.mark.ci
def test_tasks_of_a_set_are_prepared_from_one_pin_with_the_partition_of_the_rows(project, tmp_path):
    prepare.prepare(project, ["pharo_intent", "pharo_example"], False, tmp_path / "mirror", deaf)
    assert [path.name for path in (project / "data" / "raw" / "nlbse24").iterdir() if path.is_dir()] == [
        "pharo"
    ]
    for name in ("pharo_intent", "pharo_example"):
        record = read_json(project / "reports" / "nlbse24" / "data" / name / "record.json", "")
        path = project / "data" / "clean" / "nlbse24" / f"{name}.parquet"
        table = prepared.read(path, record["hashes"]["clean"], "")
        split = files.read_split(
            (project / "data" / "splits" / "nlbse24" / name / "split.csv").read_bytes(),
            table["id"].tolist(),
            "",
        )
        assert record["standing"] == "equal"
        assert record["split"].startswith("published (nlbse2024/code-comment-classification@")
        assert (split["paper"] == "test").tolist() == [number % 5 == 0 for number in range(1765)]
        assert (split["strict"] == "validation").sum() == 283  # a fifth of the rest
        assert set(split.loc[split["strict"] != split["paper"], "strict"]) == {"validation"}
    assert not (project / "data" / "splits" / "selu").exists()


def test_rows_other_than_the_pinned_ones_are_refused_and_nothing_is_written(project, tmp_path):
    offer(project, tmp_path / "mirror", lambda made: made.assign(comment_sentence="x"))
    with pytest.raises(
        SeluError, match=r"pharo \(mirror\): the 12355 rows have the hash .* run 'selu fetch pharo'"
    ):
        prepare.prepare(project, ["pharo_intent"], False, tmp_path / "mirror", deaf)
    assert not (project / "data" / "clean").exists()


@pytest.mark.ci
def test_exchanged_partitions_are_said_before_any_hash(project, tmp_path):
    offer(
        project,
        tmp_path / "mirror",
        lambda made: made.assign(partition=made["partition"].map({"0": "1", "1": "0"})),
    )
    with pytest.raises(SeluError, match="its partitions are exchanged"):
        prepare.prepare(project, ["pharo_intent"], False, tmp_path / "mirror", deaf)


@pytest.mark.ci
def test_a_set_is_fetched_once_by_its_own_name_or_by_those_of_its_tasks(project, tmp_path):
    names = ["pharo", "pharo_intent", "pharo_example"]
    (row,) = fetch.fetch_tasks(project, names, False, tmp_path / "mirror", None, deaf)
    assert (row["task"], row["state"]) == ("pharo", "verified")
    with pytest.raises(SeluError, match="no pinned task 'pharao'; did you mean 'pharo'"):
        fetch.fetch_tasks(project, ["pharao"], False, None, None, deaf)


def test_every_pin_of_the_project_is_of_a_declared_task_or_set():
    for benchmark in ("selu", "nlbse24"):
        for path in (ROOT / "data" / "pins" / benchmark).glob("*.yaml"):
            assert ROOT / inputs.pin_of(path.stem) == path


def test_a_benchmark_names_its_tasks_where_none_are_named():
    assert of_benchmark([], "selu") == []
    assert len(of_benchmark([], "nlbse24")) == 25
    assert of_benchmark(["java_usage"], "nlbse24") == ["java_usage"]
    with pytest.raises(SeluError, match="no task of nlbse24 'incivility'"):
        of_benchmark(["incivility"], "nlbse24")
    with pytest.raises(SeluError, match="no paper 'nlbse23'; did you mean 'nlbse2"):
        of_benchmark([], "nlbse23")


def test_a_benchmark_without_tasks_never_stands_for_all_tasks(monkeypatch):
    """No name would stand for every task of the default benchmark, and 'selu run' would run these."""
    monkeypatch.setattr(registry, "tasks", lambda _name: ())
    with pytest.raises(SeluError, match="NLBSE'24 has no tasks that can be prepared or run"):
        of_benchmark([], "nlbse24")


def test_tasks_whose_rows_nobody_has_are_left_out_of_all_and_refused_where_they_are_named(monkeypatch):
    """A benchmark declares all tasks of its paper, and preparing the others is no failure."""
    without = {task.id for task in registry.tasks("blanca") if inputs.why_no_rows(ROOT, task)}
    assert without == {"answer_ranking", "linked_posts"}
    asked: list[list[str]] = []
    monkeypatch.setattr(prepare, "prepare", lambda _root, names, *_: asked.append([*names]) or [])
    messages: list[str] = []
    list(app_prepare.prepare(ROOT, (), False, None, "blanca", messages.append))
    assert set(asked[0]) == {task.id for task in registry.tasks("blanca")} - without
    assert {line.partition(" ")[0] for line in messages} == without
    monkeypatch.undo()
    with pytest.raises(SeluError, match=r"linked_posts can't be fetched .* No public repository"):
        list(app_prepare.prepare(ROOT, ("linked_posts",), False, None, "blanca", messages.append))
