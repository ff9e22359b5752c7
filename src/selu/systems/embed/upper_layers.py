"""A sentence encoder whose upper layers are tuned under a linear classifier, in one of two ways.

With ``adapters``, bottlenecks are added to them (Houlsby et al. 2019, section 2.1; figure 2): after the
projection of the attention and after the feed-forward block, each before the residual connection. Bottlenecks,
layer norms and the classifier learn; all other weights stay as published. Without, the layers learn wholly, and
the classifier reads the mean of their outputs. The layers below are frozen, so that each train text goes
through them once.

Texts are never padded: those of equal length go through the layers together. On a CPU the same lesson gives the
same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from selu.systems.baseline.classifying import check_classes, timed
from selu.systems.baseline.learning import Answers, Lesson, Params
from selu.vocabulary import SeluError

PACKAGES = ("torch", "transformers", "tokenizers", "numpy", "scipy", "scikit-learn")
WARMUP = 0.1  # share of the steps
# Architecture -> projections of a layer that a bottleneck follows (transformers' names).
PROJECTIONS = {
    "bert": ("attention.output.dense", "output.dense"),
    "roberta": ("attention.output.dense", "output.dense"),
    "mpnet": ("attention.attn.o", "output.dense"),
}


class UpperLayers:
    """Learner with the parameters ``layers`` (how many upper ones are tuned), ``adapters`` (units of a
    bottleneck; 0: none), ``epochs``, ``batch`` (texts of an update), ``learning_rate``, ``head_rate`` (that of
    the classifier), ``max_tokens``, and those of ``timed``. The encoder is that of ``weights.folder_of``.
    """

    def __init__(self, lesson: Lesson) -> None:
        check_classes(lesson)
        self._lesson = lesson
        self.seconds: list[float] = []

    def answer(self, params: Params) -> Answers:
        """Tune with these parameters and answer the lesson's questions.

        Raises:
            SeluError: the encoder has fewer layers, or no place for bottlenecks is known in it.
            MachineError: as ``weights.folder_of``.
        """
        network = Network(params, self._lesson.labels, self._lesson.seed)
        train(network, self._lesson, params)
        answers, self.seconds = timed(network.classes, self._lesson.questions, params)
        return answers


class Network:
    """Frozen layers, tuned layers and a linear classifier over the mean of a text's tokens.

    Attributes:
        learns: the parameters that are tuned: those inside the encoder, those of the classifier.
    """

    def __init__(self, params: Params, labels: int, seed: int) -> None:
        import torch
        from transformers import AutoModel, AutoTokenizer
        from transformers.utils import logging

        from selu.systems.embed.weights import check_tokens, folder_of
        from selu.systems.loading import load_whole

        logging.disable_progress_bar()
        logging.set_verbosity_error()  # of layers that nobody asks
        torch.set_num_threads(1)  # the order of additions depends on it
        torch.manual_seed(seed)
        folder = folder_of(params)
        self._tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        self._model: Any = load_whole(AutoModel, folder, dtype=torch.float32).eval()
        self._max_tokens = int(params["max_tokens"])
        check_tokens(self._max_tokens, self._model.config)
        every, tuned = list(self._model.encoder.layer), int(params["layers"])
        if not 0 < tuned <= len(every):
            raise SeluError(f"layers is {tuned}, which is not between 1 and the encoder's {len(every)}.")
        self._lower, self._upper = torch.nn.ModuleList(every[:-tuned]), torch.nn.ModuleList(every[-tuned:])
        self._model.requires_grad_(False)
        width, units = self._model.config.hidden_size, int(params["adapters"])
        if units:
            add_adapters(self._upper, self._model.config.model_type, width, units)
        else:
            self._upper.requires_grad_(True)
        self._averaged = 1 if units else tuned  # layers whose outputs the classifier reads
        self._head = torch.nn.Linear(width, labels)
        inside = [parameter for parameter in self._upper.parameters() if parameter.requires_grad]
        self.learns = (inside, list(self._head.parameters()))

    def training(self, wanted: bool) -> None:
        """Turn dropout of the tuned layers on or off."""
        self._upper.train(wanted)

    def below(self, texts: Sequence[str]) -> list[Any]:
        """Return what the frozen layers make of each text: shape (1, tokens, width)."""
        import torch

        # no tokenizer takes a lone surrogate
        plain = [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts]
        tokens = self._tokenizer(plain, truncation=True, max_length=self._max_tokens)["input_ids"]
        with torch.inference_mode(False), torch.no_grad():
            embedded = (self._model.embeddings(input_ids=torch.tensor([ids])) for ids in tokens)
            return [self._through(self._lower, hidden)[-1] for hidden in embedded]

    def logits(self, hidden: Any) -> Any:
        """Return the classifier's outputs, shape (texts, labels), for texts of equal length from ``below``."""
        outputs = self._through(self._upper, hidden)[-self._averaged :]
        return self._head(sum(output.mean(1) for output in outputs) / self._averaged)

    def classes(self, texts: Sequence[str]) -> Answers:
        """Answer texts, each alone."""
        import torch

        with torch.no_grad():
            return [int(self.logits(hidden).argmax()) for text in texts for hidden in self.below([text])]

    def _through(self, layers: Any, hidden: Any) -> list[Any]:
        """Return what goes into these layers of the encoder, and the output of each."""
        from torch.nn import ModuleList

        found = [hidden]
        for layer in layers:  # by the encoder, which knows what its layers need besides
            self._model.encoder.layer = ModuleList([layer])
            found.append(self._model.encoder(found[-1])[0])
        return found


