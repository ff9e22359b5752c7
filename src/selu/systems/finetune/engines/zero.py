"""DeepSpeed's ZeRO stage 2 as an engine: several processes that share the optimizer's memory."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor

from selu.systems.finetune import answers, batches
from selu.systems.finetune.engines.engine import (
    _SMALLEST,
    Engine,
    MemoryShortError,
    shorter,
    tokens_of,
    too_small,
)
from selu.systems.finetune.examples import Example
from selu.systems.finetune.models import Network
from selu.systems.finetune.settings import PROCESSES, RECOMPUTE, TOKENS_AT_ONCE
from selu.vocabulary import MachineError

if TYPE_CHECKING:
    from deepspeed import DeepSpeedEngine

_BUCKET = 200_000_000  # elements that are reduced at once
T = TypeVar("T")


class TooLargeError(MachineError):
    """A micro-batch was too large in one of several processes that wait for each other: all start again.

    ``budget`` tokens at once may do; ``text`` has the tokens of a single text, which they would not help.
    """

    def __init__(self, budget: int, text: int | None = None) -> None:
        setting = f"{TOKENS_AT_ONCE}={budget}" if text is None else f"{RECOMPUTE}={shorter(text)}"
        super().__init__(f"out of memory under ZeRO: set {setting} and run it again.")
        self.budget, self.text = budget, text


def shares(rows: Sequence[int], lengths: Sequence[int], processes: int) -> list[list[int]]:
    """Share rows between processes: the longest that is left goes to the one that has the fewest tokens."""
    parts: list[list[int]] = [[] for _ in range(processes)]
    held = [0] * processes
    for row in sorted(rows, key=lambda row: (-lengths[row], row)):
        least = held.index(min(held))
        parts[least].append(row)
        held[least] += lengths[row]
    return parts


def join(device: torch.device) -> None:
    """Meet the other processes, as torchrun's environment tells; without it this process is alone."""
    if dist.is_initialized():
        return
    backend = "cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo"
    if "RANK" in os.environ:
        dist.init_process_group(backend)
    else:
        store = dist.HashStore()  # type: ignore[attr-defined]
        dist.init_process_group(backend, store=store, rank=0, world_size=1)


class ZeRO2(Engine):
    """DeepSpeed's ZeRO stage 2: each process keeps a shard of the gradients and of the optimizer's state.

    A loss is divided by the size of the whole batch already; the first process has what is to be saved. All
    precisions compute as one process does: under ``bf16`` weights and their gradients are bf16, and the masters
    that AdamW updates, its two moments, and the sum of the micro-batches' gradients are fp32. Gradients are
    summed between processes in each backward pass, so that a process with fewer micro-batches adds empty ones.
    """

    sharding = "zero2"

    def __init__(self, network: Network, params: Mapping[str, Any], device: torch.device) -> None:
        join(device)
        self.rank, self.processes = dist.get_rank(), dist.get_world_size()
        super().__init__(network, params, device)
        self._spread()
        self._form, self._tokens = network.form(device), network.shape.kind in answers.TOKENS
        self._cap = _cap()
        self._wanted = self._done = 0
        if self.mixed:  # within the network, since DeepSpeed ends an autocast that it is called in
            computed = torch.autocast(device.type, dtype=torch.bfloat16)(network.forward)
            network.forward = computed  # type: ignore[method-assign]
        self._driven = self.network = _wrap(network, self.optimizer, params, device)
        self._zero = self._driven.optimizer

    def arithmetic(self) -> contextlib.AbstractContextManager[None]:
        """Return no context: the network brings its own."""
        return contextlib.nullcontext()

    def mine(self, rows: Sequence[int], lengths: Sequence[int]) -> Sequence[int]:
        """Return this process's share; notes how many micro-batches the process with most of them takes."""
        self.budget = int(self._reduced(min(self.budget, self._cap), dist.ReduceOp.MIN))
        parts = shares(rows, lengths, self.processes)
        cuts = [batches.cut(lengths, part, self.budget, self._form.packed) for part in parts]
        most = max(sum(1 for _ in cut) for cut in cuts)
        self._wanted, self._done = most if self.network.training else 0, 0
        return parts[self.rank]

    def total(self, value: float) -> float:
        """Return a sum over all processes, once all have computed as many micro-batches."""
        while self._done < self._wanted:
            self._empty()
        return self._reduced(value, dist.ReduceOp.SUM)

    def gather(self, found: dict[int, T]) -> dict[int, T]:
        """Return what all processes found."""
        parts: list[dict[int, T]] = [{} for _ in range(self.processes)]
        dist.all_gather_object(parts, found)
        return {key: value for part in parts for key, value in part.items()}

    def backward(self, loss: Tensor) -> None:
        """Add the gradient of a micro-batch; DeepSpeed takes the mean over processes, and the sum is wanted."""
        self._driven.backward(loss * self.processes)
        self._done += 1

    def update(self, rate: float) -> None:
        """Clip the norm of the gradient of all processes, and take a step."""
        for group in self._zero.param_groups:
            group["lr"] = rate
        self._driven.step()

    def relieve(self, tokens: int, alone: bool) -> str:
        """Give up, since others wait in a backward pass that can't be undone.

        Raises:
            TooLargeError: always, but where ``MemoryShortError`` is.
            MemoryShortError: as ``Engine``.
        """
        if self._again:
            raise MemoryShortError(too_small(tokens)) from None
        small = alone or self.budget // 2 < _SMALLEST
        raise TooLargeError(self.budget // 2, tokens if small else None)

    def weights(self) -> dict[str, Tensor]:
        """Return the weights in the first process; in bf16 without what the master weights know beyond them."""
        found = super().weights() if self.rank == 0 else {}  # one copy in memory is enough
        return {name.removeprefix("module."): tensor for name, tensor in found.items()}

    def load_weights(self, weights: Mapping[str, Tensor]) -> None:
        """Restore the first process's weights everywhere, also in the masters."""
        if self.rank == 0:
            super().load_weights({f"module.{name}": tensor for name, tensor in weights.items()})
        self._spread()
        self._zero.refresh_fp32_params()

    def state(self) -> dict[str, Tensor]:
        """Return the optimizer's tensors by name, as of one process; also fp32 masters for weights in bf16."""
        found: dict[str, Tensor] = {}
        for first, shard, parameters in self._shards():
            states = dict(self._zero.optimizer.state.get(shard, {}))
            if states and shard.dtype != parameters[0].dtype:
                states["master"] = shard
            for kind, value in sorted(states.items()):
                whole = self._whole(value.detach()) if value.ndim else value.detach().cpu()
                at = 0
                for i, parameter in enumerate(parameters if self.rank == 0 else ()):
                    part = whole[at : at + parameter.numel()].view(parameter.shape) if value.ndim else whole
                    found[f"{kind}:{first + i}"] = part.clone()
                    at += parameter.numel()
        return found

    def load_state(self, tensors: Mapping[str, Tensor]) -> None:
        """Restore this process's shards of the optimizer's tensors, whatever number of processes gave them."""
        kinds = sorted({name.rpartition(":")[0] for name in tensors})
        for first, shard, parameters in self._shards():
            for kind in kinds:
                found = [tensors.get(f"{kind}:{first + i}") for i in range(len(parameters))]
                known = next((tensor for tensor in found if tensor is not None), None)
                if known is None:
                    continue
                if kind == "step":
                    self._zero.optimizer.state[shard][kind] = known.to(shard.device, copy=True)
                    continue
                part = self._part(found, parameters, shard)
                if kind == "master":
                    shard.data.copy_(part)
                else:
                    self._zero.optimizer.state[shard][kind] = part

    def _reduced(self, value: float, how: object) -> float:
        sums = torch.tensor(value, dtype=torch.float64)
        dist.all_reduce(sums, how)
        return float(sums)

    def _spread(self) -> None:
        tensors = {tensor.data_ptr(): tensor for tensor in self.network.state_dict().values()}
        for tensor in tensors.values():
            dist.broadcast(tensor.detach(), 0)

    def _shards(self) -> Iterator[tuple[int, Tensor, Sequence[Tensor]]]:
        """Yield of each group the number of its first parameter, this process's shard, and its parameters."""
        first = 0
        for shard, parameters in zip(
            self._zero.single_partition_of_fp32_groups, self._zero.bit16_groups, strict=True
        ):
            yield first, shard, parameters
            first += len(parameters)

    def _whole(self, part: Tensor) -> Tensor:
        """Return all processes' shards in sequence, in the first process's memory; empty in the others."""
        here = part.cpu()
        parts = [torch.empty_like(here) for _ in range(self.processes)] if self.rank == 0 else None
        dist.gather(here, parts, 0)
        return torch.cat(parts) if parts is not None else here[:0]

    def _part(self, found: Sequence[Tensor | None], parameters: Sequence[Tensor], shard: Tensor) -> Tensor:
        """Return this process's shard of a group's tensors; a missing one is 0, as before the first step."""
        each = [
            torch.zeros(parameter.numel()) if tensor is None else tensor.flatten().float()
            for tensor, parameter in zip(found, parameters, strict=True)
        ]
        whole = torch.cat(each)
        whole = torch.nn.functional.pad(whole, (0, shard.numel() * self.processes - whole.numel()))
        return whole.chunk(self.processes)[self.rank].to(shard.device, shard.dtype, copy=True)

    def _empty(self) -> None:
        """Run a micro-batch of one token whose gradient is 0, touching the same parameters as any other."""
        example = Example([0], None, (0,) if self._tokens else ())
        logits = self.network(batches.collate([example], [0], self._form, self._tokens))
        self.backward(logits.float().sum() * 0)


def _cap() -> int:
    given = os.environ.get(TOKENS_AT_ONCE) or str(2**31)
    return tokens_of(TOKENS_AT_ONCE, given if given.strip("0") else "none")


def _wrap(
    network: Network, optimizer: torch.optim.Optimizer, params: Mapping[str, object], device: torch.device
) -> DeepSpeedEngine:
    """Wrap the network with DeepSpeed, which takes over the optimizer."""
    os.environ.setdefault("DS_ACCELERATOR", device.type)
    os.environ.setdefault("LOCAL_RANK", "0")  # asked for even where this process is alone
    try:
        import deepspeed
    except ImportError:
        raise MachineError(
            "DeepSpeed is not installed, which several processes need: 'make finetune-environment' installs "
            f"it, or set {PROCESSES}=1."
        ) from None
    # An operator that only inference calls: compiling it takes a compiler and a minute, and if it is killed
    # meanwhile, it leaves a lock that the next process waits for without end.
    deepspeed.ops.__compatible_ops__.pop("deepspeed_shm_comm", None)
    size = sum(parameter.numel() for parameter in network.parameters())
    config = {
        "train_micro_batch_size_per_gpu": 1,
        "managed_gradient_accumulation": False,  # an update ends on request, not after a fixed number
        "gradient_clipping": params["clip"],
        "bf16": {"enabled": params["precision"] == "bf16"},
        "data_types": {"grad_accum_dtype": "fp32"},
        "zero_optimization": {"stage": 2, "overlap_comm": False, "reduce_bucket_size": min(size, _BUCKET)},
        "steps_per_print": None,
    }
    wrapped, *_ = deepspeed.initialize(
        model=network, optimizer=optimizer, config=config, dist_init_required=False
    )
    return wrapped
