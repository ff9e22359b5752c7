from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from helpers import small_project as small
from helpers.places import RECORDS
from selu.cost import pace, sums, texts, training
from selu.cost import tables as cost_tables
from selu.execution.plans import Wanted
from selu.files import to_json
from selu.project import read_settings
from selu.systems.finetune.cost.profiles import ProfileSettings
from selu.vocabulary import SeluError

QUANTILES = {"min": 2.0, "q25": 9.0, "median": 20.0, "q75": 33.0, "p90": 60.0, "p99": 200.0, "max": 400.0}
TOKENS = {"count": 100, "mean": 30.0, **QUANTILES}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Of a fresh clone: parameters, and no task prepared."""
    return small.make(tmp_path / "project", ())


def put(root: Path, task: str, availability: str = "equal", rows: int = 1000, **tokens: float) -> None:
    """A tracked record of a task's data."""
    parts = {
        "paper": {"train": 0.8 * rows, "validation": 0, "test": 0.2 * rows},
        "strict": {"train": 0.7 * rows, "validation": 0.1 * rows, "test": 0.2 * rows},
    }
    lengths = {"raw": {"tokens": {"count": 0}}, "cleaned": {"tokens": {**TOKENS, **tokens}}}
    record = {"standing": availability, "rows": rows, "audit": {"parts": parts, "lengths": lengths}}
    path = root / RECORDS / task / "record.json"
    path.parent.mkdir(parents=True)
    path.write_text(to_json(record), "utf-8")


def cells(root: Path, profile: str = "a100", **wanted: Any) -> dict[str, dict[str, Any]]:
    found = training.cost(root, Wanted(**wanted), profile)["cells"]
    return {f"{cell['cell']}/{cell['protocol']}": cell for cell in found}


def settings(root: Path) -> ProfileSettings:
    return read_settings(root, "shared", "profiles", ProfileSettings)


