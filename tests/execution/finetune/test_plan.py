"""Runs of fine-tuned systems: which there are, and what makes them others."""

from __future__ import annotations

import shutil
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
from selu.execution.finetune import plan as finetune_plan
from selu.execution.planned import Planned, Wanted
from selu.execution.plans import plan
from selu.vocabulary import Approach, SeluError

ROOT = Path(__file__).parents[3]
RANKED = (small.BINARY, small.NUMBER)
TASKS = (*RANKED, small.TAGS, small.VERBS)
MINILM = "minilm-l6"


def tuned(run: Planned) -> bool:
    return run.family == "finetune"


def under(protocol: str) -> Chosen:
    return lambda run: run.family == "finetune" and run.protocol == protocol


def on(*tasks: str) -> Chosen:
    return lambda run: run.family == "finetune" and run.task.id in tasks


def instances(name: str) -> int:
    return small.task(name).instances


# Every setting of fine-tuning, another value of it, and the runs that become others.
SETTINGS: list[tuple[str, Any, Chosen]] = [
    ("batch", 32, tuned),
    ("epochs", 9, on(*RANKED)),
    ("epochs_tokens", 9, on(small.TAGS, small.VERBS)),
    ("evaluations", 5, tuned),
    ("patience", 2, tuned),
    ("learning_rate", 0.0002, lambda run: run.family == "finetune" and instances(run.task.id) < 10_000),
    ("large_learning_rate", 0.00002, lambda run: run.family == "finetune" and instances(run.task.id) >= 10_000),
    ("large_from", 1_000, on(small.TAGS)),
    ("careful", [MINILM], lambda run: run.family == "finetune" and instances(run.task.id) < 10_000),
    ("warmup", 0.2, tuned),
    ("weight_decay", 0.02, tuned),
    ("clip", 2.0, tuned),
    ("dropout", 0.2, tuned),
    ("mask_probability", 0.4, tuned),
    ("paper.precision", "fp32", under("paper")),
    ("paper.head", "figure3", under("paper")),
    ("paper.criterion", "score", under("paper")),
    ("paper.longest", {MINILM: 64}, under("paper")),
    (
        "strict.longest",
        {f"{small.BINARY}/{MINILM}": 64, "other": 9},
        lambda run: under("strict")(run) and run.task.id == small.BINARY,
    ),
    ("strict.precision", "fp32", under("strict")),
    ("strict.head", "library", under("strict")),
    ("strict.criterion", "loss", under("strict")),
    ("threads", 2, tuned),
    ("seeds", [42], lambda run: run.family == "finetune" and run.seed != 42),
    ("systems", [], tuned),
    ("own", {MINILM: {"batch": 8, "epochs": 2, "learning_rate": 0.0005, "precision": "fp32"}}, tuned),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = small.make(tmp_path_factory.mktemp("planned"), TASKS)
    small.alter(root, lambda p: p["finetune"].update(systems=[MINILM]))
    return root


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "project")


@pytest.fixture(scope="module")
def before(made: Path) -> list[Planned]:
    return plan(made, Wanted(tasks=TASKS))


@pytest.mark.ci
@pytest.mark.parametrize(("setting", "value", "chosen"), SETTINGS)
def test_a_setting_changes_the_identities_of_what_it_matters_to(setting, value, chosen, project, before):
    set_setting(project, f"finetune.{setting}", value)
    assert changed_of(before, project) == names(before, chosen)


def test_the_table_above_has_every_setting_there_is():
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))["shared"]["finetune"]
    cut = [(settings, settings.pop("longest")) for settings in (params["paper"], params["strict"])]
    assert len(cut) == 2  # tokens by system
    assert params.pop("own")  # numbers by system
    assert {*leaves(params), "own", "paper.longest", "strict.longest"} == {setting for setting, *_ in SETTINGS}


