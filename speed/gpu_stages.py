"""What a lent card answers, stage by stage; each result is a line, and a stage that fails is one, too.

facts    what the machine has, and its two ceilings: products in bf16, and copies
kernels  attention by each kernel that is here against each text by itself in fp64: at most 1e-2 in bf16
models   nine models, two layers of their real width: texts packed against texts alone in fp32
host     what determinism costs, and whether two trainings give the same bits
speed    updates of 64 texts in every way: tokens a second, share of the peak, what the host takes
memory   bytes that a token's activations take, beside the estimate by which devices are planned
flash    how long each kernel takes on a batch of texts: flash-attn's, where it is installed, and torch's
cell     real cells end to end, to be held to the tracked ones
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import gpu_ways as ways
import torch
from torch import Tensor

from selu.runs import nvidia
from selu.systems.finetune import answers, batches, fit, models
from selu.systems.finetune.attention import kernels, packing
from selu.systems.finetune.attention.layout import Layout
from selu.systems.finetune.batches import Form
from selu.systems.finetune.cost import memory as estimates
from selu.systems.finetune.cost import peak_flops
from selu.systems.finetune.examples import Example
from selu.systems.finetune.job import Job
from selu.vocabulary import MachineError

BOUND = 1e-2  # relative error of a kernel in bf16
PACKAGES = ("torch", "triton", "transformers", "tokenizers", "deepspeed", "flash-attn", "pydantic")
ONES = ("bert-base", "roberta-base", "modernbert-base", "gpt2-xl", "llama3.2-1b", "codellama-7b",
        "starcoder2-3b", "t5-large", "mpnet")  # fmt: skip
# Most wanted first, so that what a loan leaves out is what is wanted least.
PLAN = (
    *((model, texts, way) for model in ("bert-base", "llama3.2-1b", "gpt2-xl", "codellama-7b", "gpt2-small")
      for texts in ways.TASKS for way in ("packed", "dynamic")),
    *((model, "issues", "full") for model in ("bert-base", "gpt2-xl", "llama3.2-1b")),
    *((model, "issues", way)
      for model in ("t5-large", "modernbert-base", "starcoder2-3b", "roberta-base", "mpnet")
      for way in ("packed", "dynamic")),
    *((model, "issues", way) for model in ("bert-base", "llama3.2-1b") for way in ("trainer", "zero2")),
)  # fmt: skip
SHORTEST = 25.0  # seconds that must be left for another measurement
# Heads, heads of keys, width, whether only what stands before is seen, and how far; dropout in training.
HEADS = {
    "bert": (12, 12, 64, False, None, 0.1),
    "modernbert-local": (12, 12, 64, False, 65, 0.0),
    "gpt2-xl": (25, 25, 64, True, None, 0.1),
    "llama3.2-1b": (32, 8, 64, True, None, 0.0),
    "codellama-7b": (32, 32, 128, True, None, 0.0),
    "starcoder2-3b": (24, 2, 128, True, 256, 0.1),
}


@dataclass(frozen=True)
class Loan:
    """What stages are given: a way to write a line, seconds that are left, and what is asked for."""

    say: Callable[..., None]
    left: Callable[[], float]
    root: Path
    device: torch.device
    asked: Any

    @property
    def tiny(self) -> bool:
        """Whether models and texts are small, to try the script."""
        return bool(self.asked.tiny)

    @property
    def name(self) -> str:
        """Name of the device."""
        return torch.cuda.get_device_name() if self.device.type == "cuda" else "cpu"

    @contextlib.contextmanager
    def line(self, stage: str, **fields: Any) -> Iterator[dict[str, Any]]:
        """Write what a measurement puts in as a line, or why it broke off."""
        found: dict[str, Any] = {}
        try:
            ways.release(self.device)
            yield found
        except Exception as error:  # one that fails must not take the rest of the loan with it
            found = {"error": f"{type(error).__name__}: {str(error)[:300]}"}
        self.say(stage, **fields, **found)


def facts(loan: Loan) -> None:
    """Versions, and how fast the card is at its best."""
    there = {}
    for name in PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            there[name] = metadata.version(name)
    driver = nvidia.read_driver().version
    loan.say(
        "facts", python=sys.version.split()[0], cuda=torch.version.cuda, driver=driver,
        cores=os.cpu_count(), versions=there, peak_flops=peak_flops(loan.name, "bf16"),
    )  # fmt: skip
    with loan.line("facts", what="ceilings") as found:
        size, long = (256, 1 << 20) if loan.tiny else (8192, 1 << 30)
        a, b = (torch.randn(size, size, device=loan.device, dtype=torch.bfloat16) for _ in range(2))
        found["tflops"] = 2 * size**3 / _seconds(loan, lambda: a @ b) / 1e12
        x = torch.randn(long, device=loan.device)
        y = torch.empty_like(x)
        found["copied_tb_a_second"] = 2 * x.numel() * 4 / _seconds(loan, lambda: y.copy_(x)) / 1e12


def _seconds(loan: Loan, what: Callable[[], Any], times: int = 10) -> float:
    for _ in range(3):
        what()
    began = ways.settle(loan.device)
    for _ in range(times):
        what()
    return (ways.settle(loan.device) - began) / times


def check_kernels(loan: Loan) -> None:
    """Compare outputs and gradients of each kernel with groups in fp64; test repeatability and dropout."""
    lengths = [40, 17, 17, 3, 1] if loan.tiny else [1500, 512, 511, 64, 9, 1]
    for shape, (heads, kv_heads, width, causal, window, dropout) in HEADS.items():
        torch.manual_seed(1)
        q, k, v, toward = (
            torch.randn(1, number, sum(lengths), width, device=loan.device, dtype=torch.bfloat16)
            for number in (heads, kv_heads, kv_heads, heads)
        )
        toward = toward.transpose(1, 2)
        attention = _Attention(lengths, loan.device, causal, window, (q, k, v), toward)
        wanted = attention.run(None, torch.float64)
        for name, kernel in _kernels(loan.device).items():
            with loan.line("kernels", shape=shape, kernel=name) as found:
                got = attention.run(kernel)
                errors = [error(x, w) for x, w in zip(got, wanted, strict=True)]
                found |= dict(zip(("out", "dq", "dk", "dv"), errors, strict=True))
                found["met"] = max(errors) <= BOUND
                again = [attention.run(kernel) for _ in range(3)]
                found["same_bits"] = all(
                    torch.equal(x, y) for each in again for x, y in zip(each, got, strict=True)
                )
            if dropout:
                with loan.line("kernels", shape=shape, kernel=name, dropout=dropout) as found:
                    ones = attention.with_inputs(q, k, torch.ones_like(v))
                    kept, same, other = (
                        ones.run(kernel, dropout=dropout, seed=s)[0].float() for s in (3, 3, 4)
                    )
                    found |= {"mean": float(kept.mean()), "spread": float(kept.std())}
                    found["same_seed_same"] = torch.equal(kept, same)
                    found["other_seed_same"] = torch.equal(kept, other)


def _kernels(device: torch.device) -> dict[str, kernels.Kernel | None]:
    """Each kernel that can be called here by its name; groups are none."""
    found: dict[str, kernels.Kernel | None] = {"groups": None}
    if device.type == "cuda":
        found["torch_flash"] = kernels.Kernel("torch_flash", kernels.of_torch)
        if (best := kernels.find()) is not None:
            found[best.name] = best
    return found


@dataclass(frozen=True)
class _Attention:
    """Attention of texts of these lengths, by whatever kernel."""

    lengths: Sequence[int]
    device: torch.device
    is_causal: bool
    window: int | None
    given: tuple[Tensor, Tensor, Tensor]
    toward: Tensor

    def with_inputs(self, *given: Tensor) -> _Attention:
        q, k, v = given
        return _Attention(self.lengths, self.device, self.is_causal, self.window, (q, k, v), self.toward)

    def run(
        self,
        kernel: kernels.Kernel | None,
        dtype: torch.dtype = torch.bfloat16,
        dropout: float = 0.0,
        seed: int = 3,
    ) -> list[Tensor]:
        """Return the output and the gradients of queries, keys and values."""
        mine = [x.detach().to(dtype).requires_grad_() for x in self.given]
        packing.use(Layout(self.lengths, self.device))
        torch.manual_seed(seed)
        with _by(kernel):
            scale = mine[0].shape[-1] ** -0.5
            out = packing.attention(self, *mine, None, scale, dropout, self.window)[0]
            return [out.detach(), *torch.autograd.grad(out, mine, self.toward.to(dtype))]


@contextlib.contextmanager
def _by(kernel: kernels.Kernel | None) -> Iterator[None]:
    found, kernels.find = kernels.find, lambda: kernel  # type: ignore[assignment]
    try:
        yield
    finally:
        kernels.find = found


def error(found: Tensor, wanted: Tensor) -> float:
    """Norm of the difference over the norm of what is wanted."""
    found, wanted = found.double(), wanted.double()
    return float((found - wanted).norm() / wanted.norm().clamp_min(1e-30))


def check_models(loan: Loan) -> None:
    """Logits and gradients of texts packed, in each precision, against texts one by one in fp32."""
    lengths = [40, 17, 3] if loan.tiny else [1500, 300, 300, 64, 9, 2]
    for name in (model for model in ONES if model in loan.asked.models):
        kind, shape, context = ways.shape_of(name, loan.tiny, layers=2)
        now = [min(length, context) for length in lengths]
        rows = [Example([3 + (7 * i + j) % 400 for i in range(n)], j % ways.LABELS) for j, n in enumerate(now)]
        config, wanted = ways.config_of(kind, shape, context), None
        for way, precision in {"alone": "fp32", "fp32": "fp32", "mixed": "mixed", "bf16": "bf16"}.items():
            with loan.line("models", model=name, way=way) as found:
                packed = way != "alone" and kind != "t5"  # which is padded
                got = _gradient(loan, config, rows, precision, packed, way == "alone")
                if wanted is None:
                    wanted, found["lengths"] = got, now
                    continue
                found["logits"] = error(got.pop(""), wanted[""])
                top = sum(float((got[name] - wanted[name]).double().norm()) ** 2 for name in got)
                low = sum(float(wanted[name].double().norm()) ** 2 for name in got)
                found["gradient"] = (top / low) ** 0.5


def _gradient(
    loan: Loan, config: Any, rows: Sequence[Example], precision: str, packed: bool, alone: bool
) -> dict[str, Tensor]:
    """Gradient of each parameter, and under no name the logits."""
    torch.manual_seed(5)
    network = ways.network_of(config, "fp32", loan.device, packed)
    network = network.to(models.DTYPES[precision]).eval()
    form = Form(packed, 0, loan.device, start=0 if config.model_type == "t5" else None)
    every = range(len(rows))
    logits = []
    for part in [[i] for i in every] if alone else [list(every)]:
        batch = batches.collate(rows, part, form, False)
        mixed = torch.autocast(loan.device.type, torch.bfloat16) if precision == "mixed" else None
        with mixed or contextlib.nullcontext():
            found = network(batch)
        wanted = answers.targets(rows, part, "multi_class", loan.device)
        answers.loss(found, wanted, "multi_class").backward()
        logits.append(found.detach().float())
    gradients = {n: p.grad.float() for n, p in network.named_parameters() if p.grad is not None}
    return {**gradients, "": torch.cat(logits)}


def check_host(loan: Loan) -> None:
    """Time the same updates without determinism, with it where there is a choice, and with nothing else."""
    kind, shape, context = ways.shape_of("bert-base", loan.tiny)
    sizes = [20 if loan.tiny else 40 + 3 * j for j in range(ways.BATCH)]
    rows = [Example([3 + i % 100 for i in range(n)], j % ways.LABELS) for j, n in enumerate(sizes)]

    def made() -> ways.Way:
        torch.manual_seed(1)
        budget = ways.engine.BUDGET[loan.device.type]
        return ways.Way(kind, shape, context, "packed", "bf16", loan.device, budget)

    def trained() -> list[Tensor]:
        way = made()
        torch.manual_seed(2)
        for _ in range(3):
            way.update(rows)
        return [parameter.detach().clone() for parameter in way.machine.network.parameters()]

    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    for label, (on, warn) in {"off": (False, False), "warn only": (True, True), "on": (True, False)}.items():
        with loan.line("host", determinism=label, cublas=os.environ.get("CUBLAS_WORKSPACE_CONFIG")) as found:
            torch.use_deterministic_algorithms(on, warn_only=warn)
            way, took = made(), []
            for number in range(5 if loan.tiny else 25):
                began = ways.settle(loan.device)
                way.update(rows)
                if number >= 2:
                    took.append(ways.settle(loan.device) - began)
            found["ms"] = 1e3 * statistics.median(took)
            found["same_bits"] = all(torch.equal(x, y) for x, y in zip(trained(), trained(), strict=True))
    torch.use_deterministic_algorithms(False)


def measure_speed(loan: Loan) -> None:
    """Time updates in every requested way, most wanted first, until no time is left."""
    asked = loan.asked
    for model, texts, way in PLAN:
        if model not in asked.models or texts not in asked.texts or way not in asked.ways:
            continue
        if loan.left() < SHORTEST:
            loan.say("speed", stopped=f"no time is left from {model}, {texts}, {way} on")
            return
        with loan.line("speed", model=model, texts=texts, way=way, precision=asked.precision) as found:
            kind, shape, context = ways.shape_of(model, loan.tiny)
            count = ways.BATCH * asked.updates
            rows = ways.texts(loan.root, ways.TASKS[texts], context, count, shape.vocabulary)
            made_of = (kind, shape, context, way, asked.precision, loan.device)
            found |= ways.measured(made_of, rows, loan.name, asked.seconds)
            target = next(share for least, share in ways.TARGETS if shape.parameters >= least)
            used = found.get("utilisation")
            found |= {"target": target, "met": None if used is None else used >= target}


def measure_memory(loan: Loan) -> None:
    """Measure the activation memory of a token at two sizes, so that the constant part cancels."""
    if loan.device.type != "cuda":
        loan.say("memory", skipped="bytes of a card are counted on a card alone")
        return
    for model in ("bert-base", "gpt2-xl", "llama3.2-1b", "codellama-7b"):
        for again in (False, True):
            with loan.line("memory", model=model, checkpointed=again) as found:
                kind, shape, context = ways.shape_of(model, loan.tiny)
                budget = ways.engine.BUDGET["cuda"]
                way = ways.Way(kind, shape, context, "packed", "bf16", loan.device, budget)
                way.machine.network.recompute(again)
                sizes = (context // 2, context) if context > 2000 else (4 * context, 8 * context)
                (few, smaller), (many, larger) = ((size, _held(way, size, context, loan)) for size in sizes)
                found["bytes_a_token"] = (larger - smaller) / (many - few)
                found["estimate"] = estimates.activations(shape, "bf16", checkpointed=again)
                found["peak_gib"] = torch.cuda.max_memory_allocated() / 2**30


def _held(way: ways.Way, tokens: int, context: int, loan: Loan) -> int:
    """Bytes between a micro-batch's forward and backward pass; of the second of two, when all is warm."""
    length = min(tokens, context)
    rows = [Example([5] * length, 0) for _ in range(max(1, tokens // length))]
    batch = batches.collate(rows, range(len(rows)), way.form, False)
    held = 0
    for _ in range(2):
        ways.release(loan.device)
        availability = torch.cuda.memory_allocated()
        wanted = answers.targets(rows, range(len(rows)), "multi_class", loan.device)
        loss = answers.loss(way.machine.network(batch), wanted, "multi_class")
        held = torch.cuda.memory_allocated() - availability
        loss.backward()
        way.machine.clear()
    return held


def time_kernels(loan: Loan) -> None:
    """How long the attention of a micro-batch takes by each kernel, with its gradients."""
    lengths = [20 - i for i in range(8)] if loan.tiny else [1000 - 15 * i for i in range(64)]
    for shape, (heads, kv_heads, width, causal, window, _) in HEADS.items():
        torch.manual_seed(1)
        q, k, v, toward = (
            torch.randn(1, number, sum(lengths), width, device=loan.device, dtype=torch.bfloat16)
            for number in (heads, kv_heads, kv_heads, heads)
        )
        attention = _Attention(lengths, loan.device, causal, window, (q, k, v), toward.transpose(1, 2))
        for name, kernel in _kernels(loan.device).items():
            with loan.line("flash", shape=shape, kernel=name, tokens=sum(lengths)) as found:
                found["ms"] = 1e3 * _seconds(
                    loan, lambda by=kernel, inputs=attention: inputs.run(by), 3 if loan.tiny else 10
                )


def train_cells(loan: Loan) -> None:
    """Each job of the folder as ``selu run`` trains it, from the weights in ``model`` beside the jobs."""
    paths = sorted(Path(loan.asked.jobs).glob("*.json"))
    if not paths:
        raise MachineError(f"{loan.asked.jobs} holds no job: 'make loan' writes them.")
    for path in paths:
        if loan.left() < 2 * SHORTEST:
            loan.say("cell", stopped=f"no time is left from {path.stem} on")
            return
        with loan.line("cell", job=path.stem) as found:
            record = json.loads(path.read_text("utf-8"))
            record["model"]["folder"] = str(path.parent / "model")
            scratch = Path(loan.asked.jobs) / "scratch" / path.stem
            began = ways.settle(loan.device)
            outcome = fit.fit(Job.from_json(record), scratch, lambda _: None, 1e9)
            shutil.rmtree(scratch, ignore_errors=True)
            found |= {"seconds": ways.settle(loan.device) - began, "steps": outcome.steps, "used": outcome.used}
            found |= {"history": outcome.history, "answers": outcome.answers, "cost": outcome.cost}


STAGES = {
    "facts": facts,
    "kernels": check_kernels,
    "models": check_models,
    "host": check_host,
    "speed": measure_speed,
    "memory": measure_memory,
    "flash": time_kernels,
    "cell": train_cells,
}
