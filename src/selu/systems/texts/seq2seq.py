"""An encoder with a decoder learns to answer in text, by the trainer of fine-tuned models.

That trainer lays out tokens and asks a network for logits at places. Here the tokens of an example are those of
its prompt with the decoder's input behind them, and its places are the latter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, nn

from selu.systems.finetune.batches import Batch, Form
from selu.systems.finetune.engines import chosen as engines
from selu.systems.finetune.examples import Example, plain
from selu.systems.finetune.job import Job, Rows
from selu.systems.finetune.training import Lesson, State, Training
from selu.systems.loading import load_whole
from selu.vocabulary import SeluError

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

KIND = "masked"  # what the trainer calls a loss over tokens of the vocabulary
_PICKING = {"evaluations": 3, "patience": 3, "criterion": "loss"}
Encode = Callable[[str, bool, int], Sequence[int]]  # text, whether with the model's marks, most -> tokens
Layout = Callable[[str, Encode, int], list[int]]  # a prompt, the way to tokens, that of padding -> tokens
Pair = tuple[str, str]  # a prompt, and its answer


@dataclass(frozen=True)
class Lengths:
    """How a prompt is laid out as tokens, padding included, and the most tokens of an answer."""

    layout: Layout
    answer: int


class Seq2Seq(nn.Module):
    """An encoder with a decoder; ``forward`` takes a batch of the trainer and gives logits at its places."""

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__()
        self.model = model

    def recompute(self, wanted: bool) -> None:
        """Keep layers' inputs alone and compute layers again for the backward pass, or keep everything."""
        if wanted:
            self.model.gradient_checkpointing_enable({"use_reentrant": False})
        else:
            self.model.gradient_checkpointing_disable()

    def forward(self, batch: Batch) -> Tensor:
        """Return logits, shape (places, vocabulary), text by text."""
        pad, width = self.model.config.pad_token_id, batch.ids.shape[1]
        row, column = batch.places // width, batch.places % width
        begins = torch.full((len(batch.rows),), width, device=row.device).scatter_reduce(0, row, column, "amin")
        source = batch.ids[:, : int(begins.max())]
        inside = torch.arange(source.shape[1], device=row.device) < begins[:, None]
        step = column - begins[row]
        given = torch.full((len(batch.rows), int(step.max()) + 1), pad, device=row.device)
        given[row, step] = batch.ids[row, column]
        shown = torch.zeros_like(given)
        shown[row, step] = 1
        logits: Tensor = self.model(
            input_ids=torch.where(inside, source, pad),
            attention_mask=(inside & (source != pad)).long(),
            decoder_input_ids=given,
            decoder_attention_mask=shown,
            use_cache=False,
        ).logits
        return logits[row, step]


class Counter:
    """Counts tokens, as the trainer asks it to."""

    def __init__(self) -> None:
        self.tokens = {"useful": 0, "computed": 0}

    def add(self, lengths: Sequence[int], computed: int, _learnt: bool, _asked: int) -> None:
        """Count a micro-batch."""
        self.tokens["useful"] += sum(lengths)
        self.tokens["computed"] += computed

    def state(self) -> dict[str, int]:
        """Return the counts, for a checkpoint."""
        return dict(self.tokens)

    def restore(self, state: Mapping[str, int]) -> None:
        """Continue counting from a checkpoint's counts."""
        self.tokens |= state


class Pairs(NamedTuple):
    """Prompts with their answers, and how long either may be.

    ``held`` decide which weights are kept, by their loss after each third of the training.
    """

    train: Sequence[Pair]
    held: Sequence[Pair]
    lengths: Lengths


