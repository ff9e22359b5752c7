"""Memory of a training, estimated: weights, gradients, the optimizer, and what a micro-batch leaves behind.

The standing part follows section 3.1 of ZeRO (Rajbhandari et al. 2020, arXiv:1910.02054), in bytes a parameter:

    precision   weights   gradients   AdamW's two moments and master weights
    fp32        4         4           8
    mixed       2         4           12    bf16 copies beside fp32 masters (autocast keeps the copies too)
    bf16        2         4           12    fp32 masters and sums of gradients; one gradient in bf16 at a time

ZeRO stage 2 divides all but the weights by the processes. What DeepSpeed holds then is more: masters of its own
in fp32, even of weights in fp32, and gradients in bf16 beside their sums. For bf16 this is what its own
``estimate_zero2_model_states_mem_needs`` counts, 2 and 18 shared:

    fp32        4         4           12
    mixed       6         4           12    fp32 weights and autocast's copies whole in every process
    bf16        2         6           12

Activations are counted per token and layer as what the library's layers keep for their backward pass, which
differs from the 34 bytes a width of section 4 of Korthikanti et al. 2022 (arXiv:2205.05198) by architecture and
precision: norms in fp32 keep their input in fp32; RMS norms are written out and keep two copies; under autocast
each product casts its input again. ``_FAMILIES`` names the counts, and a test holds them to tensors that real
layers save. Attention keeps queries, keys, values, its output, and one fp32 number a head, as the kernels for
packed texts do. Checkpointed, a layer keeps its input alone, and one layer at a time is whole. Buffers,
fragments and the library's own share come on top.
"""

from __future__ import annotations

from dataclasses import dataclass

from selu.systems.finetune.cost.shape import Shape

_ALONE = {"fp32": (4, 12), "mixed": (2, 16), "bf16": (2, 16)}  # weights; gradients, moments and masters
_SHARED = {"fp32": (4, 16), "mixed": (6, 16), "bf16": (2, 18)}
_VALUE = {"fp32": 4, "mixed": 2, "bf16": 2}  # bytes of what is multiplied
_STREAM = {"fp32": 4, "mixed": 4, "bf16": 2}  # bytes of what runs from layer to layer


@dataclass(frozen=True, slots=True)
class _Kept:
    """The values that a layer keeps of a token, beside two inputs of products in widths."""

    norm: tuple[int, int] = (2, 4)  # bytes a unit of width and norm, in bf16 and in fp32 (and ``mixed``)
    casts: int = 4  # inputs, in widths, where each product casts its own (``mixed``)
    forward: int = 2  # values of the feed-forward part, in its inner widths
    masks: int = 2  # of dropout, in widths
    inner_mask: bool = False  # whether the feed-forward part has one
    rotated: bool = False  # autocast turns attention's output to fp32 (rotary positions) and casts it back


# By architecture, of a layer with one attention. GPT-2 has the fused GELU (``models.build``); MPNet lacks its
# scores, which are kept where no kernel takes a bias, and grow with the square of a text.
_FAMILIES = {
    **dict.fromkeys(("bert", "roberta", "mpnet"), _Kept()),
    "modernbert": _Kept(casts=2, forward=4, masks=0),
    "gpt2": _Kept(casts=2),
    "llama": _Kept((6, 8), casts=5, forward=4, masks=0, rotated=True),
    "starcoder2": _Kept(rotated=True),
    "t5": _Kept((8, 8), inner_mask=True),
}


def training(
    shape: Shape, precision: str, tokens: int, *, processes: int = 1, checkpointed: bool = False
) -> int:
    """Estimate bytes on one of ``processes`` devices for a micro-batch of this many tokens.

    Args:
        precision: of the weights: ``fp32``, ``mixed`` or ``bf16``.
        processes: several of them share by ZeRO stage 2.
        checkpointed: layers keep their inputs alone, and are computed again for the backward pass.
    """
    weights, shared = (_SHARED if processes > 1 else _ALONE)[precision]
    fixed = weights * shape.parameters + shared * shape.parameters // processes
    return fixed + tokens * activations(shape, precision, checkpointed=checkpointed)


def activations(shape: Shape, precision: str, *, checkpointed: bool = False) -> int:
    """Count bytes that the backward pass needs of a token."""
    encoder, decoder = _of_layer(shape, precision, 1), _of_layer(shape, precision, 2)
    if not checkpointed:
        return shape.layers * encoder + shape.decoder_layers * decoder
    largest = decoder if shape.decoder_layers else encoder
    return (shape.layers + shape.decoder_layers) * shape.width * _STREAM[precision] + largest


def _of_layer(shape: Shape, precision: str, attentions: int) -> int:
    """Return a token's bytes in a layer with one attention, or two (the decoder of an encoder-decoder)."""
    kept, value = _FAMILIES[shape.family], _VALUE[precision]
    queries = shape.heads * shape.head_width
    # a second attention reads the text's states and, under autocast, casts the encoder's twice
    inputs = kept.casts + 3 * (attentions - 1) if precision == "mixed" else 1 + attentions
    norms = (attentions + 1) * kept.norm[precision != "bf16"] * shape.width
    attention = (2 * queries + 2 * shape.kv_heads * shape.head_width) * value + 4 * shape.heads
    if kept.rotated and precision == "mixed":
        attention += queries * value
    masks = (kept.masks + attentions - 1 if kept.masks else 0) * shape.width
    inner = kept.forward * value + (1 if kept.inner_mask else 0)
    return norms + inputs * shape.width * value + attentions * attention + masks + inner * shape.intermediate
