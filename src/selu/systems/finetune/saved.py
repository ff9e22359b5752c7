"""A trained model in a folder: weights, configuration, tokenizer, what it was trained for, and a card."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from selu.systems.finetune.job import Job, Outcome, Rows
from selu.vocabulary import MachineError, SeluError

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedTokenizerBase

    from selu.systems.finetune.batches import Form
    from selu.systems.finetune.engines.engine import Engine
    from selu.systems.finetune.examples import Example
    from selu.systems.finetune.models import Network

NAME = "selu.json"
BATCH = 1_000  # texts between two words of progress


def save(
    folder: Path, job: Job, network: Network, tokenizer: PreTrainedTokenizerBase, outcome: Outcome
) -> None:
    """Write a model so that ``ask`` needs nothing but the folder."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True)
    tokenizer.save_pretrained(folder)
    network.model.config.name_or_path = ""  # the base model's location concerns only this machine
    network.model.config.to_json_file(folder / "config.json", use_diff=False)
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in _kept(network).items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    about: About = {
        "task": job.task,
        "kind": job.kind,
        "labels": list(job.labels),
        "system": job.system,
        "seed": job.seed,
        "context": job.context,
        "params": dict(job.params),
        "revision": job.model["revision"],
        "picked_step": outcome.picked_step,
    }
    (folder / "README.md").write_text(_card(about, outcome), "utf-8")
    (folder / NAME).write_text(json.dumps(about, indent=1) + "\n", "utf-8")


def _card(about: About, outcome: Outcome) -> str:
    picked = next((entry for entry in outcome.history if entry["step"] == outcome.picked_step), None)
    score = f"{picked['score']:.4f}" if picked else "none"
    labels = ", ".join(about["labels"]) or "no labels"
    return f"""# {about["system"]} fine-tuned for {about["task"]}

Base weights: revision `{about["revision"]}`. Seed {about["seed"]}; parameters are in `{NAME}`.

- Task: {about["kind"]}; {labels}.
- Training: {outcome.steps} steps{", stopped early" if outcome.stopped_early else ""}; the weights are those of
  step {outcome.picked_step}, whose score on the rows that picked them is {score}.
- Collapsed: {"yes, it gives one answer to everything" if outcome.collapsed else "no"}.
- Longest input: {about["context"]} tokens; longer texts are cut.

Use it for texts like those of the task: it has seen no others. `selu predict` reads this folder.
"""


def read(folder: Path) -> About:
    """Return what a folder's model was trained for.

    Raises:
        SeluError: no such folder, or its record is damaged.
    """
    try:
        about: About = json.loads((folder / NAME).read_text("utf-8"))
    except (OSError, ValueError):
        raise SeluError(
            f"{folder} holds no trained model: 'selu run' with this task and system makes it."
        ) from None
    return about


class About(TypedDict):
    """What a model was trained for."""

    task: str
    kind: str
    labels: list[str]
    system: str
    seed: int
    context: int
    params: dict[str, Any]
    revision: str
    picked_step: int | None


class Asked(NamedTuple):
    """Answers as ``Outcome`` has them, how many texts were cut, and the model's tokenizer.

    ``probabilities`` has a row a text, in the order of the labels; none where they were not asked for.
    """

    answers: list[Any]
    cut: int
    tokenizer: PreTrainedTokenizerBase
    probabilities: list[list[float]]