@dataclass(frozen=True)
class Tuned:
    """A model that was tuned, its tokenizer, and how its training went."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    state: State

    def save(self, folder: Path) -> None:
        """Write the model as a folder of the hub's form."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def tune(
    folder: Path, pairs: Pairs, params: Mapping[str, Any], seed: int, scratch: Path,
    say: Callable[[str], None], until: int | None = None,
) -> Tuned:  # fmt: skip
    """Tune a model on prompts and their answers, or go on from its checkpoint.

    Args:
        folder: config.json of an encoder with a decoder, a tokenizer and safetensors.
        params: ``batch``, ``epochs``, ``learning_rate``, ``warmup_steps``, ``weight_decay``, ``clip`` and
            ``precision``.
        scratch: of this training alone; holds its checkpoint.
        until: a step at which it is stopped.

    Raises:
        SeluError: there are no pairs, or the folder's model has no decoder beside its encoder.
    """
    from transformers import AutoConfig, AutoModelForSeq2SeqLM, AutoTokenizer

    if not pairs.train or not pairs.held:
        raise SeluError("there are no rows to tune a model on, or to pick its weights by: name other tasks.")
    given = {"local_files_only": True, "trust_remote_code": False}
    config = AutoConfig.from_pretrained(folder, **given)
    if not config.is_encoder_decoder:
        raise SeluError(f"{folder} is no encoder with a decoder ({config.model_type}): take one that is.")
    tokenizer = AutoTokenizer.from_pretrained(folder, **given)
    model = load_whole(AutoModelForSeq2SeqLM, folder, dtype=torch.float32)
    train, kept = (
        [_example(model, tokenizer, *pair, pairs.lengths) for pair in some]
        for some in (pairs.train, pairs.held)
    )
    job = _job(folder, train, kept, seed, params)
    lesson = Lesson(lambda _: train, len(train), kept, _right, False)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    network: Any = Seq2Seq(model)
    engine = engines.make(network, job.params, device)
    form = Form(packed=False, pad=tokenizer.pad_token_id, device=device)
    scratch.mkdir(parents=True, exist_ok=True)
    training = Training(job, lesson, engine, form, scratch, say, Counter())
    training.resume()
    state = training.run(until)
    if until is not None:
        training.save()
    elif training.best is not None:
        engine.load_weights(training.best)
    return Tuned(model.cpu(), tokenizer, state)


def _job(
    folder: Path, train: Sequence[Example], held: Sequence[Example], seed: int, params: Mapping[str, Any]
) -> Job:
    steps = -(-len(train) // params["batch"]) * params["epochs"]
    return Job(
        task="text",
        kind=KIND,
        labels=(),
        system=folder.name,
        architecture="encoder-decoder",
        context=max(len(example.ids) for example in train),
        seed=seed,
        model={"folder": str(folder), "revision": folder.name},
        train=Rows([example.ids for example in train], [example.target for example in train]),
        held=Rows([example.ids for example in held], [example.target for example in held]),
        questions=(),
        params={**params, **_PICKING, "warmup": min(1.0, params["warmup_steps"] / steps)},
    )


def encode_prompt(tokenizer: PreTrainedTokenizerBase, prompt: str, layout: Layout) -> list[int]:
    """Convert a prompt to the encoder's tokens."""

    def encode(text: str, marks: bool, most: int) -> Sequence[int]:
        found = tokenizer(plain(text), add_special_tokens=marks, truncation=True, max_length=most)
        ids: Sequence[int] = found["input_ids"]
        return ids

    return layout(prompt, encode, tokenizer.pad_token_id)


def _example(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, prompt: str, answer: str, lengths: Lengths
) -> Example:
    source = encode_prompt(tokenizer, prompt, lengths.layout)
    target = tokenizer(text_target=plain(answer), truncation=True, max_length=lengths.answer)["input_ids"]
    given = model.prepare_decoder_input_ids_from_labels(labels=torch.tensor([target]))[0].tolist()
    places = tuple(range(len(source), len(source) + len(target)))
    return Example([*source, *given], list(target), places)


def _right(found: Sequence[Sequence[tuple[int, int, float]]]) -> float:
    """Return the share of tokens that are the likeliest ones after the correct ones before them."""
    every = [true == answered for row in found for true, answered, _ in row]
    return sum(every) / len(every)
