"""The components of the heads that are built, found by observing tiny ones.

Nothing here is declared: a network is made for each architecture, kind of task and head, given one batch of
texts, and what its head calls on the way to the logits is written down.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from selu.systems.finetune import batches, models
from selu.systems.finetune.batches import Batch
from selu.systems.finetune.examples import Example

HEADS = ("library", "figure3")
KINDS = ("binary", "multi_class", "multi_label", "regression", "entities", "masked")
ENCODERS, DECODERS = ("bert", "roberta", "mpnet", "modernbert"), ("gpt2", "llama", "starcoder2")
GROUPS = {**dict.fromkeys(ENCODERS, "encoder-only"), **dict.fromkeys(DECODERS, "decoder-only")}
# From logits to predictions; the answer read off them is the same with or without it, but for regression's.
ACTIVATIONS = dict.fromkeys(KINDS, "softmax") | {"multi_label": "sigmoid", "regression": "none"}
_OUTPUT_NAMES = {
    "regression": "a number",
    "entities": "1 + 2 x entity types",
    "masked": "tokens of the vocabulary",
}
_WIDTH, _VOCABULARY, _OUTPUTS = 24, 40, 5  # numbers that can't be taken for one another
_TEXTS = ((3, 4, 5, 6), (7, 8, 9))  # token ids
_PLACES = ((1, 2), (0, 2))
_SIZE = {
    **{"vocab_size": _VOCABULARY, "hidden_size": _WIDTH, "num_hidden_layers": 1, "num_attention_heads": 4},
    **{"intermediate_size": 20, "pad_token_id": 1, "bos_token_id": 2, "eos_token_id": 2},
}
_OWN: dict[str, dict[str, Any]] = {
    "modernbert": {
        "cls_token_id": 2,
        "sep_token_id": 2,
        "classifier_pooling": "mean",
    },  # as both published sizes
    "llama": {"num_key_value_heads": 2},
    "starcoder2": {"num_key_value_heads": 2},
    "t5": {"d_kv": 6, "d_ff": 20, "decoder_start_token_id": 0},
}
Record = dict[str, Any]


def record(dropout: float) -> list[Record]:
    """List every head that is built, one entry per architecture, kind of task and head.

    Args:
        dropout: of the head of Figure 3, as params.yaml gives it.

    Returns:
        per entry ``family`` (of the library's models), ``architecture``, ``kind``, ``head`` (library or
        figure3), ``stack`` (encoder or decoder) and ``pool`` (which of its hidden states the head is given),
        ``steps`` in their order, ``outputs`` (what k or 1 stands for) and ``activation``. A step has its
        ``name``; a linear one ``inputs``, ``outputs``, ``bias`` and ``tied`` (whether its weights are those of
        the input embeddings), a dropout its ``p``. Widths are d, k, 1, or V for the vocabulary. What an
        architecture is not built for has no entry; masked tokens have the library's head under both protocols.
    """
    every = itertools.product(models.FAMILIES, KINDS, HEADS)
    return [
        _entry(family, kind, head, dropout) for family, kind, head in every if _is_built(family, kind, head)
    ]


def _is_built(family: str, kind: str, head: str) -> bool:
    if kind == "masked":
        return family in ENCODERS and head == "library"
    return kind != "entities" or family not in DECODERS


def _entry(family: str, kind: str, head: str, dropout: float) -> Record:
    network = _network(family, models.Shape(kind, _outputs(kind), head, dropout)).eval()
    form = network.form(torch.device("cpu"))
    tokens = kind in ("entities", "masked")
    examples = [
        Example(list(ids), [0] * len(places) if tokens else 0, places if tokens else ())
        for ids, places in zip(_TEXTS, _PLACES, strict=True)
    ]
    batch = batches.collate(examples, range(len(examples)), form, tokens)
    watch = _Watch()
    handle = network.backbone.register_forward_hook(lambda *call: watch.begin(call[2]))
    with torch.no_grad(), watch:
        network(batch)
    handle.remove()
    sizes = {_WIDTH: "d", _outputs(kind): "1" if kind == "regression" else "k", _VOCABULARY: "V"}
    embeddings = network.model.get_input_embeddings().weight
    return {
        "family": family,
        "architecture": GROUPS.get(family, "encoder-decoder"),
        "kind": kind,
        "head": head,
        "stack": "decoder" if family in DECODERS or watch.decoded else "encoder",
        "pool": _pool(watch, batch, kind),
        "steps": [_step(name, details, sizes, embeddings) for name, details in watch.steps],
        "outputs": _OUTPUT_NAMES.get(kind, "labels"),
        "activation": ACTIVATIONS[kind],
    }


def _outputs(kind: str) -> int:
    return {"regression": 1, "masked": 0}.get(kind, _OUTPUTS)


def _step(name: str, details: Mapping[str, Any], sizes: Mapping[int, str], embeddings: Any) -> Record:
    if name != "linear":
        return {"name": name, **details}
    outputs, inputs = (sizes[size] for size in details["weight"].shape)
    tied = details["weight"] is embeddings
    return {"name": name, "inputs": inputs, "outputs": outputs, "bias": details["bias"], "tied": tied}


def _pool(watch: _Watch, batch: Batch, kind: str) -> str:
    """Determine by their values which hidden states the head was given."""
    hidden, given = watch.hidden.flatten(0, 1), watch.given.reshape(-1, _WIDTH)
    means = torch.stack([hidden[batch.real[batch.texts == text]].mean(0) for text in range(len(batch.rows))])
    known = {
        "each masked token" if kind == "masked" else "each token": hidden[batch.places],
        "first token": hidden[batch.firsts],
        "last token": hidden[batch.lasts],
        "mean of the tokens": means,
    }
    for name, states in known.items():
        if states.shape == given.shape and torch.allclose(states, given, atol=1e-6):
            return name
    raise ValueError("the head is given hidden states of no known kind")


class _Watch(TorchFunctionMode):
    """A recorder of what is computed from the backbone's hidden states on."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden: Any = None
        self.decoded = False
        self.given: Any = None
        self.steps: list[tuple[str, dict[str, Any]]] = []

    def begin(self, output: Any) -> None:
        """Record that the backbone is done; what follows is the head."""
        self.hidden = output.last_hidden_state
        self.decoded = getattr(output, "encoder_last_hidden_state", None) is not None

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        given = kwargs or {}
        name, details = _known(func, args, given) if self.hidden is not None else (None, {})
        if name is not None:
            self.given = args[0] if self.given is None else self.given
            self.steps.append((name, details))
        return func(*args, **given)


def _known(func: Callable[..., Any], args: Any, given: Mapping[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """Name and details of a call that is a step of a head; None for one that only moves numbers."""
    if func is functional.linear:
        given = dict(zip(("weight", "bias"), args[1:], strict=False)) | dict(given)
        return "linear", {"weight": given["weight"], "bias": given.get("bias") is not None}
    if func is functional.dropout:
        return "dropout", {"p": given.get("p", args[1] if len(args) > 1 else 0.5)}
    if func is functional.layer_norm:
        return "layer norm", {}
    name = getattr(func, "__name__", "")
    return (name if name in ("tanh", "gelu", "relu", "silu", "sigmoid", "softmax") else None), {}


class _Tokens:
    """The tokenizer's interface that a network uses."""

    pad_token_id = 1

    def __len__(self) -> int:
        return _VOCABULARY


def _network(family: str, shape: models.Shape) -> models.Network:
    """Return a tiny network of this architecture with random weights and the published models' settings."""
    import transformers

    config = transformers.AutoConfig.for_model(family, **_SIZE, **_OWN.get(family, {}))
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, family)
        with models._quiet():
            transformers.AutoModel.from_config(config).save_pretrained(folder)
        return models.build(folder, _Tokens(), shape, 0, torch.float32)