def test_open_models_are_planned_where_they_are_named_and_only_where_they_can_answer(made):
    shutil.copytree(ROOT / "data" / "pins" / "selu" / "models", made / "data" / "pins" / "selu" / "models")
    every = [s.id for s in registry.systems("selu") if s.approach is Approach.FINETUNED]
    assert len(every) == 22
    runs = plan(made, Wanted(tasks=TASKS, systems=every, seeds=[42], protocols=["strict"]))
    counts = {task: len({run.system for run in runs if run.task.id == task}) for task in TASKS}
    assert counts == {small.BINARY: 22, small.NUMBER: 22, small.TAGS: 13, small.VERBS: 7}
    assert len({run.identity for run in runs}) == len(runs)
    with pytest.raises(SeluError, match=r"there is no such run: .* says why there is none"):
        plan(made, Wanted(tasks=[small.VERBS], systems=["gpt2-xl", "t5-small", "fasttext"]))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, r"can't be read \(.*No such file.*\): restore it from git"),
        ("{", "can't be read"),
        ("bert-base: null\n", "does not name the paper's 22 open models, each once"),
        ("bert-base: main", "the revision of bert-base is neither a commit .* nor the sha256 of its weights"),
    ],
)
def test_revisions_that_are_none(content, says, project):
    path = project / finetune_plan.REVISIONS
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if content is not None:
        known = yaml.safe_load((ROOT / finetune_plan.REVISIONS).read_text("utf-8"))
        whole = "main" in content
        path.write_text(yaml.safe_dump(known | {"bert-base": "main"}) if whole else content)
    with pytest.raises(SeluError, match=says):
        plan(project, Wanted(tasks=TASKS, systems=["bert-base"]))


def test_a_pinned_revision_makes_other_runs(project):
    path = project / finetune_plan.REVISIONS
    shutil.copytree(ROOT / path.parent.relative_to(project), path.parent, dirs_exist_ok=True)
    wanted = Wanted(tasks=[small.BINARY], systems=["bert-base", "bert-large"])
    known = {run.name: run.identity for run in plan(project, wanted)}
    path.write_text(path.read_text("utf-8").replace("bert-base: null", f"bert-base: {'a' * 40}"), "utf-8")
    now = {run.name: run.identity for run in plan(project, wanted)}
    assert {name for name in now if now[name] != known[name]} == {n for n in now if "bert-base" in n}


def test_a_system_in_the_parameters_that_is_none(project):
    for name in ("minilm", "fasttext"):
        small.alter(project, lambda p, name=name: p["finetune"].update(systems=[name]))
        with pytest.raises(SeluError, match=f"shared.finetune.systems names {name}, which is no system"):
            plan(project, Wanted(tasks=TASKS))


@pytest.mark.parametrize("package", finetune_plan.PACKAGES)
def test_a_pin_matters(package, project, before):
    set_pin(project, "finetune", package)
    assert changed_of(before, project) == names(before, tuned)


class TestSources:
    """The package is copied, and one of its files changed there."""

    @pytest.fixture
    def package(self, tmp_path, monkeypatch):
        return copied_package(tmp_path, monkeypatch)

    @pytest.mark.ci
    @pytest.mark.parametrize(
        ("file", "chosen"),
        [
            ("systems/finetune/training.py", tuned),
            ("systems/finetune/batches.py", tuned),
            ("systems/finetune/attention/packing.py", tuned),
            ("systems/finetune/engines/zero.py", nothing),
            ("systems/finetune/settings.py", nothing),
            ("systems/finetune/sources.py", nothing),
            ("systems/finetune/cost/__init__.py", nothing),
            ("execution/protocols.py", everything),
            ("execution/finetune/jobs.py", tuned),
            ("metrics/entities.py:scores", on(small.TAGS)),
            ("metrics/masked.py:scores", on(small.VERBS)),
            ("metrics/bootstrap.py", nothing),
            ("execution/finetune/run.py", nothing),
            ("execution/results.py", nothing),
            ("execution/finetune/trainings.py", nothing),
            ("execution/finetune/worker.py", nothing),
            ("systems/baseline/learning.py", lambda run: run.family != "finetune"),
        ],
    )
    def test_a_program_that_changes_and_words_that_do(self, file, chosen, package, made, before):
        check_program(file, package, names(before, chosen), lambda: changed_of(before, made))

    def test_a_new_module_matters_unless_it_counts_costs(self, package, made, before):
        folder = package / "systems" / "finetune"
        (folder / "cost" / "anything.py").write_text("x = 1\n")
        assert changed_of(before, made) == set()
        (folder / "anything.py").write_text("x = 1\n")
        assert changed_of(before, made) == names(before, tuned)


def changed_of(before: list[Planned], root: Path) -> set[str]:
    return planning.changed(before, root, Wanted(tasks=TASKS))
