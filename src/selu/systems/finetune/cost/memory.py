"""Memory of a training, estimated: weights, gradients, the optimizer, and what a micro-batch leaves behind.

The standing part follows section 3.1 of ZeRO (Rajbhandari et al. 2020, arXiv:1910.02054), in bytes a parameter:

    precision   weights   gradients   AdamW's two moments and master weights
    fp32        4         4           8
    mixed       2         4           12    bf16 copies beside fp32 masters (autocast keeps the copies too)
    bf16        2         2           4

ZeRO stage 1 divides the last column by the processes, stage 2 the gradients too, stage 3 the weights too. What
DeepSpeed holds then is more: masters of its own in fp32, even of weights in fp32, and the sum of bf16 gradients
in fp32. For bf16 this is what its own ``estimate_zero2_model_states_mem_needs`` counts, 2 and 18 shared:

    fp32        4         4           12
    mixed       6         4           12    fp32 weights and autocast's copies whole in every process
    bf16        2         6           12

Activations follow section 4 of Korthikanti et al. 2022 (arXiv:2205.05198) without their quadratic term, as
attention keeps no table of weights (FlashAttention, SDPA). Per token and layer, with values of b bytes:

    norms       2 width b                      their inputs
    attention   (width + heads' width) b + (queries + keys + values) b + width     inputs, and a dropout mask
    feed-forward  width b + 2 intermediate b (4 where gated) + width

which for their shape is the paper's 34 bytes a width. Checkpointed, a layer keeps its input alone (width b),
and one layer at a time is whole. It is an estimate: buffers, fragments and the library's share come on top.
"""

from __future__ import annotations

from dataclasses import dataclass

from selu.systems.finetune.cost.shape import Shape

_BYTES = {"fp32": (4, 4, 8), "mixed": (2, 4, 12), "bf16": (2, 2, 4)}
_UNDER_ZERO = {"fp32": (4, 4, 12), "mixed": (6, 4, 12), "bf16": (2, 6, 12)}


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes on each device."""

    weights: int
    gradients: int
    states: int
    activations: int

    @property
    def total(self) -> int:
        """Sum all of it."""
        return self.weights + self.gradients + self.states + self.activations


def training(
    shape: Shape, precision: str, tokens: int, *, processes: int = 1, stage: int = 0, checkpointed: bool = False
) -> Memory:
    """Estimate the memory of one of ``processes`` devices for a micro-batch of so many tokens.

    Args:
        precision: of the weights: ``fp32``, ``mixed`` or ``bf16``.
        stage: of ZeRO; 0 shares nothing.
        checkpointed: layers keep their inputs alone, and are computed again for the backward pass.
    """
    weights, gradients, states = (_UNDER_ZERO if stage else _BYTES)[precision]

    def share(size: int, from_stage: int) -> int:
        return size * shape.parameters // (processes if stage >= from_stage else 1)

    return Memory(
        share(weights, 3),
        share(gradients, 2),
        share(states, 1),
        tokens * activations(shape, 4 if precision == "fp32" else 2, checkpointed=checkpointed),
    )


def activations(shape: Shape, size: int, *, checkpointed: bool = False) -> int:
    """Count bytes that the backward pass needs of a token, with values of so many bytes."""
    inner = shape.heads * shape.head_width
    attention = (shape.width + 2 * inner + 2 * shape.kv_heads * shape.head_width) * size + shape.width
    forward = (shape.width + (4 if shape.gated else 2) * shape.intermediate) * size + shape.width
    norm = shape.width * size
    encoder, decoder = attention + forward + 2 * norm, 2 * attention + forward + 3 * norm
    if not checkpointed:
        return shape.layers * encoder + shape.decoder_layers * decoder
    largest = decoder if shape.decoder_layers else encoder
    return (shape.layers + shape.decoder_layers) * norm + largest
