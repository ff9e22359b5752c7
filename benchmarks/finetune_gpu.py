"""Fine-tuning at full size on a GPU: tokens per second, share of its peak, memory, and padding's price.

Models of the sizes that the paper fine-tunes, their weights drawn at random, take real updates of 64 texts with
the network, layout, engine and optimizer of ``selu run``. The texts are random tokens whose lengths are drawn
from the tracked lengths of two tasks. The ways:

    packed   texts without padding, as ``selu run`` lays them
    dynamic  micro-batches of texts of like length, padded to the longest of each
    full     every text padded to the length of the authors' scripts
    zero2    packed, in DeepSpeed with ZeRO stage 2 on this one card (bf16 weights have fp32 masters then)

Counted are operations on useful tokens alone (``cost_shape``), so that padding earns nothing. Where memory is
short the micro-batch is halved, as in training. Prints a table, and writes it as JSON with ``--out``; rows that
stand there from the same device, precision and versions are kept where they are not measured anew.

    python benchmarks/finetune_gpu.py --out                   docs/measurements/finetune_gpu.<device>.json
    python benchmarks/finetune_gpu.py --models bert-base --ways packed full
    python benchmarks/finetune_gpu.py --tiny                  a trial of the script on any machine
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib.util
import json
import os
import random
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Any

import torch

from selu import registry
from selu.cost import texts as costing_texts
from selu.cost import training
from selu.files import to_json
from selu.project import find_root, read_knobs
from selu.systems.finetune import answers, batches, engine, models, packing
from selu.systems.finetune.batches import Form
from selu.systems.finetune.cost import Meter, peak_flops
from selu.systems.finetune.cost.profiles import ProfileKnobs
from selu.systems.finetune.cost.shape import Shape
from selu.systems.finetune.examples import Example
from selu.systems.finetune.zero import TooLargeError
from selu.vocabulary import MachineError

BATCH, RATE, LABELS = 64, 1e-5, 3
SMALLEST = 64  # tokens of a micro-batch, below which nothing is tried
# Model -> architecture, and tokens that the authors' final scripts pad to.
MODELS = {
    "bert-base": ("bert", 512),
    "gpt2-xl": ("gpt2", 1024),
    "llama3.2-1b": ("llama", 8192),
    "codellama-7b": ("llama", 8192),
}
TASKS = {"issues": "story_points", "comments": "comment_type_python"}
WAYS = ("packed", "dynamic", "full", "zero2")
TARGETS = ((1e9, 0.4), (0, 0.3))  # from so many parameters on, this share of the peak
_SMALL = Shape(2, 64, 4, 4, 16, 128, 512)
PARAMS = {"clip": 1.0, "weight_decay": 0.01, "learning_rate": RATE}


def config_of(kind: str, shape: Shape, context: int) -> Any:
    """A configuration of the model library with these sizes."""
    from transformers import BertConfig, GPT2Config, LlamaConfig

    own = {"vocab_size": shape.vocabulary, "num_labels": LABELS, "pad_token_id": 0}
    if kind == "gpt2":
        sizes = {"n_embd": shape.width, "n_layer": shape.layers, "n_head": shape.heads}
        return GPT2Config(**sizes, n_positions=context, bos_token_id=1, eos_token_id=2, **own)
    sizes = {
        "hidden_size": shape.width,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "intermediate_size": shape.intermediate,
        "max_position_embeddings": context,
    }
    if kind == "bert":
        return BertConfig(**sizes, **own)
    more = {"num_key_value_heads": shape.kv_heads, "head_dim": shape.head_width}
    return LlamaConfig(**sizes, **more, **own)


def network_of(config: Any, precision: str, device: torch.device, packed: bool) -> models.Network:
    """A network with random weights and the library's head, made on its device."""
    import transformers

    packing.register()
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    with device:
        model = transformers.AutoModelForSequenceClassification.from_config(
            config, dtype=dtype, attn_implementation=packing.NAME if packed else "sdpa"
        )
    return models.Network(model, models.Shape("multi_class", LABELS, "library", 0.1), packed).train()


