"""From a local folder to a tokenizer and a network: the library's backbone, a head, one way to call them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from selu.systems.finetune import heads
from selu.systems.finetune.attention import packing
from selu.systems.finetune.batches import Batch, Form
from selu.systems.finetune.job import Job, stream
from selu.systems.loading import load_whole
from selu.vocabulary import SeluError

PACKABLE = ("bert", "roberta", "mpnet", "modernbert", "gpt2", "llama", "starcoder2")
FAMILIES = (*PACKABLE, "t5")
_MASKED = ("bert", "roberta", "mpnet", "modernbert")  # families that learn masked tokens
_COUNTED = ("roberta", "mpnet")  # those whose positions count from their padding token's id on
_PADDED = {"mpnet": "eager"}  # attention of padded batches where the library has no other
DTYPES = {"fp32": torch.float32, "mixed": torch.float32, "bf16": torch.bfloat16}  # of weights, by precision
_PROBLEMS = {"multi_label": "multi_label_classification", "regression": "regression"}


@dataclass(frozen=True)
class Shape:
    """The purpose of a network: kind of task, number of outputs (0: the vocabulary), head, its dropout."""

    kind: str
    outputs: int
    head: str
    dropout: float


def shape_of(job: Job) -> Shape:
    """Return the shape that a job needs: one output a label, a BIO tag, or one number."""
    outputs = {"regression": 1, "entities": 1 + 2 * len(job.labels), "masked": 0}.get(job.kind, len(job.labels))
    return Shape(job.kind, outputs, job.params["head"], job.params["dropout"])


class Network(nn.Module):
    """A backbone and its head; ``forward`` takes a batch and gives the logits of what the task reads in it."""

    def __init__(self, model: Any, shape: Shape, packed: bool) -> None:
        super().__init__()
        self.model = model
        self.family: str = model.config.model_type
        self.shape, self.packed = shape, packed
        if self.family == "mpnet":
            from selu.systems.finetune.attention import relative

            relative.adapt(model, packed)
        self.own: heads.Figure3 | None = None
        library = shape.head == "library" or shape.kind == "masked"
        if not library:
            spread = getattr(model.config, "initializer_range", None) or 0.02
            self.own = heads.Figure3(_width(model.config), shape.outputs, shape.dropout, spread)
        self._backbone = [model.base_model if library else model]  # in a list: it is no second child

    @property
    def backbone(self) -> Any:
        """Return what turns token ids into hidden states."""
        return self._backbone[0]

    def recompute(self, wanted: bool) -> None:
        """Keep layers' inputs alone and compute layers again for the backward pass, or keep everything."""
        if not wanted:
            self.model.activation_checkpointing_disable()
            return
        self.model.config.use_cache = False
        self.model.activation_checkpointing_enable({"use_reentrant": False})

    @property
    def by_mean(self) -> bool:
        """Return whether the library pools by the mean of a text (ModernBERT, by its configuration)."""
        mean = getattr(self.model.config, "classifier_pooling", None) == "mean"
        return self.family == "modernbert" and mean and self.own is None

    @property
    def reads_last(self) -> bool:
        """Return whether the last token stands for the text (decoders), and not the first."""
        return self.family in ("gpt2", "llama", "starcoder2", "t5")

    def form(self, device: torch.device) -> Form:
        """Return how its batches are laid out."""
        config = self.model.config
        start = config.decoder_start_token_id if self.family == "t5" else None
        if self.family == "t5" and start is None:
            start = config.pad_token_id
        return Form(self.packed, config.pad_token_id, device, start)

    def forward(self, batch: Batch) -> Tensor:
        """Return logits, shape (texts or places, outputs), in the order of ``batch.rows`` or of its places."""
        hidden = self._hidden(batch).flatten(0, 1)
        if batch.tokens:
            picked = hidden[batch.places]
        elif self.by_mean:
            picked = heads.mean(hidden[batch.real], batch.texts, len(batch.rows))
        else:
            picked = hidden[batch.lasts if self.reads_last else batch.firsts]
        return self._head()(picked)

    def _head(self) -> heads.Head:
        if self.own is not None:
            return self.own
        head_of = {"entities": heads.of_tokens, "masked": heads.of_masks}.get(self.shape.kind, heads.of_texts)
        return head_of(self.model)

    def _hidden(self, batch: Batch) -> Tensor:
        given: dict[str, Any] = {"input_ids": batch.ids, "attention_mask": batch.mask}
        if self.family == "t5":
            given["attention_mask"], before = batch.seen()
            if self.shape.kind != "entities":
                given |= {"decoder_input_ids": batch.shifted, "decoder_attention_mask": before}
                given["use_cache"] = False
        else:
            offset = self.model.config.pad_token_id + 1 if self.family in _COUNTED else 0
            given["position_ids"] = batch.positions + offset
            if self.reads_last:
                given["use_cache"] = False
        packing.use(batch.layout)
        hidden: Tensor = self.backbone(**given).last_hidden_state
        return hidden


def _width(config: Any) -> int:
    return int(getattr(config, "hidden_size", None) or config.d_model)


def check_folder(folder: Path) -> dict[str, Any]:
    """Read the configuration of a model's folder.

    Raises:
        SeluError: no folder, no configuration, weights that are not safetensors, code of its own, or an
            architecture that no head is known for.
    """
    path = folder / "config.json"
    try:
        config: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        raise SeluError(f"{folder} holds no model: its config.json is missing or not JSON.") from None
    if "auto_map" in config:
        raise SeluError(
            f"{folder} brings code of its own, which is never run: take a model of a known architecture."
        )
    if not any(folder.glob("*.safetensors")):
        raise SeluError(
            f"{folder} holds no *.safetensors; other forms of weights are not read: 'selu convert {folder}' "
            "makes them of pytorch_model.bin."
        )
    if config.get("model_type") not in FAMILIES:
        raise SeluError(
            f"{folder} is of architecture {config.get('model_type')!r}; known are {', '.join(FAMILIES)}."
        )
    return config


