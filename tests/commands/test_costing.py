from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import small_project as small

from selu.commands import costing, costing_texts
from selu.commands.planning import Wanted
from selu.commands.preparation import RECORDS
from selu.project import read_knobs, to_json
from selu.systems.finetune.cost_profiles import ProfileKnobs
from selu.vocabulary import SeluError

TOKENS = {
    "count": 100,
    "mean": 30.0,
    "min": 2.0,
    "q25": 9.0,
    "median": 20.0,
    "q75": 33.0,
    "p90": 60.0,
    "p99": 200.0,
}
TOKENS["max"] = 400.0


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Of a fresh clone: parameters, and no task prepared."""
    return small.make(tmp_path / "project", ())


def put(root: Path, task: str, standing: str = "equal", rows: int = 1000, **tokens: float) -> None:
    """A tracked record of a task's data."""
    parts = {
        "paper": {"train": 0.8 * rows, "validation": 0, "test": 0.2 * rows},
        "strict": {"train": 0.7 * rows, "validation": 0.1 * rows, "test": 0.2 * rows},
    }
    lengths = {"raw": {"tokens": {"count": 0}}, "cleaned": {"tokens": {**TOKENS, **tokens}}}
    record = {"standing": standing, "rows": rows, "audit": {"parts": parts, "lengths": lengths}}
    path = root / RECORDS / task / "record.json"
    path.parent.mkdir(parents=True)
    path.write_text(to_json(record), "utf-8")


def cells(root: Path, profile: str = "a100", **wanted: Any) -> dict[str, dict[str, Any]]:
    found = costing.cost(root, Wanted(**wanted), profile)["cells"]
    return {f"{cell['cell']}/{cell['protocol']}": cell for cell in found}


def knobs(root: Path) -> ProfileKnobs:
    return read_knobs(root, "selu", "profiles", ProfileKnobs)


