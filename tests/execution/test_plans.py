from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from helpers import planning
from helpers import small_project as small
from helpers.planning import (
    Chosen,
    check_program,
    copied_package,
    everything,
    leaves,
    names,
    nothing,
    set_pin,
    set_setting,
)
from selu import registry
from selu.execution.plans import Planned, Wanted, plan
from selu.vocabulary import SeluError, Task

ROOT = Path(__file__).parents[2]
TASKS = (small.BINARY, small.LABELS, small.NUMBER)


def xgboost(run: Planned) -> bool:
    return run.system == "tfidf-xgboost"


def fasttext(run: Planned) -> bool:
    return run.system == "fasttext"


def classifying(run: Planned) -> bool:
    return fasttext(run) and run.task.id != small.NUMBER


def regressing(run: Planned) -> bool:
    return fasttext(run) and run.task.id == small.NUMBER


# Every setting of SELU and of all benchmarks, another value of it, and the runs that become others.
SETTINGS: list[tuple[str, Any, Chosen]] = [
    ("baselines.tfidf_xgboost.max_depth", [2, 4], xgboost),
    ("baselines.tfidf_xgboost.max_depth", [3, 2], xgboost),  # the first of equals is picked
    ("baselines.tfidf_xgboost.max_depth", [2, 3, 4], xgboost),
    ("baselines.tfidf_xgboost.min_child_weight", [1], xgboost),
    ("baselines.tfidf_xgboost.seed", 43, xgboost),
    (
        "baselines.tfidf_xgboost.squared_error",
        [small.BINARY],
        lambda run: xgboost(run) and run.task.id == small.BINARY,
    ),
    ("baselines.tfidf_xgboost.squared_error", ["incivility"], nothing),
    ("baselines.fasttext.lr", [0.05], classifying),
    ("baselines.fasttext.epoch", [5, 10], classifying),
    ("baselines.fasttext.threshold", 0.4, lambda run: fasttext(run) and run.task.id == small.LABELS),
    ("baselines.fasttext.quoted", False, classifying),
    ("baselines.fasttext.threads", 4, classifying),
    ("baselines.fasttext.vector_dim", 5, regressing),
    ("baselines.fasttext.vector_epoch", 2, regressing),
    ("baselines.fasttext.vectors", "params.yaml", regressing),
    ("baselines.fasttext.seeds", [43], fasttext),
    ("baselines.fasttext.seeds", [42, 43], nothing),  # those of 42 stay, others come to them
]


# Other values of those that matter to none. What prepares rows matters through these and the split: see below.
IDLE: dict[str, dict[str, Any]] = {
    "statistics": {
        "alpha": 0.01,
        "rope": 0.2,
        "threshold": 0.9,
        "draws": 60_000,
        "seed": 43,
        "backend": "autorank",
    },
    "sensitivity": {"seeds": 21, "rounding": 0.005, "roundings": 11, "seed": 21},
    "data": {"seed": 43, "test_share": 0.3, "shots": 4, "shot_lengths": [0.2, 0.8], "near_duplicate": 0.9}
    | {"shingle": 4, "permutations": 64, "diff_sample": 41, "synthetic": []},
    "bootstrap": {"draws": 300, "seed": 43, "level": 0.9},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small.make(tmp_path_factory.mktemp("planned"), TASKS)


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "project")


@pytest.fixture(scope="module")
def before(made: Path) -> list[Planned]:
    return identities_of(made)


def identities_of(root: Path) -> list[Planned]:
    return plan(root, Wanted(tasks=TASKS))


def changed(before: list[Planned], root: Path) -> set[str]:
    return planning.changed(before, root, Wanted(tasks=TASKS))


@pytest.mark.ci
@pytest.mark.parametrize(("setting", "value", "chosen"), SETTINGS)
def test_a_setting_changes_the_identities_of_what_it_matters_to(setting, value, chosen, project, before):
    set_setting(project, setting, value)
    assert changed(before, project) == names(before, chosen)


def test_other_settings_change_no_identity(project, before):
    for section, settings in IDLE.items():
        for setting, value in settings.items():
            set_setting(project, f"{section}.{setting}", value)
    assert changed(before, project) == set()


