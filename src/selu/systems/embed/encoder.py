"""A frozen sentence encoder: the mean of a text's token vectors, of length one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.systems.embed.weights import check_tokens

if TYPE_CHECKING:
    import numpy as np

_TOKENS = 4096  # of a batch, padding counted


class Encoder:
    """The model and tokenizer of a local folder, on the CPU; texts are cut at ``max_tokens``."""

    def __init__(self, folder: Path, max_tokens: int) -> None:
        import torch
        from transformers import AutoModel, AutoTokenizer
        from transformers.utils import logging

        logging.disable_progress_bar()
        logging.set_verbosity_error()  # of layers that nobody asks
        torch.set_num_threads(1)  # the order of additions depends on it
        self._max_tokens = max_tokens
        self._tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        self._model: Any = AutoModel.from_pretrained(
            str(folder), local_files_only=True, use_safetensors=True, dtype=torch.float32
        ).eval()
        check_tokens(max_tokens, self._model.config)

    def embed(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        """Shape (texts, width), float32, rows of length one.

        A row depends on its own text but for rounding: texts are batched by length, and what pads is masked.
        """
        import numpy as np
        import torch

        # no tokenizer takes a lone surrogate
        plain = [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts]
        ids = self._tokenizer(plain, truncation=True, max_length=self._max_tokens)["input_ids"]
        found = np.empty((len(ids), self._model.config.hidden_size), dtype=np.float32)
        for rows in batches([len(row) for row in ids]):
            with torch.inference_mode():
                found[rows] = self._pooled([ids[row] for row in rows]).numpy()
        return found

    def _pooled(self, ids: Sequence[Sequence[int]]) -> Any:
        import torch

        batch = self._tokenizer.pad({"input_ids": list(ids)}, return_tensors="pt")
        inputs = {name: batch[name] for name in ("input_ids", "attention_mask")}
        hidden = self._model(**inputs).last_hidden_state
        real = inputs["attention_mask"].unsqueeze(-1).to(hidden.dtype)
        return torch.nn.functional.normalize((hidden * real).sum(1) / real.sum(1), dim=1)


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Indices of texts of alike length, longest first; a batch pads to at most ``_TOKENS``, or is one text."""
    batch: list[int] = []
    for row in sorted(range(len(lengths)), key=lambda row: -lengths[row]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > _TOKENS:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch
