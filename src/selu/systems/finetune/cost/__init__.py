"""The cost of a training: tokens, arithmetic, time, memory, and the share of a device's peak it uses."""

from __future__ import annotations

import contextlib
import resource
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from selu.systems.finetune.cost.devices import peak_flops as peak_flops
from selu.systems.finetune.cost.shape import Shape, from_config
from selu.vocabulary import SeluError

_STATUS, _REFERENCES = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def shape_of(config: Mapping[str, object], decoder: bool = True) -> Shape | None:
    """Return the shape that a model's configuration declares, or None for an architecture that isn't known.

    Args:
        decoder: False where an encoder-decoder's encoder works alone (token labels).
    """
    try:
        shape = from_config(config)
    except SeluError:
        return None
    return shape if decoder else shape.without_decoder()


class Meter:
    """Counts from its making on; ``state`` and ``restore`` carry the counts over an interruption.

    Args:
        shape: of the model, or None where it isn't known: then operations and utilisation are None.
        device: ``cpu``, or the name of the GPU that this process computes on.
        peak: operations per second of the device, or None where they aren't known.
    """

    def __init__(self, shape: Shape | None, device: str, peak: float | None) -> None:
        self._shape, self._device, self._peak = shape, device, peak
        self._counts = {"useful_tokens": 0, "computed_tokens": 0, "flops": 0}
        self._before: Mapping[str, Any] = {}
        forget_peak(device)
        self._started, self._cpu = time.monotonic(), time.process_time()

    def restore(self, state: Mapping[str, object]) -> None:
        """Continue from another meter's counts."""
        self._before = dict(state)

    def add(self, lengths: Iterable[int], computed_tokens: int, backward: bool, asked: int = 0) -> None:
        """Count a micro-batch.

        Args:
            lengths: tokens of each text, without padding.
            computed_tokens: tokens that the layers computed, with padding.
            backward: whether gradients were computed too.
            asked: tokens for which the whole vocabulary was scored (masked verbs).
        """
        lengths = list(lengths)
        self._counts["useful_tokens"] += sum(lengths)
        self._counts["computed_tokens"] += computed_tokens
        if self._shape is not None:
            self._counts["flops"] += self._shape.flops(lengths, backward=backward, asked=asked)

    def state(self) -> dict[str, float]:
        """Return the counts so far, as plain numbers."""
        spent = {"seconds": time.monotonic() - self._started, "cpu": time.process_time() - self._cpu}
        found = {name: self._before.get(name, 0) + value for name, value in (spent | self._counts).items()}
        most = max(self._before.get("peak_memory_bytes", 0), peak_memory(self._device))
        return {**found, "peak_memory_bytes": most}

    def result(self, others: Sequence[Mapping[str, float]] = ()) -> dict[str, float | None]:
        """Return the cost of the training, for ``Outcome.cost``.

        Memory is that of the fullest device, time that of the slowest process, everything else the sum.

        Args:
            others: ``state`` of the processes beside this one.
        """
        states, most = [self.state(), *others], ("seconds", "peak_memory_bytes")
        cost = {name: (max if name in most else sum)(state[name] for state in states) for name in states[0]}
        flops = None if self._shape is None else cost["flops"]
        possible = None if self._peak is None else cost["seconds"] * self._peak * len(states)
        used = flops / possible if flops is not None and possible else None
        return {**cost, "flops": flops, "utilisation": used}


def peak_memory(device: str) -> int:
    """Read bytes at most: resident memory of this process on a CPU, memory that tensors took on a GPU."""
    if device != "cpu":
        import torch

        return int(torch.cuda.max_memory_allocated())
    try:
        lines = _STATUS.read_text().splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def forget_peak(device: str) -> None:
    """Reset the peak of memory, if possible: a worker trains one model after another."""
    if device != "cpu":
        import torch

        torch.cuda.reset_peak_memory_stats()
        return
    with contextlib.suppress(OSError):
        _REFERENCES.write_text("5")
