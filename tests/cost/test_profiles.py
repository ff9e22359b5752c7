from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from helpers import small_project as small
from selu.cost import pace, profiles, training
from selu.project import read_settings
from selu.systems.finetune.cost.profiles import ProfileSettings
from selu.vocabulary import SeluError

ROOT = Path(__file__).parents[2]
PARAMS = (ROOT / "params.yaml").read_bytes()
PROFILES = yaml.safe_load(PARAMS)["shared"]["sweep"]["profiles"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "data" / "paper").mkdir(parents=True)
    shutil.copy(ROOT / "params.yaml", tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_a_profile_is_in_force_whatever_was_before_and_all_else_stays(project, name):
    for other in [*PROFILES, name]:
        profiles.set_profile(project, other)
    assert not profiles.set_profile(project, name)
    settings = profiles.settings_of(project)
    assert settings.in_force == settings.profiles[name]
    text = PARAMS.decode().replace("    profile: laptop ", f"    profile: {name} ")
    assert (project / "params.yaml").read_text("utf-8") == text


@pytest.mark.ci
@pytest.mark.parametrize(("name", "machine"), [("workstation", "l4"), ("a100", "a100")])
def test_what_a_profile_names_fits_its_machine(name, machine):
    profile = PROFILES[name]
    kinds = read_settings(ROOT, "shared", "profiles", ProfileSettings)
    assert max(profile["devices"]) <= max(kinds.machines[machine].devices)
    tuned = tuple(system for system in profile["systems"] if system in pace.shapes())
    cells = training.cost(ROOT, training.Wanted(systems=tuned), machine)["cells"]
    unfit = [cell for cell in cells if cell["devices"] not in profile["devices"]]
    # models of 7 billion parameters do not hold the longest issue with all its activations
    assert {cell["system"] for cell in unfit} <= {"codellama-7b", "starcoder2-7b"}
    issues = ("story_points", "bug_issue", "issue_type", "closed_question", "question_quality")
    assert {cell["task"] for cell in unfit} <= set(issues)


@pytest.mark.parametrize(
    ("setting", "value", "sentence"),
    [
        ("systems", "[bert-bas]", "profiles.laptop names bert-bas, which is no system that can be swept: "),
        ("systems", "[gpt-4o-3-shot]", "names gpt-4o-3-shot, which is no system that can be swept: "),
        ("tasks", "[sentimental]", "profiles.laptop names sentimental, which is no task: 'selu list' shows"),
        ("devices", "[2, 1]", "shared.sweep.profiles.laptop.devices are not ascending."),
        ("systems", "[]", "shared.sweep.profiles.laptop.systems: Tuple should have at least 1 item"),
        ("micro_batch_tokens", "0", "profiles.laptop.micro_batch_tokens: Input should be greater than"),
    ],
)  # fmt: skip
def test_a_profile_that_names_what_there_is_not(project, setting, value, sentence):
    text, start = PARAMS.decode(), PARAMS.decode().index("      laptop: {")
    entry = text[start : text.index("\n", start)]
    changed = yaml.safe_load(entry)["laptop"] | {setting: yaml.safe_load(value)}
    line = f"      laptop: {yaml.safe_dump(changed, default_flow_style=True, width=1000).strip()}"
    (project / "params.yaml").write_text(text.replace(entry, line), "utf-8")
    with pytest.raises(SeluError) as caught:
        profiles.set_profile(project, "laptop")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_command(project):
    code, out, _ = small.done(project, "profile", "workstation")
    assert code == 0
    assert out.startswith("workstation is in force from now on")
    assert small.done(project, "profile", "workstation")[1] == "workstation is in force already\n"
    _, _, errors = small.done(project, "profile", "a10")
    assert errors[-1] == "selu: there is no profile 'a10'; did you mean 'a100'?"
    small.alter(project, lambda settings: settings["sweep"].update(profile="laptob"))
    assert "did you mean 'laptop'?" in small.done(project, "sweep")[2][-1]