def check_context(network: Network, context: int) -> None:
    """Refuse a context that is longer than what a model has positions for.

    Raises:
        SeluError: with both numbers.
    """
    config = network.model.config
    positions = getattr(config, "max_position_embeddings", None)
    if network.family in _COUNTED and positions is not None:
        positions -= config.pad_token_id + 1
    if network.family in ("bert", "gpt2", *_COUNTED) and positions is not None and context > positions:
        raise SeluError(f"the model has positions for {positions} tokens, not for a context of {context}.")


def load_tokenizer(folder: Path, words: bool = False) -> Any:
    """Load the tokenizer of a folder, with a padding token.

    Args:
        words: for rows that come as words, each of which then begins as a word inside a text does: tokenizers
            of bytes mark that by the space before it.
    """
    from transformers import AutoTokenizer

    check_folder(folder)
    options = {"add_prefix_space": True} if words else {}
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False, **options)
    before = tokenizer.backend_tokenizer.pre_tokenizer
    if words and hasattr(before, "add_prefix_space"):
        before.add_prefix_space = True
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def build(
    folder: Path, tokenizer: Any, shape: Shape, seed: int, dtype: torch.dtype, packed: bool = True
) -> Network:
    """Build a network with the weights of a folder and a new head, drawn from the seed's own stream.

    Args:
        packed: without padding where the architecture allows; False pads every batch.

    Raises:
        SeluError: as ``check_folder``, or the architecture has no such head.
    """
    import transformers

    config = check_folder(folder)
    family = config["model_type"]
    if shape.kind == "masked" and family not in _MASKED:
        raise SeluError(
            f"masked tokens need an encoder-only model, and {folder.name} is of architecture {family!r}."
        )
    torch.manual_seed(stream(seed, "head"))
    packed = packed and family in PACKABLE
    name, options = _auto(shape, family)
    packing.register()
    with _quiet():
        attention = packing.NAME if packed else _PADDED.get(family, "sdpa")
        given = {"dtype": dtype, "attn_implementation": attention, **options, **fused(config)}
        model = load_whole(getattr(transformers, name), folder, new_head=True, **given)
    return _network(model, tokenizer, shape, packed, dtype)


def fused(config: Mapping[str, Any]) -> dict[str, str]:
    """Return the changes to a model's configuration: on a GPU, GPT-2's GELU as one kernel.

    It is the same function; the library writes it out, which keeps five values a neuron for the backward pass
    instead of two. On a CPU it stays as it is, where tracked answers are the same to the bit.
    """
    written_out = config["model_type"] == "gpt2" and config.get("activation_function", "gelu_new") == "gelu_new"
    return {"activation_function": "gelu_pytorch_tanh"} if written_out and torch.cuda.is_available() else {}


def restore(folder: Path, tokenizer: Any, shape: Shape, dtype: torch.dtype, packed: bool = True) -> Network:
    """Load the network whose whole state, head included, is in a folder that ``saved.save`` wrote.

    Raises:
        SeluError: as ``check_folder``.
    """
    import transformers
    from safetensors.torch import load_file

    family = check_folder(folder)["model_type"]
    packed = packed and family in PACKABLE
    name, options = _auto(shape, family)
    packing.register()
    config = transformers.AutoConfig.from_pretrained(folder, local_files_only=True)
    for option in ("num_labels", "problem_type"):
        if option in options:
            setattr(config, option, options.pop(option))
    attention = packing.NAME if packed else _PADDED.get(family, "sdpa")
    model = getattr(transformers, name).from_config(
        config, dtype=dtype, attn_implementation=attention, **options
    )
    network = _network(model, tokenizer, shape, packed, dtype)
    network.load_state_dict(load_file(folder / "model.safetensors"), strict=False)
    return network


def _network(model: Any, tokenizer: Any, shape: Shape, packed: bool, dtype: torch.dtype) -> Network:
    if model.config.model_type not in _COUNTED:
        model.config.pad_token_id = tokenizer.pad_token_id
    # GPT-2's looks for padding among the ids of each call, for which a GPU would be waited for
    model.base_model.warn_if_padding_and_no_attention_mask = lambda *_: None
    network = Network(model, shape, packed)
    if network.own is not None:
        network.own.to(dtype)
    return network


def _auto(shape: Shape, family: str) -> tuple[str, dict[str, Any]]:
    """Name of the auto class that makes a network of this shape, and its options."""
    if shape.head == "figure3" and shape.kind != "masked":
        if (family, shape.kind) == ("t5", "entities"):
            return "AutoModelForTextEncoding", {}
        return "AutoModel", {"add_pooling_layer": False} if family in ("bert", *_COUNTED) else {}
    if shape.kind == "masked":
        return "AutoModelForMaskedLM", {}
    if shape.kind == "entities":
        return "AutoModelForTokenClassification", {"num_labels": shape.outputs}
    problem = _PROBLEMS.get(shape.kind, "single_label_classification")
    return "AutoModelForSequenceClassification", {"num_labels": shape.outputs, "problem_type": problem}


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silence the library's report on newly initialized heads, which are intended here."""
    from transformers.utils import logging

    level = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