def ask(
    folder: Path,
    texts: Sequence[object],
    tags: Sequence[Sequence[str]] = (),
    probabilities: bool = False,
    say: Callable[[int], None] = lambda _: None,
) -> Asked:
    """Ask a saved model; of tagged texts every verb is masked.

    Args:
        texts: at least one, lists of words for entities and masked verbs.
        tags: part of speech per word, for masked verbs.
        probabilities: of labels, too.
        say: told how many texts are answered, after each batch.

    Raises:
        SeluError: as ``read``, weights that are not those of the model, or masked verbs without tags, whose
            places no plain text names.
    """
    from selu.systems.finetune import reading, upcast
    from selu.systems.finetune.job_examples import Prepared

    about = read(folder)
    if about["kind"] == "masked" and not tags:
        raise SeluError(
            f"{about['task']} fills masked verbs of tagged documents, which plain texts do not show."
        )
    blank = _job(folder, about)
    tokenizer, machine = _restored(folder, blank)
    form, vocabulary = machine.network.form(machine.device), machine.network.model.config.vocab_size
    answers: list[Any] = []
    odds: list[list[float]] = []
    cut = 0
    for start in range(0, len(texts), BATCH):
        part = slice(start, start + BATCH)
        prepared = Prepared(
            replace(blank, questions=texts[part], question_tags=tags[part]), tokenizer, vocabulary
        )
        with upcast.where_needed(blank.params["precision"]):
            found = reading.read(machine, prepared.questions, form, blank.kind, reading.Silent()).answers
            if probabilities:
                odds += _probabilities(machine, prepared.questions, form, blank.kind)
        answers += prepared.answers(found)
        cut += prepared.truncated["questions"]
        say(len(answers))
    return Asked(answers, cut, tokenizer, odds)


def _job(folder: Path, about: About) -> Job:
    """Return a job that asks the model without training it."""
    empty, params = Rows((), ()), {**about["params"], "mask_probability": 1.0}
    return Job(
        about["task"], about["kind"], about["labels"], about["system"], "", about["context"], about["seed"],
        {"folder": str(folder), "revision": about["revision"]}, empty, empty, (), params, (),
    )  # fmt: skip


def _restored(folder: Path, job: Job) -> tuple[PreTrainedTokenizerBase, Engine]:
    """Load the tokenizer, and the network in an engine."""
    import torch
    from safetensors import SafetensorError

    from selu.systems.finetune import answers, models
    from selu.systems.finetune.engines import engine

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        tokenizer = models.load_tokenizer(folder, job.kind in answers.TOKENS)
        dtype = models.DTYPES[job.params["precision"]]
        network = models.restore(folder, tokenizer, models.shape_of(job), dtype)
        _check_weights(folder, network)
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        if isinstance(error, RuntimeError) and engine.lacks_memory(error):
            raise MachineError(f"the model in {folder} needs more memory than there is.") from None
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise SeluError(
            f"{folder} is damaged ({reason}): remove it, and 'selu run --only all' makes it."
        ) from None
    return tokenizer, engine.Engine(network, job.params, device)


def _probabilities(machine: Engine, examples: Sequence[Example], form: Form, kind: str) -> list[list[float]]:
    """Compute each label's probability from the logits (sum 1 for single-label tasks), after the answers."""
    import torch

    from selu.systems.finetune import batches

    lengths = [len(example.ids) for example in examples]
    found: dict[int, list[float]] = {}
    for part in batches.cut(lengths, range(len(examples)), machine.budget, form.packed):
        with torch.no_grad(), machine.arithmetic():
            logits = machine.network(batches.collate(examples, part, form, False)).float()
        shares = logits.sigmoid() if kind == "multi_label" else logits.softmax(-1)
        found.update(zip(part, shares.tolist(), strict=True))
    return [found[row] for row in range(len(examples))]


def _kept(network: Network) -> dict[str, Tensor]:
    """Return the tensors of a network's state; one with several names is kept under the first of them."""
    seen: set[int] = set()
    weights = {}
    for name, tensor in network.state_dict().items():
        if tensor.data_ptr() not in seen:
            seen.add(tensor.data_ptr())
            weights[name] = tensor
    return weights


def _check_weights(folder: Path, network: Network) -> None:
    """Raise ValueError if the file lacks a tensor of the network, which would then be random."""
    from safetensors import safe_open

    with safe_open(folder / "model.safetensors", "pt") as file:
        missing = sorted(set(_kept(network)) - set(file.keys()))
    if missing:
        raise ValueError(f"its weights lack {missing[0]}")