def add_adapters(layers: Iterable[Any], family: str, width: int, units: int) -> None:
    """Insert a bottleneck after both projections of each layer; these and the layer norms are trained.

    Raises:
        SeluError: where the projections of this architecture lie is not known.
    """
    import torch
    from torch import nn

    class Bottleneck(nn.Module):
        """Down to a few units and up again, beside what comes in; at first it changes nothing."""

        def __init__(self) -> None:
            super().__init__()
            self.down, self.up = nn.Linear(width, units), nn.Linear(units, width)
            nn.init.normal_(self.down.weight, std=0.01)
            for parameter in (self.down.bias, self.up.weight, self.up.bias):
                nn.init.zeros_(parameter)

        def forward(self, hidden: Any) -> Any:
            return hidden + self.up(torch.nn.functional.gelu(self.down(hidden)))

    if family not in PROJECTIONS:
        raise SeluError(
            f"bottlenecks can be added to {', '.join(PROJECTIONS)}, not to an encoder of architecture "
            f"{family!r}: set adapters to 0, or take another encoder."
        )
    for layer in layers:
        for path in PROJECTIONS[family]:
            holder, _, name = path.rpartition(".")
            place = layer.get_submodule(holder)
            setattr(place, name, nn.Sequential(getattr(place, name), Bottleneck()))
        for module in layer.modules():
            if isinstance(module, nn.LayerNorm):
                module.requires_grad_(True)


def train(network: Network, lesson: Lesson, params: Params) -> None:
    """Train by cross-entropy with AdamW; rates rise for a tenth of the steps, then fall linearly to 0."""
    import torch

    texts, batch = network.below(lesson.texts), int(params["batch"])
    answers = torch.tensor(list(lesson.answers))
    order = torch.Generator().manual_seed(lesson.seed)
    batches = [
        rows
        for _ in range(int(params["epochs"]))
        for rows in torch.randperm(len(texts), generator=order).split(batch)
    ]
    rates = (float(params["learning_rate"]), float(params["head_rate"]))
    groups = [{"params": part, "lr": rate} for part, rate in zip(network.learns, rates, strict=True)]
    optimizer = torch.optim.AdamW(groups)
    rising = max(1, int(WARMUP * len(batches)))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / rising, (len(batches) - step) / max(1, len(batches) - rising))
    )
    network.training(True)
    for rows in batches:
        optimizer.zero_grad()
        for same in _of_equal_length(texts, rows.tolist()):
            logits = network.logits(torch.cat([texts[row] for row in same]))
            loss = torch.nn.functional.cross_entropy(logits, answers[same], reduction="sum")
            (loss / len(rows)).backward()
        optimizer.step()
        schedule.step()
    network.training(False)


def _of_equal_length(texts: Sequence[Any], rows: Iterable[int]) -> Iterator[list[int]]:
    found: dict[int, list[int]] = {}
    for row in rows:
        found.setdefault(texts[row].shape[1], []).append(row)
    yield from found.values()
