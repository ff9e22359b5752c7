"""A frozen sentence encoder: the mean of a text's token vectors, of length one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.systems.embed.weights import check_tokens
from selu.systems.loading import load_whole

if TYPE_CHECKING:
    import numpy as np


@lru_cache(maxsize=1)
def loaded(folder: Path, _weights: str | None, max_tokens: int) -> Encoder:
    """Return the encoder of a folder, kept for the next one who asks for the same weights (their hash)."""
    return Encoder(folder, max_tokens)


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
        self._vectors: dict[str, np.ndarray[Any, Any]] = {}
        self._tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        self._model: Any = load_whole(AutoModel, folder, dtype=torch.float32).eval()
        check_tokens(max_tokens, self._model.config)

    def embed(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        """Embed texts: shape (texts, width), float32, rows of length one.

        Each text is read alone, so that its vector is the same to the bit whatever stands beside it. On one
        thread that takes no longer than batches do.
        """
        import numpy as np

        found = np.empty((len(texts), self._model.config.hidden_size), dtype=np.float32)
        for row, text in enumerate(texts):
            found[row] = self._vector(text)
        return found

    def remembered(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        """Embed as ``embed`` does, but a text that was asked for before is not read again."""
        import numpy as np

        for text in texts:
            if text not in self._vectors:
                self._vectors[text] = self._vector(text)
        return np.stack([self._vectors[text] for text in texts])

    def _vector(self, text: str) -> np.ndarray[Any, Any]:
        import torch

        # no tokenizer takes a lone surrogate
        plain = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        inputs = self._tokenizer(plain, truncation=True, max_length=self._max_tokens, return_tensors="pt")
        with torch.inference_mode():
            mean = self._model(**inputs).last_hidden_state[0].mean(0)
            found: np.ndarray[Any, Any] = torch.nn.functional.normalize(mean, dim=0).numpy()
        return found
