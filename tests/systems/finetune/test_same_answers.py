"""Trainings of tiny models give what they gave when ``tests/golden/finetune_answers.json`` was made.

The ledger of programs (``src/selu/runs/programs.csv``) rests on it. On a machine like one of the golden file's
each training gives the same bytes: answers, history, and the weights that are kept. On another kind of
processor, or with other versions, its numbers are close. ``python tests/systems/finetune/test_same_answers.py``
writes the file again, or with ``--elsewhere`` adds this machine's hashes: at the program whose answers are
to be kept, never at the one to be shown. What is held in bf16 is held to DeepSpeed's answers: those of
``decoder-bf16`` are the ones of ``zero2-bf16``, copied.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import pytest
import tiny
import torch
from safetensors.torch import load_file

from selu.systems.finetune import fit, models, saved

GOLDEN = Path(__file__).parents[2] / "golden" / "finetune_answers.json"
PAPER = {"head": "library", "criterion": "loss"}
# Family, kind of task, packed or not, sharding of one process, and parameters beside those of ``tiny``.
CASES: dict[str, tuple[str, str, bool, str, dict[str, Any]]] = {
    "encoder-packed": ("bert", "regression", True, "", {}),
    "encoder-padded": ("bert", "multi_class", False, "", {}),
    "encoder-words": ("modernbert", "entities", True, "", {}),
    "encoder-masked": ("roberta", "masked", True, "", {}),
    "encoder-mixed": ("bert", "binary", True, "", {"precision": "mixed"}),
    "encoder-distances": ("mpnet", "binary", True, "", {}),
    "encoder-paper": ("roberta", "multi_label", True, "", PAPER),
    "decoder-packed": ("llama", "multi_label", True, "", {}),
    "decoder-padded": ("llama", "multi_label", False, "", {}),
    "decoder-window": ("starcoder2", "regression", True, "", {}),
    "decoder-paper": ("gpt2", "multi_class", True, "", PAPER),
    "decoder-bf16": ("llama", "binary", True, "", {"precision": "bf16"}),
    "encoder-decoder": ("t5", "binary", False, "", {}),
    "encoder-decoder-words": ("t5", "entities", False, "", PAPER),
    "zero2": ("bert", "regression", True, "zero2", {}),
    "zero2-bf16": ("llama", "binary", True, "zero2", {"precision": "bf16"}),
}
# Relative, between kinds of processors. In fp32 all numbers are that close; where products are rounded to bf16,
# answers may turn, and only losses are compared.
CLOSE, CLOSE_IN_BF16 = 1e-5, 1e-2


def machine() -> dict[str, str]:
    """What the bytes of a training depend on, beside its program."""
    import transformers

    return {
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "capability": torch.backends.cpu.get_cpu_capability(),
        "processor": _vendor(),
    }


def _vendor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    found = (line.partition(":")[2].strip() for line in lines if line.startswith("vendor_id"))
    return next(found, platform.machine())


def trained(case: str, folder: Path) -> dict[str, Any]:
    """What a training gives: its numbers, and a hash of these, of the kept weights and of their answers."""
    family, kind, packed, sharding, params = CASES[case]
    job = tiny.job(tiny.make(family, folder / family), kind, **params)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(torch.cuda, "is_available", lambda: False)
        for name in ("RANK", "WORLD_SIZE", "SELU_SHARDING"):
            patched.delenv(name, raising=False)
        if sharding:
            patched.setenv("SELU_SHARDING", sharding)
        if not packed:
            patched.setattr(models, "PACKABLE", ())
        outcome = fit.fit(job, folder / "scratch", lambda _: None).to_json()
        asked = saved.ask(folder / "scratch" / "model", job.questions, job.question_tags)
    given = {name: outcome[name] for name in ("answers", "history", "picked_step", "steps", "truncated")}
    digest = hashlib.sha256(json.dumps([given, asked.answers, asked.cut]).encode())  # floats by their repr
    for name, tensor in sorted(load_file(folder / "scratch" / "model" / "model.safetensors").items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.contiguous().view(torch.uint8).numpy().tobytes())
    return {"sha256": digest.hexdigest(), "given": json.loads(json.dumps(given))}


def values(given: Any) -> Iterator[str | float]:
    """All words and numbers of a record, in its order."""
    if isinstance(given, dict):
        given = list(given.values())
    if isinstance(given, list):
        for value in given:
            yield from values(value)
    else:
        yield given


def words_and_numbers(given: Any) -> tuple[list[str], list[float]]:
    found = list(values(given))
    return [v for v in found if isinstance(v, str)], [v for v in found if not isinstance(v, str)]


def losses(given: Any) -> list[float]:
    return [entry[name] for entry in given["history"] for name in ("loss", "held_loss")]


@pytest.mark.ci
@pytest.mark.parametrize("case", CASES)
def test_a_training_gives_what_it_gave(case, tmp_path):
    if case.startswith("zero2"):
        pytest.importorskip("deepspeed")
    golden = json.loads(GOLDEN.read_text("utf-8"))
    before, now = golden["trainings"][case], trained(case, tmp_path)
    of_here = (each["sha256"] for each in golden["elsewhere"] if each["machine"] == machine())
    elsewhere = [hashes[case] for hashes in of_here if case in hashes]
    if golden["machine"] == machine():
        assert now == before
    elif elsewhere:
        assert now["sha256"] == elsewhere[0]
    elif "precision" in CASES[case][-1]:
        assert losses(now["given"]) == pytest.approx(losses(before["given"]), rel=CLOSE_IN_BF16)
    else:
        (words, numbers), (golden_words, golden_numbers) = (
            words_and_numbers(record["given"]) for record in (now, before)
        )
        assert words == golden_words
        assert numbers == pytest.approx(golden_numbers, rel=CLOSE)


def write(elsewhere: bool) -> None:
    """Make the golden file, or add this machine's hashes to it."""
    assert find_spec("deepspeed") is not None
    torch.set_num_threads(1)
    found = {}
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            found[case] = trained(case, Path(folder))
    golden = json.loads(GOLDEN.read_text("utf-8"))
    if elsewhere:
        others = [each for each in golden["elsewhere"] if each["machine"] != machine()]
        hashes = {case: each["sha256"] for case, each in found.items()}
        golden["elsewhere"] = [*others, {"machine": machine(), "sha256": hashes}]
    else:
        golden = {"machine": machine(), "trainings": found, "elsewhere": []}
    lines = ",\n".join(
        f"  {json.dumps(case)}: {json.dumps(each)}" for case, each in golden["trainings"].items()
    )
    text = f'{{\n "machine": {json.dumps(golden["machine"])},\n "trainings": {{\n{lines}\n }},\n'
    GOLDEN.write_text(f'{text} "elsewhere": {json.dumps(golden["elsewhere"])}\n}}\n', "utf-8")


if __name__ == "__main__":
    write("--elsewhere" in sys.argv)
