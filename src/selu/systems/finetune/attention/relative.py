"""MPNet's layers without padding: attention whose scores have a learnt bias for each distance of two tokens.

The model library computes that attention itself and asks no attention that is registered with it, and it can't
compute a layer again from its input alone. Both are given to a network here, whose weights stay as they are.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor
from transformers.modeling_layers import GradientCheckpointingLayer
from transformers.models.mpnet import modeling_mpnet as library

from selu.systems.finetune.attention import packing


class Layer(GradientCheckpointingLayer, library.MPNetLayer):  # type: ignore[misc]
    """A layer that can be computed again for the backward pass."""


class Encoder(library.MPNetEncoder):  # type: ignore[misc]
    """Layers over texts in one row, whose distances are those inside a text."""

    def compute_position_bias(self, x: Tensor, *_: Any, **__: Any) -> Tensor:
        """Compute the bias of the current batch for its longest text: shape (1, heads, longest, longest)."""
        bias: Tensor = super().compute_position_bias(x[:, : packing.current().lengths[0]])
        return bias


class SelfAttention(library.MPNetSelfAttention):  # type: ignore[misc]
    """Attention of each text of a row to itself."""

    def forward(
        self, hidden_states: Tensor, attention_mask: Any = None, position_bias: Tensor | None = None, **_: Any
    ) -> tuple[Tensor]:
        """Compute hidden states of shape (1, tokens, width) from such; a mask is refused."""
        shape = (*hidden_states.shape[:-1], -1, self.attention_head_size)
        q, k, v = (layer(hidden_states).view(shape).transpose(1, 2) for layer in (self.q, self.k, self.v))
        dropout = self.dropout.p if self.training else 0.0
        out, _weights = packing.attention(self, q, k, v, attention_mask, dropout=dropout, bias=position_bias)
        return (self.o(out.flatten(2)),)


def adapt(model: Any, packed: bool) -> None:
    """Replace a network's layers by these; those of padded batches attend as the library does."""
    types: dict[type, type] = {library.MPNetLayer: Layer}
    if packed:
        types |= {library.MPNetEncoder: Encoder, library.MPNetSelfAttention: SelfAttention}
    for module in model.modules():
        module.__class__ = types.get(type(module), type(module))
    model.supports_gradient_checkpointing = True
