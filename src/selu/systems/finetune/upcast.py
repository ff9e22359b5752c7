"""Products of bf16 matrices on a CPU without instructions for them.

torch multiplies such matrices there one number at a time, many times as slowly as fp32 ones
(docs/measurements/upcast.txt; pytorch/pytorch#146508). Here they are multiplied in fp32 and the product is
rounded to bf16, which is what the instructions do: a product of two bf16 numbers is exact in fp32, and sums are
kept in fp32. Between both ways, the order of the additions is all that differs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

_ATEN = torch.ops.aten
_PRODUCTS = frozenset({
    _ATEN.mm.default,
    _ATEN.addmm.default,
    _ATEN.bmm.default,
    _ATEN.baddbmm.default,
    _ATEN._scaled_dot_product_flash_attention_for_cpu_backward.default,
})  # fmt: skip
_ATTENTION = _ATEN._scaled_dot_product_flash_attention_for_cpu.default  # gives its normalisation too, in fp32


class Upcast(TorchDispatchMode):
    """Within it, products of bf16 tensors are computed in fp32 and rounded; everything else is as it was."""

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Run an operation for torch, which calls this for each, below autograd and autocast."""
        kwargs = kwargs or {}
        if (func not in _PRODUCTS and func is not _ATTENTION) or args[0].dtype != torch.bfloat16:
            return func(*args, **kwargs)
        found = func(*tree_map_only(Tensor, _up, args), **tree_map_only(Tensor, _up, kwargs))
        if func is _ATTENTION:
            return found[0].bfloat16(), *found[1:]
        return tree_map_only(Tensor, Tensor.bfloat16, found)


def _up(tensor: Tensor) -> Tensor:
    return tensor.float() if tensor.dtype == torch.bfloat16 else tensor


def needed(precision: str) -> bool:
    """Return whether a network of this precision (fp32, mixed or bf16) gains from it on this machine."""
    if precision == "fp32" or torch.cuda.is_available():
        return False
    return not (torch.backends.mkldnn.is_available() and torch.ops.mkldnn._is_mkldnn_bf16_supported())


def where_needed(precision: str) -> contextlib.AbstractContextManager[Upcast | None]:
    """Return the context in which a network of this precision is trained or asked on this machine."""
    if not needed(precision):
        return contextlib.nullcontext()
    return Upcast()  # type: ignore[no-untyped-call]
