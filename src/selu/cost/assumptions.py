"""The assumptions of a cost plan: each figure, its value, kind and source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from selu.cost import texts
from selu.papers.costs import CellCost
from selu.project import REPORTS
from selu.systems.finetune.cost.devices import peak_flops
from selu.systems.finetune.cost.profiles import Assumed, Machine
from selu.systems.finetune.settings import FinetuneSettings

PAPER, SCRIPTS, PUBLISHED = "the paper", "authors' scripts", "published weights"
SHEET, FORMULA, CODE = "data sheet", "published formula", "this code"
MEASURED, BOUND, GUESS = "measured here", "upper bound", "guess"
_SETTINGS = "params.yaml: "  # its section shared.profiles


def list_sources(
    machine: Machine, assumed: Assumed, training: FinetuneSettings, cells: Sequence[CellCost], benchmark: str
) -> list[Mapping[str, str]]:
    """List rows of ``what``, ``value``, ``kind`` (how firm it is) and ``source``, of a benchmark."""
    counted = (REPORTS / benchmark / "data" / "TASK" / "record.json").as_posix()
    rows = [
        *_machine(machine, assumed),
        *_model(assumed, counted, f"papers/{benchmark}/shapes.yaml"),
        *_lesson(assumed, training, cells, counted),
        *_disk(assumed),
    ]
    return [dict(zip(("what", "value", "kind", "source"), row, strict=True)) for row in rows]


_Row = tuple[str, str, str, str]


def _machine(machine: Machine, assumed: Assumed) -> list[_Row]:
    most = peak_flops(machine.device, "bf16")
    key = f"{_SETTINGS}machines"
    if machine.utilisation and most:
        speed = [
            ("peak of a device", f"{most / 1e12:g} TFLOP/s, bf16, dense", SHEET,
             f"NVIDIA's of {machine.device} (systems/finetune/cost/devices.py)"),
            ("share of the peak", f"{machine.utilisation:g}, of operations on tokens of texts", GUESS,
             f"{key}.utilisation; Korthikanti et al. 2022 (arXiv:2205.05198, abstract) reach .421 to .542 "
             "with 530 billion parameters on A100s"),
        ]  # fmt: skip
    else:
        rate = f"{machine.tokens_per_second:g} tokens a second of training on {machine.measured_on}"
        speed = [("speed of a device", rate, MEASURED, f"{key}.tokens_per_second")]
    many = ", ".join(str(number) for number in machine.devices)
    return [
        ("devices", f"the fewest of {many} that hold a training", PAPER,
         "section IV-E: 8 A100s, DeepSpeed's ZeRO stage 2; neither hours nor GiB of a device are given"),
        ("memory of a device", f"{machine.memory_gib:g} GiB, of which {assumed.memory_share:g} is filled",
         GUESS, f"{key}.memory_gib, as its driver shows it, and assumed.memory_share"),
        *speed,
        ("several devices", "as fast as their number, and what they send each other: of each micro-batch the "
         "gradient twice, and the weights once an update, beside no arithmetic", FORMULA,
         "DeepSpeed's stage 2 as it is called here (overlap_comm is off); systems/finetune/cost/profiles.py"),
        ("what a device sends", f"{machine.link_gb_per_second:g} GB/s" if machine.link_gb_per_second
         else "not known: nothing is counted", GUESS, f"{key}.link_gb_per_second"),
        ("host work of an update", f"{1000 * assumed.host_seconds:g} ms, in which devices wait", MEASURED,
         f"{_SETTINGS}assumed.host_seconds; 1.4 to 1.5 ms of processor time for 64 texts (docs/DECISIONS.md)"),
        ("least time of an update", f"{assumed.layer_seconds:g} s a layer", MEASURED,
         f"{_SETTINGS}assumed.layer_seconds: the slope of time over updates of the tracked runs of MiniLM "
         "(6 layers) on an H100 that others may have used beside; small models are bound by it and not by "
         "operations, so that as many layers take as many hours (bound_by_updates says how much of them)"),
        ("clipping and AdamW", f"{machine.memory_gb_per_second:g} GB/s, 40 bytes of a parameter, in bf16 60"
         if machine.memory_gb_per_second else "not known: nothing is counted", SHEET,
         f"{key}.memory_gb_per_second; systems/finetune/cost/profiles.py counts the bytes"),
        ("start and end of a run", f"{assumed.run_seconds:g} s", GUESS, f"{_SETTINGS}assumed.run_seconds"),
        ("price", f"{machine.usd_per_hour:g} USD a device and hour, {assumed.priced}", GUESS,
         f"{key}.usd_per_hour; middle of what was asked on demand, not an offer"),
    ]  # fmt: skip


def _model(assumed: Assumed, counted: str, shapes: str) -> list[_Row]:
    return [
        ("sizes of models", "layers, widths, vocabulary", PUBLISHED,
         f"their config.json ({shapes}), held to the counted parameters"),
        ("operations", "2 a token and matrix parameter forward, twice that backward, and attention's products",
         FORMULA, "PaLM, appendix B (arXiv:2204.02311); held to torch's counter by tests"),
        ("memory of weights and optimizer", "bytes a parameter: 18 on one device; on p devices 2 + 18/p "
         "in bf16 (paper), and 6 + 16/p mixed (strict)", FORMULA,
         "ZeRO, section 3.1 (arXiv:1910.02054), and DeepSpeed's own estimate of stage 2 (cost/memory.py)"),
        ("longest text", "whole in one micro-batch: a text is never cut for memory", MEASURED,
         f"{counted}; cut at a model's own context, or at shared.finetune's longest (authors' scripts: 8,192)"),
        ("memory of activations", "what layers save for the backward pass, by architecture and precision",
         MEASURED,
         "systems/finetune/cost/memory.py; held to tensors saved by the library's layers, within a tenth"),
        ("tokens computed at once", f"at most {assumed.micro_batch_tokens:,}, halved where memory is short; "
         "then layers are computed twice",
         GUESS, f"{_SETTINGS}assumed.micro_batch_tokens"),
    ]  # fmt: skip


def _lesson(
    assumed: Assumed, training: FinetuneSettings, cells: Sequence[CellCost], counted: str
) -> list[_Row]:
    bases = Counter(basis for _, basis in {(cell["task"], cell["lengths"]) for cell in cells})
    tracked = bases.pop(texts.TRACKED, 0)
    other = "".join(f", {count} {basis}" for basis, count in sorted(bases.items()))
    return [
        ("rows", "the paper's instances, in the shares of the tracked splits", PAPER,
         f"Table I; {counted}"),
        ("lengths of texts, by task", f"{tracked} tracked{other}",
         f"{MEASURED}; the others: {GUESS}" if other else MEASURED, "words and marks after cleaning "
         f"({counted}); {_SETTINGS}assumed.like, for tasks whose rows are ours"),
        ("guessed lengths, least and most", f"{assumed.guessed[0]:g} and {assumed.guessed[1]:g} times as long",
         GUESS, f"{_SETTINGS}assumed.guessed, from tracked sets of the same kind of text"),
        ("checkpoints", f"copied at {assumed.copy_gb_per_second:g} GB/s, once a minute or more seldom, so that "
         "they take a twentieth of the time at most; written beside the training", f"{CODE}; the rate: {GUESS}",
         f"systems/finetune/training.py; {_SETTINGS}assumed.copy_gb_per_second"),
        ("tokens of a word or mark", f"{assumed.subwords:g}, for every model", GUESS,
         f"{_SETTINGS}assumed.subwords; MiniLM's vocabulary gives 1.05 to 1.7, by task"),
        ("epochs", f"{training.epochs}, of token tasks {training.epochs_tokens}: all of them", BOUND,
         "section IV-C; patience may end trainings sooner (claim C109)"),
        ("batch", f"{training.batch} texts an update", PAPER, "section IV-C"),
        ("evaluations", f"{training.evaluations} of the rows held to pick a checkpoint, and the test rows "
         "once; a token takes a third of what it does in training", PAPER,
         "section IV-C (every 10 % of the steps)"),
        ("padding, authors' manner", f"to the model's context, at most {assumed.padded_tokens:,} tokens",
         SCRIPTS, "max_length in their final package (in that of the preprint at most 1,024); "
         f"{_SETTINGS}assumed.padded_tokens; section IV-C gives no length"),
        ("padding, authors' manner, none", ", ".join(assumed.unpadded) or "no system", SCRIPTS,
         f"the library takes padding out of ModernBERT where flash-attn is installed, which they list; "
         f"{_SETTINGS}assumed.unpadded"),
        ("padding, ours", "none; T5's to the longest text of a micro-batch, within the share of the peak",
         MEASURED, "docs/measurements/finetune.txt: all computed tokens are of texts"),
    ]  # fmt: skip


def _disk(assumed: Assumed) -> list[_Row]:
    return [
        ("published weights on disk", f"{assumed.cached_bytes:g} bytes a parameter", BOUND,
         f"{_SETTINGS}assumed.cached_bytes; as safetensors alone, some of them in 2 bytes"),
        ("checkpoint on disk", "weights, best weights and optimizer, twice while one replaces the other",
         CODE, "what systems/finetune/training.py saves: 32 bytes a parameter in all"),
        ("trained model on disk", "2 bytes a parameter (paper) or 4 (strict), of every run", CODE,
         "what systems/finetune/saved.py saves"),
        ("predictions on disk", f"{assumed.prediction_bytes:g} bytes a text, and {assumed.record_bytes:,} a "
         "run; of token tasks as many a token", MEASURED,
         f"{_SETTINGS}assumed.prediction_bytes and record_bytes, from tracked runs; token tasks: {GUESS}"),
    ]  # fmt: skip