def test_the_tables_above_have_every_setting_there_is():
    """Fine-tuned, prompted and declared systems have their own tables; profiles and sweeps change no run."""
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    own = yaml.safe_load((ROOT / "data" / "params" / "selu.yaml").read_text("utf-8"))
    assert (list(params), own.pop("tasks")) == (["shared"], [task.id for task in registry.tasks("selu")])
    own.pop("systems")  # declared ones, which grids/test_declared.py changes
    for other in ("finetune", "profiles", "prompt", "sweep"):
        del params["shared"][other]
    idle = {f"{section}.{setting}" for section, settings in IDLE.items() for setting in settings}
    assert sorted(leaves(params["shared"] | own)) == sorted(idle | {setting for setting, *_ in SETTINGS})


class TestRowsAndSplits:
    def only(self, task: str, *protocols: str) -> Chosen:
        return lambda run: run.task.id == task and run.protocol in protocols

    def test_another_row(self, project, before):
        rows = small.table(small.task(small.BINARY))
        rows.loc[7, ["text", "paper", "sound"]] = "another text"
        small.put(project, small.BINARY, rows)
        assert changed(before, project) == names(before, self.only(small.BINARY, "paper", "strict"))

    @pytest.mark.parametrize(
        ("column", "row", "part", "protocols"),
        [
            ("strict", 2, "validation", ["strict"]),
            ("paper", 2, "test", ["paper"]),
            ("grouped", 5, "train", []),
        ],
    )
    def test_the_column_of_the_protocol_and_no_other(
        self, column, row, part, protocols, project, before, monkeypatch
    ):
        monkeypatch.setattr(small, "parts", self.moved(small.parts, column, row, part))
        small.put(project, small.BINARY)
        assert changed(before, project) == names(before, self.only(small.BINARY, *protocols))

    def moved(self, parts: Any, column: str, row: int, part: str) -> Any:
        def other(ids: Any) -> Any:
            table = parts(ids)
            assert table.loc[row, column] != part
            table.loc[row, column] = part
            return table

        return other

    def test_the_availability_and_the_shots_do_not_matter(self, project, before):
        small.put(project, small.BINARY, availability="partial")
        assert changed(before, project) == set()
        assert {run.availability for run in identities_of(project) if run.task.id == small.BINARY} == {
            "partial"
        }


class TestDeclaration:
    def declared(self, monkeypatch: pytest.MonkeyPatch, **fields: Any) -> None:
        real = registry.tasks

        def tasks(name: str) -> tuple[Task, ...]:
            return tuple(replace(task, **fields) if task.id == small.BINARY else task for task in real(name))

        monkeypatch.setattr(registry, "tasks", tasks)

    def binary(self, run: Planned) -> bool:
        return run.task.id == small.BINARY

    def test_labels_and_their_order(self, made, before, monkeypatch):
        labels = small.task(small.BINARY).labels
        for other in (
            labels[::-1],
            (*labels, labels[0]),
            (replace(labels[0], name="x"), labels[1]),
        ):
            self.declared(monkeypatch, labels=other)
            assert changed(before, made) == names(before, self.binary)

    def test_kind(self, made, before, monkeypatch):
        from selu.vocabulary import Kind

        self.declared(monkeypatch, kind=Kind.MULTI_CLASS)
        assert changed(before, made) == names(before, self.binary)

    def test_words_about_the_task_do_not_matter(self, made, before, monkeypatch):
        labels = tuple(replace(label, means="other") for label in small.task(small.BINARY).labels)
        self.declared(monkeypatch, labels=labels, question="why?", instances=3, targets="other", text="title")
        assert changed(before, made) == set()


