"""The script for a lent GPU, tried on tiny models: a loan is minutes, and none of them is there to fix it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
import tiny

from selu.vocabulary import MachineError

ROOT = Path(__file__).parents[3]
CARRIED = ("annotated-types", "pydantic", "pydantic-core", "typing-inspection")
# What a bare machine has is what torch and the model library ask for; all else of this one is hidden.
BARE = """
import importlib.machinery, re, runpy, sys
from importlib import metadata

def asked(name, seen):
    if name in seen:
        return
    seen.add(name)
    try:
        wanted = metadata.requires(name) or ()
    except metadata.PackageNotFoundError:
        return
    for one in wanted:
        if "extra ==" not in one:
            asked(re.match(r"[\\w.-]+", one).group().lower().replace("_", "-"), seen)

there, homes = set(), {path for path in sys.path if "site-packages" in path}
for name in (*("torch", "transformers", "numpy", "safetensors"), *filter(None, sys.argv[2].split(","))):
    asked(name, there)
of = metadata.packages_distributions()

class Bare(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        makers = {one.lower().replace("_", "-") for one in of.get(name, ())}
        if path is None and makers and not makers & there:
            path = [one for one in sys.path if one not in homes]
        return super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(importlib.machinery.PathFinder)] = Bare
script = sys.argv[1]
sys.argv[:] = [script, *sys.argv[3:]]
runpy.run_path(script, run_name="__main__")
"""


def found(tmp_path: Path, *words: str, also: str = "") -> list[dict]:
    """Lines of the script, run where nothing but torch, the model library and ``also`` is installed."""
    path = tmp_path / "found.jsonl"
    script = str(ROOT / "speed" / "finetune_gpu.py")
    command = [sys.executable, "-c", BARE, script, also, *words, "--tiny", "--out", str(path)]
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in path.read_text().splitlines()]


def wheels(folder: Path) -> Path:
    """Wheels of what a loan carries, packed again of what is installed here."""
    folder.mkdir()
    for name in CARRIED:
        distribution = metadata.distribution(name)
        with zipfile.ZipFile(folder / f"{name}-{distribution.version}-py3-none-any.whl", "w") as wheel:
            for file in distribution.files or ():
                if ".." not in file.parts and "__pycache__" not in file.parts:
                    wheel.write(distribution.locate_file(file), str(file))
    return folder


@pytest.mark.slow
def test_every_stage_answers_on_a_bare_machine_with_a_folder_of_wheels(tmp_path):
    folder = tmp_path / "jobs"
    job = tiny.job(tiny.make("bert", folder / "model"), "binary", precision="bf16")
    (folder / "small.json").write_text(json.dumps({**job.to_json(), "model": {"revision": "r"}}))
    (folder / "tampered.json").write_text("{}")
    asked = ("--models", "bert-base", "--texts", "comments", "--ways", "packed", "dynamic")
    lines = found(tmp_path, *asked, "--wheels", str(wheels(tmp_path / "wheels")), "--jobs", str(folder))
    stages = [line["of"] for line in lines if line["stage"] == "end"]
    assert stages == ["facts", "kernels", "models", "host", "speed", "memory", "flash", "cell"]
    assert all(line["seconds"] >= 0 for line in lines if line["stage"] == "end")
    assert {(line["device"], line["shared"]) for line in lines} == {("cpu", False)}
    flash = [line for line in lines if line["stage"] == "flash" and "ms" in line]
    assert {line["kernel"] for line in flash} == {"groups"}
    assert len(flash) == 6
    failed = [line for line in lines if "error" in line]
    assert [line["job"] for line in failed] == ["tampered"]  # which takes nothing else with it
    kernels = [line for line in lines if line["stage"] == "kernels" and "met" in line]
    assert len(kernels) == 6
    assert all(line["met"] and line["same_bits"] for line in kernels)
    whole = {line["way"]: line for line in lines if line["stage"] == "models"}
    assert whole["fp32"]["logits"] < 1e-5
    assert whole["fp32"]["gradient"] < 1e-5
    speed = {line["way"]: line for line in lines if line["stage"] == "speed"}
    assert tuple(speed) == ("packed", "dynamic")
    assert speed["dynamic"]["useful_share"] < speed["packed"]["useful_share"] == 1
    assert len({(line["useful_tokens"], line["flops"]) for line in speed.values()}) == 1  # the same updates
    (cell,) = (line for line in lines if line["stage"] == "cell" and "steps" in line)
    assert len(cell["answers"]) == len(job.questions)


@pytest.mark.slow
def test_the_librarys_own_trainer_takes_the_same_updates(tmp_path):
    pytest.importorskip("accelerate")
    asked = ("speed", "--models", "bert-base", "--texts", "issues", "--ways", "dynamic", "trainer")
    lines = found(tmp_path, *asked, also="accelerate,pydantic")
    speed = {line["way"]: line for line in lines if line["stage"] == "speed"}
    assert tuple(speed) == ("dynamic", "trainer")
    assert speed["trainer"]["useful_tokens"] == speed["dynamic"]["useful_tokens"]
    assert 0.3 < speed["trainer"]["useful_share"] < 1


@pytest.mark.slow
def test_zero_is_measured_where_deepspeed_is(tmp_path):
    pytest.importorskip("deepspeed")
    asked = ("speed", "--models", "bert-base", "--texts", "issues", "--ways", "full", "zero2")
    lines = found(tmp_path, *asked, also="deepspeed,pydantic")
    speed = {line["way"]: line for line in lines if line["stage"] == "speed"}
    assert tuple(speed) == ("full", "zero2")
    assert speed["full"]["useful_share"] < speed["zero2"]["useful_share"] == 1


def test_lengths_that_are_all_alike_are_refused(tmp_path, monkeypatch):
    """A draft measured a whole loan on texts of 130 tokens each: the tracked lengths had not been carried."""
    monkeypatch.syspath_prepend(ROOT / "speed")
    import gpu_ways

    assert len(set(gpu_ways.lengths_of(ROOT, "story_points", 512))) > 100
    (tmp_path / "params.yaml").write_bytes((ROOT / "params.yaml").read_bytes())
    with pytest.raises(MachineError, match=r"all texts of story_points are alike: bring reports/selu/data"):
        gpu_ways.lengths_of(tmp_path, "story_points", 512)
