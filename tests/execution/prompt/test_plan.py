"""Which runs of prompted systems there are, and what makes them other runs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from helpers import small_project as small
from helpers.asking import put_shots, shots_of
from helpers.planning import Chosen, changed, everything, names, set_setting
from helpers.read_once import read_once
from selu.execution.planned import Planned, Wanted
from selu.execution.plans import plan
from selu.execution.prompt import plan as prompt_plan
from selu.vocabulary import SeluError

TASKS = (small.BINARY, small.NUMBER)
SYSTEMS = ("gpt-4o-zero-shot", "gpt-4o-3-shot", "claude-3.7-zero-shot", "claude-3.7-3-shot")
WANTED = Wanted(tasks=TASKS, systems=SYSTEMS)


def gpt(run: Planned) -> bool:
    return run.system.startswith("gpt")


# Every setting of shared.prompt, another value of it, and the runs that become others.
SETTINGS: list[tuple[str, Any, Chosen]] = [
    ("temperature", 0.5, everything),
    ("temperature", None, everything),
    ("max_tokens", 51, everything),
    ("seed", 43, everything),
    ("variant", "structured", everything),
    ("models.gpt-4o.provider", "compatible", gpt),
    ("models.gpt-4o.model", "gpt-4o-2024-11-20", gpt),
    ("models.gpt-4o.base_url", "http://127.0.0.1:1/v1", gpt),
    ("models.gpt-4o.limit", "max_completion_tokens", gpt),
    ("models.gpt-4o.temperature", False, gpt),
]


# Other values of those that make no run another one: how requests are sent, and what they cost.
IDLE: dict[str, Any] = {
    **dict.fromkeys(("settle_seconds", "poll_seconds", "timeout_seconds", "patience_seconds"), 1.5),
    **dict.fromkeys(("at_once", "open_batches", "batch_requests", "batch_megabytes", "attempts"), 9),
    **dict.fromkeys((f"models.gpt-4o.{name}" for name in ("context", "usd_in", "usd_out")), 9),
    **{"models.gpt-4o.batch_price": 1.0, "models.gpt-4o.batches": False, "models.gpt-4o.key": "OTHER"},
    **{
        "bytes_per_token": 4.0,
        "priced": "2026-01",
        "models.gpt-4o.at_once": 2,
        "models.gpt-4o.ends": "2030-01-31",
    },
}


@pytest.fixture(scope="module", autouse=True)
def reading() -> Iterator[None]:
    with read_once():
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return small.make(tmp_path_factory.mktemp("made") / "project", TASKS)


@pytest.fixture(scope="module")
def before(made):
    return plan(made, WANTED)


@pytest.fixture
def root(made, tmp_path):
    return Path(shutil.copytree(made, tmp_path / "project"))


def test_there_is_a_case_for_every_setting(root):
    settings = yaml.safe_load((root / "params.yaml").read_text("utf-8"))["shared"]["prompt"]
    named = set(settings) - {"models"} | {f"models.gpt-4o.{name}" for name in settings["models"]["gpt-4o"]}
    assert named <= {*IDLE, *(name for name, _, _ in SETTINGS)}


@pytest.mark.parametrize(
    ("name", "value", "chosen"), SETTINGS, ids=[f"{name}={value}" for name, value, _ in SETTINGS]
)
def test_what_a_setting_changes(root, before, name, value, chosen):
    assert len(before) == 2 * 4 * 2
    set_setting(root, f"prompt.{name}", value)
    assert changed(before, root, WANTED) == names(before, chosen)


def test_other_settings_change_nothing(root, before):
    for name, value in IDLE.items():
        set_setting(root, f"prompt.{name}", value)
    assert changed(before, root, WANTED) == set()


def test_shots_matter_to_those_who_see_them(root, before):
    rows = small.table(small.task(small.BINARY))
    put_shots(root, small.BINARY, shots_of(rows))
    seen = names(before, lambda run: run.task.id == small.BINARY and run.system.endswith("-3-shot"))
    assert changed(before, root, WANTED) == seen


def test_nobody_is_asked_who_is_not_named(root):
    assert not [run for run in plan(root, Wanted(tasks=TASKS)) if run.family == "prompt"]
    assert all(run.family == "prompt" for run in plan(root, WANTED))


def test_a_model_at_home_makes_two_systems(root):
    home = {"provider": "compatible", "model": "tiny", "context": 4096, "base_url": "http://127.0.0.1:1/v1"}
    small.alter(root, lambda p: p["prompt"]["models"].update(tiny=home))
    assert {*SYSTEMS, "tiny-zero-shot", "tiny-3-shot"} <= set(prompt_plan.known(root))
    (paper, strict) = plan(root, Wanted(tasks=(small.BINARY,), systems=("tiny-zero-shot",)))
    assert paper.fields["model"] == {
        "provider": "compatible",
        "server": "http://127.0.0.1:1/v1",
        "snapshot": "tiny",
        "shots": 0,
    }
    assert strict.protocol == "strict"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"variant": "other"}, "shared.prompt.variant"),
        ({"attempts": 0}, "shared.prompt.attempts"),
        ({"models": {"x": {"provider": "openai", "model": "m"}}}, "shared.prompt.models.x.context"),
        ({"unknown": 1}, "shared.prompt.unknown"),
        ({"models": {"bad": {"provider": "else"}}}, r"^params.yaml: shared\.prompt\.models\.bad"),
        ({"models": {"a/b": {"provider": "openai", "model": "m", "context": 9}}}, "'a/b' is not a name"),
    ],
)
def test_a_wrong_setting_is_named(root, change, words):
    small.alter(root, lambda p: p["prompt"].update(change))
    with pytest.raises(SeluError, match=words):
        plan(root, WANTED)