class TestLocks:
    @pytest.mark.parametrize(
        ("lock", "package", "chosen"),
        [
            ("authors", "xgboost", lambda run: xgboost(run) and run.environment == "authors"),
            ("baselines", "xgboost-cpu", lambda run: xgboost(run) and run.environment == "baselines"),
            ("baselines", "scikit-learn", lambda run: xgboost(run) and run.environment == "baselines"),
            ("authors", "fasttext-wheel", lambda run: fasttext(run) and run.environment == "authors"),
            ("baselines", "fasttext-wheel", lambda run: fasttext(run) and run.environment == "baselines"),
            ("authors", "pandas", nothing),
            ("baselines", "pyarrow", nothing),
        ],
    )
    def test_a_pin_matters_to_the_runs_of_its_lock_that_use_it(self, lock, package, chosen, project, before):
        set_pin(project, lock, package)
        assert changed(before, project) == names(before, chosen)

    def test_where_locks_differ_on_what_matters_there_is_a_run_in_each(self, project, before):
        own = {run.name for run in before if fasttext(run)}
        assert not any(name.endswith("-baselines") for name in own)
        set_pin(project, "authors", "fasttext-wheel")
        now = {run.name for run in identities_of(project) if fasttext(run)}
        assert now - own == {f"{task}/fasttext/paper-s42-baselines" for task in TASKS}


class TestSources:
    """The package is copied, and one of its files changed there."""

    @pytest.fixture
    def package(self, tmp_path, monkeypatch):
        return copied_package(tmp_path, monkeypatch)

    @pytest.mark.ci
    @pytest.mark.parametrize(
        ("file", "chosen"),
        [
            ("systems/baseline/tfidf_xgboost.py", xgboost),
            ("systems/baseline/tfidf_squared_error.py", nothing),  # no task of these has such trees
            ("systems/baseline/fasttext.py", fasttext),
            ("systems/baseline/learning.py", everything),
            ("systems/baseline/settings.py", nothing),
            ("execution/protocols.py", everything),
            ("metrics/evaluate.py:check", everything),
            ("metrics/classification.py:table", everything),
            ("metrics/multi_label.py:checked", everything),
            ("metrics/regression.py:loss", everything),
            ("metrics/counts.py:terms", everything),
            ("metrics/checks.py:same_length", everything),
            ("metrics/bootstrap.py", nothing),
            ("metrics/entities.py", nothing),
            ("execution/runner.py", nothing),
            ("execution/grids/run.py", nothing),
            ("execution/grids/worker.py", nothing),
        ],
    )
    def test_a_program_that_changes_and_words_that_do(self, file, chosen, package, made, before):
        check_program(file, package, names(before, chosen), lambda: changed(before, made))

    def test_trees_of_squared_error_hang_on_both_files(self, package, project):
        set_setting(project, "baselines.tfidf_xgboost.squared_error", [small.BINARY])
        before = identities_of(project)
        for file, chosen in (
            ("tfidf_squared_error.py", lambda run: xgboost(run) and run.task.id == small.BINARY),
            ("tfidf_xgboost.py", xgboost),
        ):
            place = f"systems/baseline/{file}"
            check_program(place, package, names(before, chosen), lambda: changed(before, project))