def test_a_cell_by_hand(project):
    put(project, small.BINARY, rows=510)
    wanted = {"tasks": (small.BINARY,), "systems": ("codellama-7b",), "seeds": (42,)}
    cell = cells(project, **wanted)[f"{small.BINARY}/codellama-7b/paper"]
    assert (cell["runs"], cell["steps"], cell["lengths"]) == (1, 10 * 7, "tracked")
    train, test = 408, 102
    mean = 1.3 * 30 + 2
    assert cell["tokens"] == pytest.approx((10 * train + 11 * test) * mean, rel=0.02)
    matrices = 32 * (4 * 4096**2 + 3 * 4096 * 11008)
    seconds = 2 * matrices * mean * (3 * 10 * train + 11 * test) / (0.4 * 312e12)
    assert cell["hours"] == pytest.approx((60 + seconds) / 3600, rel=0.03)  # the square of lengths is in it
    assert cell["usd"] == pytest.approx(1.5 * cell["hours"] * cell["devices"])
    assert cell["memory_gib"] > 8 * 6.6e9 / 2**30
    strict = cells(project, **wanted)[f"{small.BINARY}/codellama-7b/strict"]
    assert strict["devices"] > 1  # masters and moments in fp32 take 119 GB
    assert strict["steps"] == 10 * -(-357 // 64)


def test_small_work_is_bound_by_its_updates(project):
    put(project, small.BINARY, rows=510)
    (cell,) = cells(project, tasks=(small.BINARY,), systems=("minilm-l6",), protocols=("paper",)).values()
    assert cell["runs"] == 3
    assert cell["hours"] == pytest.approx(3 * (60 + 70 * 0.1) / 3600)


def test_lengths_that_stand_for_all_have_the_tracked_mean_and_are_cut_at_the_context(project):
    put(project, "story_points", rows=23313)
    task = small.task("story_points")
    assumed = knobs(project).assumed
    found = costing_texts.texts(project, task, "strict", assumed)
    assert sum(found.lengths) / len(found.lengths) == pytest.approx(30)
    assert list(found.lengths) == sorted(found.lengths)
    assert found.train == pytest.approx(0.7 * task.instances, abs=1)
    rows, lengths = costing_texts.in_tokens(found, task, 1.3, 100)
    assert max(lengths) == 100
    assert rows == found


def test_where_the_lengths_are_from_is_said(project):
    put(project, "story_points", rows=23313)
    put(project, "issue_type", "synthetic", rows=340, mean=5.0)
    put(project, "tone_bearing", "partial", rows=2622)
    put(project, "bug_issue", "synthetic", rows=330)
    small.alter(project, lambda p: p["profiles"]["assumed"]["like"].pop("bug_issue"))
    tasks = ("story_points", "issue_type", "tone_bearing", "bug_issue", "smell_doc")
    found = cells(project, tasks=tasks, systems=("bert-base",), protocols=("paper",))
    assert {cell["cell"].split("/")[0]: cell["lengths"] for cell in found.values()} == {
        "story_points": "tracked",
        "issue_type": "like story_points",
        "tone_bearing": "partial rows",
        "bug_issue": "synthetic rows",
        "smell_doc": "assumed",
    }
    steps = {cell["cell"].split("/")[0]: cell["steps"] for cell in found.values()}
    assert steps["issue_type"] == 10 * -(-round(0.8 * 803417) // 64)  # the paper's rows, not ours
    record = costing.cost(project, Wanted(tasks=tasks, systems=("bert-base",), protocols=("paper",)), "a100")
    assert costing.summary(record).endswith("In 4 of 5 rows the lengths are not of all the paper's own rows.")


def test_documents_are_cut_into_stretches_and_token_tasks_take_their_epochs(project):
    put(project, "requirement_completion", "partial", rows=10, mean=5000.0)
    wanted = {"tasks": ("requirement_completion", "se_entities"), "protocols": ("paper",)}
    found = cells(project, systems=("bert-base", "modernbert-base", "t5-base", "gpt2-small"), **wanted)
    assert set(found) == {
        "requirement_completion/bert-base/paper",
        "requirement_completion/modernbert-base/paper",
        "se_entities/bert-base/paper",
        "se_entities/modernbert-base/paper",
        "se_entities/t5-base/paper",
    }
    short, long = (found[f"requirement_completion/{name}-base/paper"] for name in ("bert", "modernbert"))
    stretches = 32 * (1.3 * 5000 + 2) / 512
    assert short["steps"] == 50 * -(-stretches // 64)
    assert long["steps"] == 50
    assert short["tokens"] == pytest.approx(long["tokens"], rel=0.1)
    assert found["se_entities/t5-base/paper"]["steps"] == 50 * -(-round(0.8 * 2718) // 64)


def test_sums_and_what_fits_nowhere(project):
    record = costing.cost(project, Wanted(tasks=(small.BINARY, "sentiment"), protocols=("strict",)), "l4")
    large = [cell for cell in record["cells"] if cell["devices"] is None]
    assert {cell["system"] for cell in large} >= {"codellama-7b", "starcoder2-7b"}
    assert all(cell["hours"] is None and cell["usd"] is None for cell in large)
    assert record["total"]["too_large"] == 3 * len(large)
    assert f"{3 * len(large)} of the runs do not fit, not even on 8 at once." in costing.summary(record)
    assert record["total"]["runs"] == 3 * 2 * 23 == sum(one["runs"] for one in record["systems"])
    for name in ("hours", "usd", "device_hours", "tokens"):
        assert record["total"][name] == pytest.approx(sum(one[name] for one in record["systems"]))
    assert record["total"]["devices"] > 1
    big = costing.cost(project, Wanted(tasks=(small.BINARY, "sentiment"), protocols=("strict",)), "h200")
    assert big["total"]["too_large"] == 0


def test_a_processor_by_its_measured_speed(project):
    wanted = {"tasks": ("sentiment",), "protocols": ("strict",), "seeds": (42,)}
    record = costing.cost(project, Wanted(systems=("minilm-l6",), **wanted), "cpu")
    (cell,) = record["cells"]
    assert "900 tokens a second on minilm-l6" in costing.summary(record)
    train, validation, test = (share * 13144 for share in (0.64, 0.16, 0.2))
    tokens = 132 * (10 * train + (10 * validation + test) / 3)
    assert cell["hours"] == pytest.approx(tokens / 900 / 3600, rel=0.15)  # attention grows with the square
    more = cells(project, "cpu", systems=("bert-base",), **wanted)["sentiment/bert-base/strict"]
    assert more["hours"] == pytest.approx(
        8 * cell["hours"], rel=0.15
    )  # 85M against 10.6M parameters in matrices


@pytest.mark.parametrize(
    ("wanted", "profile", "words"),
    [
        ({}, "a10", "there is no profile 'a10'; did you mean 'a100'"),
        ({"systems": ("bert-bas",)}, "a100", "no fine-tuned system 'bert-bas'; did you mean 'bert-base'"),
        ({"systems": ("fasttext",)}, "a100", "no fine-tuned system 'fasttext'"),
        ({"tasks": ("sentimant",)}, "a100", "did you mean 'sentiment'"),
        ({"protocols": ("strikt",)}, "a100", "did you mean 'strict'"),
        ({"seeds": (1,)}, "a100", "no cell passes these filters"),
        ({"tasks": ("se_entities",), "systems": ("gpt2-xl",)}, "a100", "no cell passes these filters"),
        ({"environments": ("authors",)}, "a100", "--environment says nothing"),
    ],
)
def test_mistakes_are_named(project, wanted, profile, words):
    with pytest.raises(SeluError, match=words):
        costing.cost(project, Wanted(**wanted), profile)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"device": "NVIDIA H300"}, "selu.profiles.machines.a100 needs a device whose peak is known"),
        ({"utilisation": None}, "needs a device whose peak is known and a utilisation, or"),
        ({"utilisation": 1.5}, "selu.profiles.machines.a100.utilisation"),
        ({"colour": "green"}, "selu.profiles.machines.a100.colour"),
    ],
)
def test_knobs_that_say_nothing_are_refused(project, change, words):
    small.alter(project, lambda p: p["profiles"]["machines"]["a100"].update(change))
    with pytest.raises(SeluError, match=words):
        costing.cost(project, Wanted(tasks=(small.BINARY,)), "a100")


