"""Models of the paper at their sizes, their weights drawn at random, taking real updates in different ways.

Network, layout, engine and optimizer are those of ``selu run``. Texts are random tokens whose lengths are drawn
from the tracked lengths of two tasks. The ways:

    packed   texts without padding, as ``selu run`` lays them
    dynamic  micro-batches of texts of like length, padded to the longest of each
    full     every text padded to the length of the authors' scripts
    zero2    packed, in DeepSpeed with ZeRO stage 2 on this one card
    trainer  the model library's own trainer, batches grouped by length (``gpu_trainer``)

Counted are operations on useful tokens alone (``Shape.flops``), so that padding earns nothing. Where memory is
short the micro-batch is halved, as in training.
"""

from __future__ import annotations

import gc
import os
import random
import statistics
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from selu import registry
from selu.cost import pace
from selu.cost import texts as costing_texts
from selu.project import read_settings
from selu.systems.finetune import answers, batches, models
from selu.systems.finetune.attention import packing
from selu.systems.finetune.batches import Form
from selu.systems.finetune.cost import Meter, peak_flops
from selu.systems.finetune.cost.profiles import ProfileSettings
from selu.systems.finetune.cost.shape import Shape
from selu.systems.finetune.engines import engine, masters
from selu.systems.finetune.engines.zero import TooLargeError
from selu.systems.finetune.examples import Example
from selu.vocabulary import MachineError

BATCH, RATE, LABELS = 64, 1e-5, 3
SMALLEST = 64  # tokens of a micro-batch, below which nothing is tried
# Model -> architecture, and tokens that the authors' final scripts pad to.
MODELS = {
    "bert-base": ("bert", 512),
    "llama3.2-1b": ("llama", 8192),
    "gpt2-xl": ("gpt2", 1024),
    "codellama-7b": ("llama", 8192),
    "gpt2-small": ("gpt2", 1024),
    "t5-large": ("t5", 512),
    "modernbert-base": ("modernbert", 8192),
    "starcoder2-3b": ("starcoder2", 8192),
    "roberta-base": ("roberta", 512),
    "mpnet": ("mpnet", 512),
}
TASKS = {"issues": "story_points", "comments": "comment_type_python"}
WAYS = ("packed", "dynamic", "full", "zero2", "trainer")
TARGETS = ((5e9, 0.45), (1e9, 0.4), (0, 0.3))  # from so many parameters on, this share of the peak
_SMALL = Shape(2, 64, 4, 4, 16, 128, 512)
PARAMS = {"clip": 1.0, "weight_decay": 0.01, "learning_rate": RATE}


def config_of(kind: str, shape: Shape, context: int) -> Any:
    """Return a configuration of the model library with these sizes."""
    import transformers

    own = {"vocab_size": shape.vocabulary, "num_labels": LABELS, "pad_token_id": 0}
    if kind == "gpt2":
        sizes = {"n_embd": shape.width, "n_layer": shape.layers, "n_head": shape.heads}
        return transformers.GPT2Config(**sizes, n_positions=context, bos_token_id=1, eos_token_id=2, **own)
    if kind == "t5":
        sizes = {"d_model": shape.width, "d_kv": shape.head_width, "d_ff": shape.intermediate}
        sizes |= {"num_layers": shape.layers, "num_heads": shape.heads}
        return transformers.T5Config(**sizes, decoder_start_token_id=0, eos_token_id=1, **own)
    sizes = {
        "hidden_size": shape.width,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "intermediate_size": shape.intermediate,
        "max_position_embeddings": context + 2 * (kind in ("roberta", "mpnet")),
    }
    encoders = {
        "bert": transformers.BertConfig,
        "roberta": transformers.RobertaConfig,
        "mpnet": transformers.MPNetConfig,
    }
    if kind in encoders:
        return encoders[kind](**sizes, **own)
    if kind == "modernbert":
        ends = {"cls_token_id": 1, "sep_token_id": 2, "bos_token_id": 1, "eos_token_id": 2}
        return transformers.ModernBertConfig(**sizes, **own, **ends, classifier_pooling="mean")
    decoder: dict[str, Any] = {"num_key_value_heads": shape.kv_heads, "use_cache": False}
    if kind == "starcoder2":
        ends = {"bos_token_id": 1, "eos_token_id": 2}
        return transformers.Starcoder2Config(**sizes, **decoder, **own, **ends, sliding_window=shape.window)
    return transformers.LlamaConfig(**sizes, **decoder, head_dim=shape.head_width, **own)


