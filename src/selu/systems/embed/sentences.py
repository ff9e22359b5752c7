"""Vectors of texts by a sentence encoder of any folder, many texts at once and each as if it were alone.

Texts of like length stand in one batch, each padded to the next multiple of ``STEP`` tokens. The length that a
text is padded to is thus its own, whatever stands beside it, and its vector the same to the bit in every
company: what was kept is what would be computed again. A core computes a batch, in one thread, for the order
of additions depends on their number.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from selu.systems.loading import load_whole
from selu.vocabulary import SeluError

PACKAGES = ("sentence-transformers", "transformers", "tokenizers", "torch", "numpy", "scipy")
STEP = 16  # tokens
AT_ONCE = 2_048  # tokens of a batch, padding included
MOST_THREADS = 4  # of one process: others may work beside it
_FILES = ("*.json", "*.txt", "*.model", "*.safetensors")


class Bundle(NamedTuple):
    """Texts of one batch: the tokens that each is padded to, and the places of the texts."""

    length: int
    places: list[int]


def bundles(lengths: Sequence[int]) -> list[Bundle]:
    """Group texts of these lengths into batches, the longest first."""
    found: dict[int, list[int]] = {}
    for place in sorted(range(len(lengths)), key=lambda place: (-lengths[place], place)):
        found.setdefault(max(1, -(-lengths[place] // STEP)) * STEP, []).append(place)
    parts = ((length, max(1, AT_ONCE // length), places) for length, places in found.items())
    return [
        Bundle(length, places[start : start + size])
        for length, size, places in parts
        for start in range(0, len(places), size)
    ]


def files_hash(folder: Path) -> str:
    """Hash all files of a folder that decide vectors: weights, vocabulary, pooling, length."""
    digest = hashlib.sha256()
    for path in sorted({path for form in _FILES for path in folder.rglob(form)}):
        with path.open("rb") as stream:
            content = hashlib.file_digest(stream, "sha256").hexdigest()
        digest.update(f"{path.relative_to(folder).as_posix()}\0{content}\n".encode())
    return digest.hexdigest()


@lru_cache(maxsize=1)
def loaded(folder: Path, plain_tokens: int, _files: str) -> SentenceEncoder:
    """Return the encoder of a folder, kept for the next one who asks for the same files (their hash)."""
    return SentenceEncoder(folder, plain_tokens)


class SentenceEncoder:
    """The encoder of a local folder, on the CPU: one that sentence-transformers saved, or a plain model.

    The former is pooled and cut as its files say. The tokens of a plain one are averaged, and texts cut at
    ``plain_tokens``, as the authors of BLANCA do for theirs (SPEC section 3).

    Raises:
        SeluError: the library can't load it, or the folder brings code of its own.
        MachineError: its weights lack tensors of the network, which the library would draw at random.
    """

    def __init__(self, folder: Path, plain_tokens: int) -> None:
        import torch
        from sentence_transformers import SentenceTransformer

        if "auto_map" in (folder / "config.json").read_text("utf-8"):
            raise SeluError(
                f"{folder} brings code of its own, which is never run: take a model of a known architecture."
            )
        torch.set_num_threads(1)
        try:
            with _quiet():
                self._model: Any = SentenceTransformer(
                    str(folder),
                    device="cpu",
                    local_files_only=True,
                    trust_remote_code=False,
                    model_kwargs={"use_safetensors": True, "dtype": torch.float32},
                ).eval()
        except Exception as error:  # any error that a malformed file causes in a library
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise SeluError(f"{folder} can't be loaded as a sentence encoder: {reason}") from None
        modules = folder / "modules.json"
        plain = not modules.is_file()
        if (network := getattr(self._model[0], "auto_model", None)) is not None:
            inside = "" if plain else json.loads(modules.read_text("utf-8"))[0]["path"]
            with _quiet():
                load_whole(type(network), folder / inside)
        self._tokenizer: Any = self._model.tokenizer
        own = self._model.max_seq_length
        self.max_tokens = int(min(own or plain_tokens, plain_tokens) if plain or not own else own)
        self._prompt = self._model.prompts.get(self._model.default_prompt_name or "") or ""

    def embed(self, texts: Sequence[str], threads: int | None = None) -> NDArray[np.float32]:
        """Embed texts: shape (texts, width).

        Args:
            threads: batches at once, on which no vector depends; by default the cores, at most
                ``MOST_THREADS``.

        Raises:
            SeluError: the encoder gives vectors of several sizes.
        """
        tokens = self._tokens(texts)
        todo = bundles([len(ids) for ids in tokens])
        found: list[Any] = [None] * len(texts)

        def work(bundle: Bundle) -> None:
            vectors = self._forward([tokens[place] for place in bundle.places], bundle.length)
            for place, vector in zip(bundle.places, vectors, strict=True):
                found[place] = vector

        with ThreadPoolExecutor(threads or min(MOST_THREADS, len(os.sched_getaffinity(0)))) as pool:
            list(pool.map(work, todo))
        if len(sizes := sorted({vector.size for vector in found})) > 1:
            raise SeluError(
                f"the encoder gives vectors of {sizes[0]} and of {sizes[1]} numbers: use one of a fixed size."
            )
        return np.stack(found) if found else np.empty((0, 0), dtype=np.float32)

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        if not texts:
            return []
        # no tokenizer takes a lone surrogate
        plain = [
            (self._prompt + text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            for text in texts
        ]
        found: list[list[int]] = self._tokenizer(plain, truncation=True, max_length=self.max_tokens)[
            "input_ids"
        ]
        return found

    def _forward(self, tokens: Sequence[list[int]], length: int) -> NDArray[np.float32]:
        """Compute one batch, each text padded to ``length`` tokens."""
        import torch

        torch.set_num_threads(1)  # of this thread
        ids = torch.full((len(tokens), length), self._tokenizer.pad_token_id or 0)
        mask = torch.zeros((len(tokens), length), dtype=torch.long)
        for row, mine in enumerate(tokens):
            ids[row, : len(mine)] = torch.tensor(mine)
            mask[row, : len(mine)] = 1
        with torch.inference_mode():
            vectors = self._model({"input_ids": ids, "attention_mask": mask})["sentence_embedding"]
        found: NDArray[np.float32] = vectors.to(torch.float32).numpy()
        return found


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silence progress bars and the library's report on unused layers."""
    import logging as standard

    from transformers.utils import logging

    level = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    standard.getLogger("sentence_transformers").setLevel(standard.ERROR)
    try:
        yield
    finally:
        logging.set_verbosity(level)