def test_a_damaged_record_is_named(project):
    put(project, small.BINARY)
    (project / RECORDS / small.BINARY / "record.json").write_text("{")
    with pytest.raises(SeluError, match=r"record\.json is damaged"):
        costing.cost(project, Wanted(tasks=(small.BINARY,)), "a100")


def test_the_command(project):
    code, out, errors = small.done(project, "plan", "--profile", "h100", "--task", small.BINARY)
    assert code == 0, errors
    lines = out.splitlines()
    assert lines[0].split("\t") == [
        *("cell", "protocol", "runs", "steps", "tokens", "hours", "devices", "memory_gib", "usd", "lengths"),
    ]  # fmt: skip
    assert lines[-1].startswith("total\t")
    assert "an assumption of 2026-05" in errors[-1]
    code, out, _ = small.done(project, "plan", "--profile", "h100", "--system", "gpt2-xl", "--json")
    record = json.loads(out)
    assert code == 0
    assert {cell["system"] for cell in record["cells"]} == {"gpt2-xl"}
    assert set(record) == {"profile", "assumed", "note", "cells", "systems", "total"}
    code, _, errors = small.done(project, "plan", "--profile", "h10")
    assert code == 2
    assert errors[-1] == "selu: there is no profile 'h10'; did you mean 'h100'?"


def test_no_library_of_a_system_is_needed(project):
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('torch', 'transformers', 'xgboost', 'fasttext')));"
        "from selu.commands import costing, planning; from pathlib import Path;"
        "print(len(costing.cost(Path(sys.argv[1]), planning.Wanted(), 'a100')['cells']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(project)], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) == 964


def test_the_real_project_is_costed(root, tmp_path):
    """With the tracked records at hand, every real task's lengths are tracked."""
    if not (root / RECORDS).is_dir():
        pytest.skip("the tracked records are not pulled")
    copy = tmp_path / "copy"
    (copy / "data" / "paper").mkdir(parents=True)
    shutil.copy(root / "params.yaml", copy)
    shutil.copytree(root / RECORDS, copy / RECORDS)
    found = cells(copy, systems=("bert-base",), protocols=("paper",))
    origins = [cell["lengths"] for cell in found.values()]
    assert len(origins) == 22
    assert origins.count("tracked") == 13
    assert "assumed" not in origins
