"""The shape of a transformer: how many parameters it has, and how much arithmetic a text takes.

Counted are the matrix products alone, a multiplication and an addition as two operations, as in appendix B of
PaLM (Chowdhery et al. 2022, arXiv:2204.02311) and section 2.1 of Kaplan et al. 2020 (arXiv:2001.08361): two
operations per token and matrix parameter forward, twice that backward, and the products of queries, keys and
values, quadratic in the length of EACH text. A causal mask takes nothing off, as in PaLM. What is computed for
padding, or once more for checkpointed activations, is not a model arithmetic and not counted. Norms, biases,
activations, embeddings (look-ups) and heads of a few labels are below a per cent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from selu.vocabulary import SeluError


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a model without its head; lengths in tokens, the rest in numbers."""

    layers: int  # of the encoder, or of the only stack there is
    width: int
    heads: int
    kv_heads: int  # of keys and values; as many as ``heads`` without grouped queries
    head_width: int
    intermediate: int
    vocabulary: int
    gated: bool = False  # the feed-forward part has a third matrix that gates
    positions: int = 0  # learnt ones; 0 where they are computed
    decoder_layers: int = 0  # of an encoder-decoder; each attends to itself and to the encoder
    window: int | None = None  # tokens that a local layer attends to; None where all attend to everything
    global_every: int = 0  # with a window, every so many layers one attends to everything; 0: none does
    pooler: bool = False  # a square matrix over the first token (BERT, RoBERTa, MPNet)
    family: str = "bert"  # the library's name of the architecture, by which ``memory`` counts

    @property
    def attention(self) -> int:
        """Return parameters of the four matrices of one attention."""
        return 2 * self.width * self.head_width * (self.heads + self.kv_heads)

    @property
    def feed_forward(self) -> int:
        """Return parameters of the matrices of one feed-forward part."""
        return (3 if self.gated else 2) * self.width * self.intermediate

    @property
    def matrices(self) -> int:
        """Return parameters that every token is multiplied with."""
        encoder = self.layers * (self.attention + self.feed_forward)
        return encoder + self.decoder_layers * (2 * self.attention + self.feed_forward)

    @property
    def parameters(self) -> int:
        """Return all parameters but norms and biases, which are about one in a thousand."""
        embedded = (self.vocabulary + self.positions) * self.width
        return embedded + self.matrices + (self.width**2 if self.pooler else 0)

    def without_decoder(self) -> Shape:
        """Return the same with its encoder alone, as token labels take it."""
        return replace(self, decoder_layers=0)

    def flops(self, lengths: Iterable[int], *, backward: bool = False, asked: int = 0) -> int:
        """Return operations for texts of these lengths, forward, or forward and backward.

        The decoder of an encoder-decoder reads each text once more, as the library's classifier has it.

        Args:
            asked: tokens for which the whole vocabulary is scored (masked verbs).
        """
        tokens = pairs = near = 0
        for length in lengths:
            tokens += length
            pairs += length * length
            near += length * min(length, self.window or length)
        if self.window is None:
            whole = self.layers
        else:
            whole = -(-self.layers // self.global_every) if self.global_every else 0
        attended = (whole + 2 * self.decoder_layers) * pairs + (self.layers - whole) * near
        products = 2 * self.matrices * tokens + 4 * self.heads * self.head_width * attended
        forward = products + 2 * self.width * self.vocabulary * asked
        return 3 * forward if backward else forward


def from_config(config: Mapping[str, object]) -> Shape:
    """Return the shape that a model's ``config.json`` declares.

    Raises:
        SeluError: a kind of model that isn't known, or one of its sizes is missing.
    """
    kind = config.get("model_type")
    if kind not in _NAMES:
        raise SeluError(f"config.json: model_type is {kind!r}; known: {', '.join(_NAMES)}.")
    try:
        return _shape(kind, {**config, **{usual: config[own] for usual, own in _NAMES[kind].items()}})
    except KeyError as error:
        raise SeluError(f"config.json of a {kind} model has no {error}: take the model's own.") from None


_POOLED = ("bert", "roberta", "mpnet")
# Kind of model -> usual names of sizes that it has to declare, and what it calls them.
_NAMES: dict[str, dict[str, str]] = {
    "bert": {},
    "roberta": {},
    "mpnet": {},
    "modernbert": {"local_attention": "local_attention"},
    "gpt2": {
        "hidden_size": "n_embd",
        "num_hidden_layers": "n_layer",
        "num_attention_heads": "n_head",
        "max_position_embeddings": "n_positions",
    },
    "llama": {},
    "starcoder2": {"num_key_value_heads": "num_key_value_heads"},
    "t5": {
        "hidden_size": "d_model",
        "num_hidden_layers": "num_layers",
        "num_attention_heads": "num_heads",
        "head_dim": "d_kv",
        "intermediate_size": "d_ff",
    },
}


def _shape(kind: str, config: Mapping[str, Any]) -> Shape:
    width, heads, layers = (config[f] for f in ("hidden_size", "num_attention_heads", "num_hidden_layers"))
    inner = config.get("n_inner") or 4 * width if kind == "gpt2" else config["intermediate_size"]
    decoder = config.get("num_decoder_layers")
    window = {"modernbert": "local_attention", "starcoder2": "sliding_window"}.get(kind)
    return Shape(
        layers=layers,
        width=width,
        heads=heads,
        kv_heads=config.get("num_key_value_heads") or heads,
        head_width=config.get("head_dim") or width // heads,
        intermediate=inner,
        vocabulary=config["vocab_size"],
        gated=kind in ("modernbert", "llama") or "gated" in config.get("feed_forward_proj", ""),
        positions=config["max_position_embeddings"] if kind in (*_POOLED, "gpt2") else 0,
        decoder_layers=(layers if decoder is None else decoder) if kind == "t5" else 0,
        window=config.get(window) if window else None,
        global_every=_global_every(config) if kind == "modernbert" else 0,
        pooler=kind in _POOLED,
        family=kind,
    )


def _global_every(config: Mapping[str, Any]) -> int:
    every = config.get("global_attn_every_n_layers")
    if every is None:  # newer files name the kind of every layer
        kinds = config["layer_types"]
        every = next((i for i, kind in enumerate(kinds) if i and kind == "full_attention"), len(kinds))
    return int(every)