def network_of(config: Any, precision: str, device: torch.device, packed: bool) -> models.Network:
    """Build a network with random weights and the library's head on its device."""
    import transformers

    packing.register()
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    padded = "eager" if config.model_type == "mpnet" else "sdpa"  # the library has no other for MPNet
    with device:
        model = transformers.AutoModelForSequenceClassification.from_config(
            config, dtype=dtype, attn_implementation=packing.NAME if packed else padded
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
        self.packed = way in ("packed", "zero2") and kind != "t5"
        self.width = context if way == "full" else None
        network = network_of(config_of(kind, shape, context), precision, device, self.packed)
        params = {**PARAMS, "precision": precision}
        if way == "zero2":
            from selu.systems.finetune.engines import zero

            os.environ.setdefault("LOCAL_RANK", "0")  # DeepSpeed asks for it even of one process
            zero.join(device)
            self.machine: Any = zero.ZeRO2(network, params, device)
        else:
            made_of = masters.Masters if precision == "bf16" else engine.Engine
            self.machine = made_of(network, params, device)
        self.machine.budget = min(budget, self.machine.budget)
        self.form = Form(self.packed, 0, device, start=0 if kind == "t5" else None, width=self.width)
        dtype = torch.float32 if precision == "fp32" else torch.bfloat16
        self.attention = packing.kernel_name(device.type, dtype) if self.packed else "sdpa"
        if kind == "mpnet":  # no kernel takes its bias
            self.attention = "groups" if self.packed else "eager"

    def update(self, rows: list[Example]) -> int:
        """Make one update on these texts, with as small a micro-batch as needed; return the tokens computed.

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
            batch = batches.collate(rows, part, self.form, False)
            wanted = answers.targets(rows, part, "multi_class", self.form.device)
            with self.machine.arithmetic():
                logits = self.machine.network(batch)
            self.machine.backward(answers.loss(logits, wanted, "multi_class") / len(rows))
            computed += batch.computed
        self.machine.update(RATE)
        return computed


def lengths_of(root: Path, task: str, context: int) -> list[int]:
    """Tokens of each text of a task, from its tracked counts of words.

    Raises:
        MachineError: all are alike, since the counts are not here: nothing measured so would be of that task.
    """
    assumed = read_settings(root, "shared", "profiles", ProfileSettings).assumed
    record = next(known for known in registry.tasks("selu") if known.id == task)
    found = costing_texts.count_texts(root, record, "paper", assumed)
    lengths = list(costing_texts.count_tokens(found, record, assumed.subwords, context).lengths)
    if len(set(lengths)) < 2:
        raise MachineError(f"all texts of {task} are alike: bring reports/selu/data/{task} here ('make loan').")
    return lengths


def texts(root: Path, task: str, context: int, count: int, vocabulary: int) -> list[Example]:
    """Random tokens whose lengths follow the tracked ones of a task."""
    lengths = lengths_of(root, task, context)
    draw = random.Random(f"{task} {context}")
    return [
        Example([draw.randrange(3, vocabulary) for _ in range(draw.choice(lengths))], draw.randrange(LABELS))
        for _ in range(count)
    ]


def shape_of(model: str, tiny: bool, layers: int | None = None) -> tuple[str, Shape, int]:
    """Architecture, sizes and context of a model; ``tiny`` is as deep as it takes to try a script."""
    kind, context = MODELS[model]
    shape = pace.shapes()[model]
    if tiny:
        context, narrow = 64, 2 if shape.kv_heads < shape.heads else 4
        shape = replace(
            shape, layers=2, width=64, heads=4, kv_heads=narrow, head_width=16, intermediate=128,
            vocabulary=512,
            positions=shape.positions and context, window=shape.window and 8,
        )  # fmt: skip
    if layers is not None:
        shape = replace(shape, layers=layers)
    if shape.decoder_layers:
        shape = replace(shape, decoder_layers=shape.layers)
    return kind, shape, context


def settle(device: torch.device) -> float:
    """Wait for what the card still computes; returns the time."""
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def measure(
    way: Way, rows: list[Example], shape: Shape, device: str, precision: str, most: float
) -> dict[str, Any]:
    """Cost of updates of 64 texts after a warm-up of as many, each cut short once it took ``most`` seconds.

    ``ms`` is the median of an update, ``host_ms`` of the time until all that is to be computed is handed out.
    """
    here = way.form.device
    updates = [rows[i : i + BATCH] for i in range(0, len(rows), BATCH)]
    until = settle(here) + most
    way.update(rows[:8])
    for update in updates:
        if settle(here) < until:
            way.update(update)
    until = settle(here) + most
    meter = Meter(shape, device, peak_flops(device, precision))
    took, host = [], []
    for number, update in enumerate(updates):
        began = settle(here)
        if number and began > until:
            break
        meter.add([len(row.ids) for row in update], way.update(update), True)
        host.append(time.perf_counter() - began)
        took.append(settle(here) - began)
    cost = meter.result()
    return {
        "updates": len(took),
        "ms": 1e3 * statistics.median(took),
        "host_ms": 1e3 * statistics.median(host),
        "tokens_per_second": cost["useful_tokens"] / sum(took),
        "useful_share": cost["useful_tokens"] / cost["computed_tokens"],
        "micro_batch_tokens": way.machine.budget,
        "attention": way.attention,
        **cost,
    }


def measured(made_of: Any, rows: list[Example], name: str, most: float) -> dict[str, Any]:
    """One measurement, begun again with half the micro-batch where a sharded one needs that; or its error."""
    kind, shape, context, way, precision, device = made_of
    if way == "trainer":
        return _by_the_trainer(config_of(kind, shape, context), shape, rows, name, device)
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


def _by_the_trainer(
    config: Any, shape: Shape, rows: list[Example], name: str, device: torch.device
) -> dict[str, Any]:
    """Measure the library's trainer, with half as many texts at once as long as memory is short."""
    import gpu_trainer

    together = BATCH
    while together:
        release(device)
        try:
            return gpu_trainer.measure(config, shape, rows, together, lambda: settle(device), name)
        except torch.OutOfMemoryError:
            together //= 2
    return {"error": "out of memory"}


def release(device: torch.device) -> None:
    """Give back what an earlier network held, and forget its peak."""
    gc.collect()
    if device.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
