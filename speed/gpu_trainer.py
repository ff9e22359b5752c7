"""The model library's own trainer on the same updates of 64 texts: what training without this project takes.

Batches are grouped by length and padded to their longest text (``group_by_length``), attention is torch's
scaled dot product, weights are fp32 and computed with in bf16. Of two epochs the second one is measured.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

import torch
import transformers
from torch import Tensor

from selu.systems.finetune.cost import Meter, peak_flops
from selu.systems.finetune.cost.shape import Shape
from selu.systems.finetune.examples import Example


class _Padding:
    """Batches padded to their longest text; counts the tokens that this makes."""

    def __init__(self) -> None:
        self.computed = 0

    def __call__(self, rows: Sequence[dict[str, Any]]) -> dict[str, Tensor]:
        longest = max(len(row["input_ids"]) for row in rows)
        ids, mask = torch.zeros(2, len(rows), longest, dtype=torch.int64)
        for number, row in enumerate(rows):
            length = len(row["input_ids"])
            ids[number, :length] = torch.tensor(row["input_ids"])
            mask[number, :length] = 1
        self.computed += ids.numel()
        return {
            "input_ids": ids,
            "attention_mask": mask,
            "labels": torch.tensor([row["labels"] for row in rows]),
        }


class _Clock(transformers.TrainerCallback):  # type: ignore[misc]
    """The time after each update, and a meter of the second epoch."""

    def __init__(self, settle: Callable[[], float], meter: Callable[[], Meter], updates: int) -> None:
        self._settle, self._meter, self._updates = settle, meter, updates
        self.times: list[float] = []

    def on_step_end(self, _args: Any, state: Any, _control: Any, **_: Any) -> None:
        """Note the time; the trainer calls this after each update."""
        self.times.append(self._settle())
        if state.global_step == self._updates:
            self.meter = self._meter()
        if state.global_step == 2 * self._updates:
            self.seconds = self.times[-1] - self.times[self._updates - 1]


def measure(
    config: Any,
    shape: Shape,
    rows: Sequence[Example],
    together: int,
    settle: Callable[[], float],
    device: str,
) -> dict[str, Any]:
    """Measure the updates as ``gpu_ways.measure`` does.

    Args:
        together: texts of a micro-batch, a divisor of 64.
        settle: waits for the device and returns the time.
        device: its name, or cpu.
    """
    on_cpu, batch = device == "cpu", 64
    updates, padding = len(rows) // batch, _Padding()
    clock = _Clock(settle, lambda: Meter(shape, device, peak_flops(device, "bf16")), updates)
    attention = "eager" if config.model_type == "mpnet" else "sdpa"
    model = transformers.AutoModelForSequenceClassification.from_config(
        config, dtype=torch.float32, attn_implementation=attention
    )
    with tempfile.TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            output_dir=folder, per_device_train_batch_size=together, num_train_epochs=2, bf16=True,
            gradient_accumulation_steps=batch // together, train_sampling_strategy="group_by_length",
            learning_rate=1e-5, lr_scheduler_type="constant", weight_decay=0.01, max_grad_norm=1.0,
            optim="adamw_torch_fused", save_strategy="no", logging_strategy="no", report_to="none",
            disable_tqdm=True, use_cpu=on_cpu, seed=1,
        )  # fmt: skip
        lesson = [{"input_ids": row.ids, "labels": row.target} for row in rows]
        trainer = transformers.Trainer(
            model=model, args=arguments, train_dataset=lesson, data_collator=padding, callbacks=[clock]
        )
        trainer.train()
    computed = padding.computed // 2
    clock.meter.add([len(row.ids) for row in rows], computed, True)
    took = [after - before for before, after in zip(clock.times, clock.times[1:], strict=False)][updates - 1 :]
    cost = clock.meter.result()
    return {
        "updates": updates,
        "ms": 1e3 * statistics.median(took),
        "tokens_per_second": cost["useful_tokens"] / clock.seconds,
        "useful_share": cost["useful_tokens"] / computed,
        "micro_batch_texts": together,
        "attention": attention,
        "arithmetic": "bf16 on fp32 weights",
        **cost,
    }