class Way:
    """One way to take updates of one model."""

    def __init__(
        self,
        kind: str,
        shape: Shape,
        context: int,
        way: str,
        precision: str,
        device: torch.device,
        budget: int,
    ) -> None:
        """``budget``: tokens of a micro-batch at most."""
        self.packed = way in ("packed", "zero2")
        self.width = context if way == "full" else None
        network = network_of(config_of(kind, shape, context), precision, device, self.packed)
        params = {**PARAMS, "precision": precision}
        if way == "zero2":
            from selu.systems.finetune import sharded, zero

            os.environ.setdefault("LOCAL_RANK", "0")  # DeepSpeed asks for it even of one process
            sharded.join(device)
            self.machine: Any = zero.ZeRO2(network, params, device)
        else:
            self.machine = engine.Engine(network, params, device)
        self.machine.budget = min(budget, self.machine.budget)
        self.form = Form(self.packed, 0, device, width=self.width)
        dtype = torch.float32 if precision == "fp32" else torch.bfloat16
        self.attention = packing.kernel_name(device.type, dtype) if self.packed else "sdpa"

    def update(self, rows: list[Example]) -> int:
        """An update on these texts, however small the micro-batch has to be; returns the tokens computed.

        Raises:
            MachineError: the smallest micro-batch is too much, or a sharded training needs a smaller one.
        """
        while True:
            try:
                return self._try(rows)
            except torch.OutOfMemoryError:
                self.machine.halve()

    def _try(self, rows: list[Example]) -> int:
        computed = 0
        lengths = [self.width or len(row.ids) for row in rows]
        mine = self.machine.mine(range(len(rows)), lengths)  # sharded, it counts the micro-batches to come
        for part in batches.cut(lengths, mine, self.machine.budget, self.packed):
            batch = batches.lay(rows, part, self.form, False)
            wanted = answers.targets(rows, part, "multi_class", self.form.device)
            with self.machine.arithmetic():
                logits = self.machine.network(batch)
            self.machine.backward(answers.loss(logits, wanted, "multi_class") / len(rows))
            computed += batch.computed
        self.machine.update(RATE)
        return computed


def texts(root: Path, task: str, context: int, count: int, vocabulary: int) -> list[Example]:
    """Random tokens whose lengths follow the tracked ones of a task."""
    assumed = read_knobs(root, "shared", "profiles", ProfileKnobs).assumed
    record = next(one for one in registry.tasks("selu") if one.id == task)
    found = costing_texts.count_texts(root, record, "paper", assumed)
    _, lengths, _ = costing_texts.count_tokens(found, record, assumed.subwords, context)
    draw = random.Random(f"{task} {context}")
    return [
        Example([draw.randrange(3, vocabulary) for _ in range(draw.choice(lengths))], draw.randrange(LABELS))
        for _ in range(count)
    ]


def measure(
    way: Way, rows: list[Example], shape: Shape, device: str, precision: str, most: float
) -> dict[str, Any]:
    """Cost of the updates after a warm-up of as many, each part cut short once it took ``most`` seconds."""

    def settle() -> float:
        if way.form.device.type == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter()

    updates = [rows[i : i + BATCH] for i in range(0, len(rows), BATCH)]
    until = settle() + most
    way.update(rows[:8])
    for update in updates:
        if settle() < until:
            way.update(update)
    until = settle() + most
    meter = Meter(shape, device, peak_flops(device, precision))
    for number, update in enumerate(updates):
        if number == 0 or settle() < until:
            meter.add([len(row.ids) for row in update], way.update(update), True)
    settle()
    cost = meter.result()
    return {
        "tokens_per_second": cost["useful_tokens"] / cost["seconds"],
        "useful_share": cost["useful_tokens"] / cost["computed_tokens"],
        "micro_batch_tokens": way.machine.budget,
        "attention": way.attention,
        **cost,
    }


def rows_of(chosen: argparse.Namespace, root: Path, device: torch.device, name: str) -> list[dict[str, Any]]:
    """All measurements, one after another; one that breaks off is a row with its error."""
    found = []
    for model in chosen.models:
        kind, context = MODELS[model]
        shape = training.shapes()[model]
        if chosen.tiny:
            context = 64
            shape = replace(_SMALL, gated=shape.gated, positions=shape.positions and 64, pooler=shape.pooler)
        target = next(share for least, share in TARGETS if shape.parameters >= least)
        for label in chosen.texts:
            rows = texts(root, TASKS[label], context, BATCH * chosen.updates, shape.vocabulary)
            for way in chosen.ways:
                one = {"model": model, "parameters": shape.parameters, "texts": label, "way": way}
                one |= measured(
                    (kind, shape, context, way, chosen.precision, device), rows, name, chosen.seconds
                )
                used = one.get("utilisation")
                found.append({**one, "target": target, "met": None if used is None else used >= target})
                print(line(found[-1]), flush=True)
    return found