def test_the_folder_the_process_and_its_environment_do_not_matter(made, tmp_path, before):
    elsewhere = shutil.copytree(made, tmp_path / "else where")
    code = (
        "import json, sys; from pathlib import Path; from selu.execution.plans import Wanted, plan; "
        f"runs = plan(Path(sys.argv[1]), Wanted(tasks={TASKS!r})); "
        "print(json.dumps({run.name: run.identity for run in runs}))"
    )
    odd = {
        "PYTHONHASHSEED": "7",
        "LC_ALL": "C",
        "TZ": "Asia/Tokyo",
        "OMP_NUM_THREADS": "3",
        "SELU_MIRROR": "/x",
    }
    done = subprocess.run(
        [sys.executable, "-c", code, str(elsewhere)],
        env={**os.environ, **odd},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {run.name: run.identity for run in before}


def test_word_vectors_count_by_their_bytes_wherever_they_lie(project):
    known: dict[str, str] = {}
    for place in ("one.bin", "two.bin"):
        (project / place).write_bytes(b"vectors")
        small.alter(project, lambda p, place=place: p["baselines"]["fasttext"].update(vectors=place))
        runs = {run.name: run for run in identities_of(project) if regressing(run)}
        if known:
            assert {name: run.identity for name, run in runs.items()} == known
            assert {run.local["path"] for run in runs.values()} == {str(project / place)}
        known = {name: run.identity for name, run in runs.items()}
    (project / "two.bin").write_bytes(b"others")
    assert not set(known.values()) & {run.identity for run in identities_of(project)}
    (project / "two.bin").unlink()
    with pytest.raises(SeluError, match=r"fasttext\.vectors names .*two\.bin, which is not a file"):
        identities_of(project)


def test_no_two_runs_have_the_same_identity_or_folder(before):
    assert len({run.identity for run in before}) == len({run.folder for run in before}) == len(before)


def test_which_runs_there_are(before):
    """Per task: the trees in both environments under paper; FastText's wheel is the same in both."""
    assert [run.name.partition("/")[2] for run in before if run.task.id == small.BINARY] == [
        "tfidf-xgboost/paper-s42",
        "tfidf-xgboost/paper-s42-baselines",
        "tfidf-xgboost/strict-s42",
        "fasttext/paper-s42",
        "fasttext/strict-s42",
    ]
    assert {(run.protocol, run.fields["pick"]["on"]) for run in before} == {
        ("paper", "test"),
        ("strict", "validation"),
    }
    picks = {(run.task.id, run.protocol): run.fields["pick"] for run in before}
    assert picks[small.NUMBER, "paper"]["best"] == "highest"  # the authors keep the worst
    assert picks[small.NUMBER, "strict"]["best"] == "lowest"
    assert picks[small.BINARY, "strict"] == {"metric": "f1_macro", "best": "highest", "on": "validation"}


def test_every_combination_is_in_the_grid(before):
    run = next(run for run in before if run.name == f"{small.LABELS}/fasttext/paper-s42")
    assert len(run.grid) == 4
    assert {(p["lr"], p["epoch"]) for p in run.grid} == {(0.5, 5), (0.5, 20), (1.0, 5), (1.0, 20)}
    assert all(p["threshold"] == 0.5 for p in run.grid)


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        (Wanted(tasks=["sentimant"]), "there is no task 'sentimant'; did you mean 'sentiment'?"),
        (
            Wanted(tasks=TASKS, systems=["fastext"]),
            "there is no system 'fastext'; did you mean 'fasttext'?",
        ),
        (Wanted(tasks=TASKS, systems=["gpt-4o"]), "there is no system 'gpt-4o'; did you mean 'gpt-4o-"),
        (Wanted(tasks=TASKS, protocols=["papier"]), "there is no protocol 'papier'; did you mean 'paper'?"),
        (
            Wanted(tasks=TASKS, environments=["author"]),
            "there is no environment 'author'; did you mean 'authors'?",
        ),
        (Wanted(tasks=TASKS, seeds=[7]), "there is no such run"),
        (Wanted(tasks=["se_entities"]), "there is no such run"),
        (
            Wanted(tasks=TASKS[:1], systems=["fasttext"], seeds=[7]),
            f"there is no such run of {TASKS[0]}/fasttext, which has protocol paper, strict; seed 42",
        ),
        (
            Wanted(tasks=["se_entities"], systems=["fasttext"]),
            "there is no such run: 'selu show se_entities/fasttext' says why",
        ),
    ],
)
def test_a_filter_that_names_nothing(wanted, says, made):
    with pytest.raises(SeluError) as caught:
        plan(made, wanted)
    assert str(caught.value).startswith(says)


def test_a_task_of_squared_error_that_is_none(project):
    set_setting(project, "baselines.tfidf_xgboost.squared_error", ["incivilty"])
    with pytest.raises(SeluError, match=r"squared_error names incivilty, no binary task\.$"):
        identities_of(project)


def test_without_a_filter_synthetic_rows_are_left_out(tmp_path):
    tasks = [task.id for task in registry.tasks("selu") if task.ranked]
    root = small.make(tmp_path / "all", tasks)
    small.put(root, "bug_issue", availability="synthetic")
    planned = {run.task.id for run in plan(root, Wanted())}
    assert planned == set(tasks) - {"bug_issue"}
    assert {run.task.id for run in plan(root, Wanted(tasks=["bug_issue"]))} == {"bug_issue"}