def test_a_cell_by_hand(project):
    put(project, small.BINARY, rows=510)
    wanted = {"tasks": (small.BINARY,), "systems": ("codellama-7b",), "seeds": (42,)}
    cell = cells(project, **wanted)[f"{small.BINARY}/codellama-7b/paper"]
    assert (cell["runs"], cell["steps"], cell["lengths"]) == (1, 10 * 7, "tracked")
    train, test = 408, 102
    mean = 1.3 * 30 + 2
    assert cell["tokens"] == pytest.approx((10 * train + 11 * test) * mean, rel=0.02)
    matrices = 32 * (4 * 4096**2 + 3 * 4096 * 11008)
    seconds = 2 * matrices * mean * (3 * 10 * train + 11 * test) / (2 * 0.4 * 312e12)
    # an update waits for its texts; half of the gradients is sent twice for each of three micro-batches of 522
    # tokens, and half of the weights once
    seconds += cell["steps"] * (0.0015 + (2 * 3 + 1) * 2 * 6.6e9 / 2 / 200e9)
    seconds += cell["steps"] * 60 * 6.6e9 / 2 / 2039e9  # AdamW and the norm read and write 60 bytes a parameter
    seconds *= 1 + 1 / 20  # checkpoints of 92 GB
    assert cell["devices"] == 2  # of 132 GB of weights, gradients, moments and masters under ZeRO-2
    assert cell["hours"] == pytest.approx((60 + seconds) / 3600, rel=0.03)  # the square of lengths is in it
    assert cell["usd"] == pytest.approx(1.5 * cell["hours"] * cell["devices"])
    assert cell["memory_gib"] > (2 + 18 / cell["devices"]) * 6.6e9 / 2**30
    strict = cells(project, **wanted)[f"{small.BINARY}/codellama-7b/strict"]
    assert strict["steps"] == 10 * -(-357 // 64)
    (cell,) = cells(project, tasks=(small.BINARY,), systems=("minilm-l6",), protocols=("paper",)).values()
    assert cell["runs"] == 3
    assert cell["hours"] == pytest.approx(
        3 * (60 + 1.0023 * 70 * (6 * 0.0084 + 0.0015 + 22.6e6 * 60 / 2039e9)) / 3600, rel=1e-4
    )
    assert cell["bound"] == "updates"  # small work


def test_a_cell_padded_as_the_authors_do_it_by_hand(project):
    put(project, small.BINARY, rows=510)
    wanted = {"tasks": (small.BINARY,), "protocols": ("paper",), "seeds": (42,)}
    found = cells(project, systems=("llama3.2-3b", "gpt2-xl", "modernbert-base"), **wanted)
    train, test = 408, 102
    for system, width in (("llama3.2-3b", 8192), ("gpt2-xl", 1024)):
        cell = found[f"{small.BINARY}/{system}/paper"]
        last = test * (1.3 * 30 + 2)  # the pipeline at the end does not pad
        assert cell["padded_tokens"] == pytest.approx((10 * train + 10 * test) * width + last, abs=2 * test)
        shape = pace.shapes()[system]
        operations = (3 * 10 * train + 10 * test) * (2 * shape.matrices * width + 4 * shape.layers
                     * shape.heads * shape.head_width * width**2)  # fmt: skip
        seconds = 1.05 * operations / (0.4 * 312e12)  # with checkpoints
        assert cell["padded_hours"] == pytest.approx((60 + seconds) / 3600, rel=0.01)
        assert cell["padded_device_hours"] == pytest.approx(cell["padded_hours"] * cell["devices"])
    modern = found[f"{small.BINARY}/modernbert-base/paper"]
    assert (modern["padded_tokens"], modern["padded_hours"]) == (modern["tokens"], modern["hours"])
    at_1024 = training.cost(project, Wanted(systems=("llama3.2-3b",), **wanted), "a100", 1024)["cells"][0]
    assert at_1024["padded_tokens"] == found[f"{small.BINARY}/gpt2-xl/paper"]["padded_tokens"]


def test_the_longest_text_decides_what_fits(project):
    put(project, small.BINARY, max=12_000.0)
    put(project, "sentiment", rows=13144)
    wanted = {"systems": ("codellama-7b",), "protocols": ("paper",)}
    found = cells(project, tasks=(small.BINARY, "sentiment"), **wanted)
    long, short = (found[f"{task}/codellama-7b/paper"] for task in (small.BINARY, "sentiment"))
    assert (short["devices"], short["computed_twice"]) == (2, 0)
    assert long["devices"] == 4
    assert 0 <= long["computed_twice"] < 0.1
    little = training.cost(project, Wanted(tasks=("sentiment",), **wanted), "l4")["cells"][0]
    assert (little["devices"], little["computed_twice"]) == (None, 1)


def test_the_paper_s_table_once_is_a_third_of_its_protocol_and_leaves_other_systems_out(project):
    record = training.cost(project, Wanted(tasks=(small.BINARY, "sentiment")), "a100")
    once = record["once"]
    assert once["total"]["cells"] == once["total"]["runs"] == 2 * 22
    papers = [
        c for c in record["cells"] if c["protocol"] == "paper" and c["system"] not in ("minilm-l6", "mpnet")
    ]
    for name in ("hours", "padded_device_hours", "usd", "kept_gb", "tokens"):
        assert once["total"][name] == pytest.approx(sum(c[name] for c in papers) / 3, rel=1e-6)
    strict = training.cost(project, Wanted(tasks=(small.BINARY,), protocols=("strict",)), "a100")
    assert strict["once"] is None
    names = [row["system"] for row in cost_tables.tables(strict, False, False)[0]]
    assert (names[-1], len(names)) == ("total", 25)


def test_a_checkpoint_is_there_twice_while_it_is_replaced_and_weights_once_a_system(project):
    """In bytes a parameter: weights, best weights and states; trained models and predictions of every run."""
    assumed, n = settings(project).assumed, 1_000_000_000
    made = [
        {"system": system, "runs": 3, **sums.disk_of(n, precision, 3, 2_000_000, assumed)}
        for system, precision in (("a", "bf16"), ("a", "mixed"), ("b", "fp32"))
    ]
    assert [cell["checkpoint_gb"] for cell in made] == [2 * 16] * 3
    assert [cell["kept_gb"] for cell in made] == [3 * 2, 3 * 4, 3 * 4]
    weights, answers = 2 * made[0]["weights_gb"], sum(cell["predictions_gb"] for cell in made)
    assert weights == 2 * assumed.cached_bytes
    assert answers == pytest.approx(9 * (2e6 * assumed.prediction_bytes + assumed.record_bytes) / 1e9)
    of_time = dict.fromkeys((*sums._TOKENS, "hours", "padded_hours", "device_hours", "usd"), 1)
    of_time |= dict.fromkeys(sums.RANGE, 1)
    rest = {"cell": "", "task": "", "steps": 1, "padded_device_hours": 1, "bound": "", "devices": None}
    found = sums.sum_cells([{**rest, **of_time, **cell} for cell in made])["disk"]
    assert found["one_after_another_gb"] == pytest.approx(weights + 30 + answers + 32)
    assert found["at_once_gb"] == pytest.approx(weights + 30 + answers + 3 * 3 * 32)
    assert found["least_gb"] == pytest.approx(assumed.cached_bytes + 32 + 4 + answers)


def test_lengths_that_stand_for_all_have_the_tracked_mean_and_are_cut_at_the_context(project):
    put(project, "story_points", rows=23313)
    task = small.task("story_points")
    found = texts.count_texts(project, task, "strict", settings(project).assumed)
    assert sum(found.lengths) / len(found.lengths) == pytest.approx(30)
    assert found.train == pytest.approx(0.7 * task.instances, abs=1)
    assert max(texts.count_tokens(found, task, 1.3, 100).lengths) == 100


def test_where_the_lengths_are_from_is_said(project):
    put(project, "story_points", rows=23313)
    put(project, "issue_type", "synthetic", rows=340, mean=5.0)
    put(project, "tone_bearing", "partial", rows=2622)
    tasks = ("story_points", "issue_type", "tone_bearing", "smell_doc")
    found = cells(project, tasks=tasks, systems=("bert-base",), protocols=("paper",))
    assert {cell["cell"].split("/")[0]: cell["lengths"] for cell in found.values()} == {
        "story_points": "tracked",
        "issue_type": "like story_points",
        "tone_bearing": "partial rows",
        "smell_doc": "assumed",
    }
    steps = {cell["cell"].split("/")[0]: cell["steps"] for cell in found.values()}
    assert steps["issue_type"] == 10 * -(-round(0.8 * 803417) // 64)  # the paper's rows, not ours
    record = training.cost(project, Wanted(tasks=tasks, systems=("bert-base",), protocols=("paper",)), "a100")
    assert cost_tables.summary(record).endswith(
        "In 3 of 4 rows the lengths are not of all the paper's own rows."
    )


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
    assert short["steps"] == long["steps"] == 50 * -(-stretches // 64)  # as the authors cut both
    small.alter(project, lambda shared: shared["finetune"]["paper"].update(longest={}))
    long = cells(project, systems=("modernbert-base",), **wanted)[
        "requirement_completion/modernbert-base/paper"
    ]
    assert long["steps"] == 50
    assert short["tokens"] == pytest.approx(long["tokens"], rel=0.1)
    assert found["se_entities/t5-base/paper"]["steps"] == 50 * -(-round(0.8 * 2718) // 64)


def test_sums_and_what_fits_nowhere(project):
    record = training.cost(project, Wanted(tasks=(small.BINARY, "sentiment"), protocols=("strict",)), "l4")
    large = [cell for cell in record["cells"] if cell["devices"] is None]
    assert {cell["system"] for cell in large} >= {"codellama-7b", "starcoder2-7b"}
    assert all(cell["memory_gib"] is None for cell in large)
    assert record["total"]["too_large"] == 3 * len(large)
    hours = sum(cell["device_hours"] for cell in large)
    assert all(cell["device_hours"] == pytest.approx(8 * cell["hours"]) for cell in large)
    assert record["total"]["unfit_device_hours"] == pytest.approx(hours)
    sentence = (
        f"{3 * len(large)} of the runs do not fit, not even on 8 at once: {hours:.1f} of the device hours"
    )
    assert sentence in cost_tables.summary(record)
    assert record["total"]["runs"] == 3 * 2 * 24 == sum(row["runs"] for row in record["systems"])
    for name in ("hours", "usd", "device_hours", "tokens"):
        assert record["total"][name] == pytest.approx(sum(row[name] for row in record["systems"]))


def test_a_processor_by_its_measured_speed(project):
    wanted = {"tasks": ("sentiment",), "protocols": ("strict",), "seeds": (42,)}
    record = training.cost(project, Wanted(systems=("minilm-l6",), **wanted), "cpu")
    (cell,) = record["cells"]
    assert "900 tokens a second on minilm-l6" in cost_tables.summary(record)
    sources = [row["value"] for row in record["assumptions"]]
    assert "900 tokens a second of training on minilm-l6" in sources
    train, validation, test = (share * 13144 for share in (0.64, 0.16, 0.2))
    tokens = 132 * (10 * train + (10 * validation + test) / 3)
    assert cell["hours"] == pytest.approx(tokens / 900 / 3600, rel=0.15)  # attention grows with the square
    larger = cells(project, "cpu", systems=("bert-base",), **wanted)["sentiment/bert-base/strict"]
    assert larger["hours"] == pytest.approx(8 * cell["hours"], rel=0.15)  # 85M parameters against 10.6M


def test_each_figure_names_its_source_and_params_are_those_in_force(project):
    small.alter(project, lambda p: p["profiles"]["machines"]["a100"].update(utilisation=0.25))
    record = training.cost(project, Wanted(tasks=("sentiment",)), "a100")
    rows = {row["what"]: row for row in record["assumptions"]}
    assert all(row[field] for row in rows.values() for field in ("value", "kind", "source"))
    assert rows["share of the peak"]["value"].startswith("0.25, ")
    text = json.dumps(record["assumptions"])
    for setting in training.asdict(settings(project).assumed):
        if setting not in ("tokens", "priced"):
            assert f"assumed.{setting}" in text or setting == "record_bytes", setting


@pytest.mark.parametrize(
    ("wanted", "profile", "words"),
    [
        ({}, "a10", "there is no profile 'a10'; did you mean 'a100'"),
        ({"systems": ("bert-bas",)}, "a100", "no fine-tuned system 'bert-bas'; did you mean 'bert-base'"),
        ({"systems": ("fasttext",)}, "a100", "no fine-tuned system 'fasttext'"),
        ({"tasks": ("se_entities",), "systems": ("gpt2-xl",)}, "a100", "no score passes these filters"),
        ({"environments": ("authors",)}, "a100", "--environment does not apply"),
    ],
)
def test_mistakes_are_named(project, wanted, profile, words):
    with pytest.raises(SeluError, match=words):
        training.cost(project, Wanted(**wanted), profile)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"device": "NVIDIA H300"}, "shared.profiles.machines.a100 needs a device whose peak is known"),
        ({"utilisation": None}, "needs a device whose peak is known and a utilisation, or"),
        ({"colour": "green"}, "shared.profiles.machines.a100.colour"),
    ],
)
def test_settings_that_say_nothing_are_refused(project, change, words):
    small.alter(project, lambda p: p["profiles"]["machines"]["a100"].update(change))
    with pytest.raises(SeluError, match=words):
        training.cost(project, Wanted(tasks=(small.BINARY,)), "a100")