def measured(made_of: Any, rows: list[Example], name: str, most: float) -> dict[str, Any]:
    """One measurement, begun again with half the micro-batch where a sharded one needs that; or its error."""
    _, shape, _, _, precision, device = made_of
    budget = engine.BUDGET[device.type]
    while budget >= SMALLEST:
        release(device)
        try:
            return measure(Way(*made_of, budget), rows, shape, name, precision, most)
        except torch.OutOfMemoryError:
            break
        except TooLargeError:
            budget //= 2
        except MachineError as error:
            release(device)
            return {"error": str(error)}
    release(device)
    return {"error": "out of memory"}


def release(device: torch.device) -> None:
    """Give back what an earlier network held, and forget its peak."""
    gc.collect()
    if device.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()


def kept(path: Path, record: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows of an earlier measurement that this one leaves alone."""
    if not path.is_file():
        return []
    old = json.loads(path.read_text("utf-8"))
    same = all(old.get(name) == record[name] for name in ("device", "precision", "tiny", "versions"))

    def place(row: dict[str, Any]) -> tuple[str, str, str]:
        return row["model"], row["texts"], row["way"]

    new = {place(row) for row in record["rows"]}
    return [row for row in old["rows"] if place(row) not in new] if same else []


def line(one: dict[str, Any]) -> str:
    """A measurement as a line of the table."""
    head = f"{one['model']:13} {one['texts']:9} {one['way']:7}"
    if "error" in one:
        return f"{head} {one['error']}"
    used = "      -" if one["utilisation"] is None else f"{one['utilisation']:7.1%}"
    memory = one["peak_memory_bytes"] / 2**30
    speed, share, budget = one["tokens_per_second"], one["useful_share"], one["micro_batch_tokens"]
    return f"{head} {speed:12,.0f} {used} {share:7.1%} {memory:7.1f} GiB {budget:7} {one['attention']}"


def arguments(given: Sequence[str] | None) -> argparse.Namespace:
    """What is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--texts", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--ways", nargs="+", choices=WAYS, help="by default all that can be had here")
    parser.add_argument("--precision", choices=("bf16", "mixed", "fp32"), default="bf16")
    parser.add_argument("--updates", type=int, help="of 64 texts, after as many to warm up (8; 1 if tiny)")
    parser.add_argument("--seconds", type=float, default=5.0, help="after which a measurement is cut short")
    parser.add_argument("--tiny", action="store_true", help="tiny models, to try the script")
    parser.add_argument("--out", nargs="?", const="", help="write JSON, by default to docs/measurements")
    chosen = parser.parse_args(given)
    chosen.updates = chosen.updates or (1 if chosen.tiny else 8)
    deepspeed = importlib.util.find_spec("deepspeed") is not None
    if not chosen.ways:
        chosen.ways = list(WAYS) if deepspeed and not chosen.tiny else list(WAYS[:-1])
    elif "zero2" in chosen.ways and not deepspeed:
        parser.error("--ways zero2 takes DeepSpeed, which is not installed: 'make finetune-environment'.")
    return chosen


def main(given: Sequence[str] | None = None) -> None:
    """Measure, print, write."""
    chosen = arguments(given)
    if not (chosen.tiny or torch.cuda.is_available()):
        sys.exit("No GPU is at hand: --tiny tries the script on the processor.")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    name = torch.cuda.get_device_name() if device.type == "cuda" else "cpu"
    root = find_root(Path(__file__).parent)
    packages = ("torch", "transformers", "deepspeed", "flash-attn")
    versions = {}
    for package in packages:
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    record = {
        "device": name,
        "peak_flops": peak_flops(name, chosen.precision),
        "precision": chosen.precision,
        "tiny": chosen.tiny,
        "date": str(date.today()),
        "versions": versions,
    }
    print(f"# {json.dumps(record)}")
    print(
        "model         texts     way     useful tok/s  of peak  useful      memory  budget attention",
        flush=True,
    )
    record["rows"] = rows_of(chosen, root, device, name)
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
    if chosen.out is not None:
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        default = root / "docs" / "measurements" / f"finetune_gpu.{slug}.json"
        path = Path(chosen.out) if chosen.out else default
        record["rows"] = kept(path, record) + record["rows"]
        path.write_text(to_json(record), "utf-8")
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