def test_the_command(project):
    code, out, errors = small.done(project, "plan", "--profile", "h100", "--task", small.BINARY, "--csv")
    assert code == 0, errors
    assert [line.split(",")[0] for line in out.splitlines()].count("total") == 3  # of time, padding and disk
    assert out.splitlines()[-1].startswith("paper's table once,")
    assert "an assumption of 2026-05" in errors[-1]
    for flags, first in (((), []), (("--cells",), ["cell"])):
        code, out, errors = small.done(
            project, "plan", "--profile", "h100", "--protocol", "strict", "--csv", *flags
        )
        assert code == 0, errors
        heads = [line.split(",")[0] for line in out.splitlines()]
        tables = [head for head in heads if head in ("cell", "system", "what")]
        assert tables == [*first, *["system"] * 3, "what"]  # sources last
    code, out, _ = small.done(project, "plan", "--profile", "h100", "--system", "gpt2-xl", "--json")
    record = json.loads(out)
    assert code == 0
    assert {cell["system"] for cell in record["cells"]} == {"gpt2-xl"}
    assert set(record) == {
        *("profile", "assumed", "assumptions", "note", "scope", "cells", "systems", "tasks", "total", "disk"),
        *("once", "table", "rows_here"),
    }  # fmt: skip


@pytest.mark.ci
def test_no_library_of_a_system_is_needed(project):
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('torch', 'transformers', 'xgboost', 'fasttext')));"
        "from selu.cost import training; from selu.execution import plans; from pathlib import Path;"
        "print(len(training.cost(Path(sys.argv[1]), plans.Wanted(), 'a100')['cells']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(project)], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) == 1010


def test_hours_are_an_interval_where_lengths_are_guessed_and_trainings_may_stop(project):
    put(project, small.BINARY)
    wanted = {"systems": ("llama3.2-1b",), "protocols": ("paper",)}
    known, guessed = (
        cells(project, tasks=(task,), **wanted)[f"{task}/llama3.2-1b/paper"]
        for task in (small.BINARY, "sentiment")
    )
    assert (known["lengths"], guessed["lengths"]) == ("tracked", "assumed")
    assert known["least_device_hours"] == pytest.approx(0.4 * known["device_hours"])  # 4 of 10 evaluations
    assert known["short_device_hours"] == known["most_device_hours"] == known["device_hours"]
    assert guessed["least_device_hours"] == pytest.approx(0.4 * guessed["short_device_hours"])
    assert guessed["short_device_hours"] < guessed["device_hours"] < guessed["most_device_hours"]
