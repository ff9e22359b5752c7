"""A GGUF asked in this process by llama-cpp-python: likelihoods of labels, and texts, several rows at once.

What the prompts of a batch begin with alike is computed once, and their rests together; a batch begins with
nothing remembered, so that its replies depend on its prompts alone.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selu.systems.texts.reply import SYSTEM, Reply
from selu.vocabulary import MachineError

AT_ONCE = 8  # prompts of a batch
_CONTEXT = 16384  # tokens of all that is held: a batch of the longest prompts and answers
_CHUNK = 512  # tokens computed at once
_Place = tuple[int, int, int]  # token, position, sequence


class Gguf:
    """The model of one file.

    Args:
        file: its GGUF, which was held to its hash.
        threads: of this machine.

    Raises:
        MachineError: llama-cpp-python is not installed, or can't read the file.
    """

    together = AT_ONCE

    def __init__(self, file: Path, threads: int = 1) -> None:
        try:
            import llama_cpp
        except ImportError:
            raise MachineError(
                "llama-cpp-python, which reads this model, is not installed: run 'make local-environment'."
            ) from None
        self._lib: Any = llama_cpp
        self._quiet = llama_cpp.llama_log_callback(lambda *_: None)  # kept, since C calls it
        llama_cpp.llama_log_set(self._quiet, ctypes.c_void_p(0))
        llama_cpp.llama_backend_init()
        self._model = llama_cpp.llama_model_load_from_file(
            str(file).encode(), llama_cpp.llama_model_default_params()
        )
        if not self._model:
            raise MachineError(f"{file} is no GGUF that llama-cpp-python {llama_cpp.__version__} reads.")
        params = llama_cpp.llama_context_default_params()
        params.n_ctx, params.n_batch, params.n_ubatch = _CONTEXT, _CHUNK, _CHUNK
        params.n_threads = params.n_threads_batch = threads
        params.n_seq_max, params.kv_unified = AT_ONCE, True
        self._context = llama_cpp.llama_init_from_model(self._model, params)
        self._memory = llama_cpp.llama_get_memory(self._context)
        self._vocabulary = llama_cpp.llama_model_get_vocab(self._model)
        self._size = llama_cpp.llama_vocab_n_tokens(self._vocabulary)
        self._batch = llama_cpp.llama_batch_init(_CHUNK, 0, 1)
        self._chat = self._template()

    def choose(self, prompts: Sequence[str], labels: Sequence[str]) -> list[Reply]:
        """Answer each prompt with the label that is likeliest as the answer, all its tokens taken together."""
        began = time.perf_counter()
        lengths, logits, asked = self._read(prompts)
        told = [self._tokens(label, special=False) for label in labels]
        first = [_log_softmax(one) for one in logits]
        scores = np.array([[float(of[ids[0]]) for ids in told] for of in first])
        for column, ids in enumerate(told):
            for at, (token, following) in enumerate(pairwise(ids)):
                found = self._step([(token, length + at, row) for row, length in enumerate(lengths)])
                scores[:, column] += [float(_log_softmax(one)[following]) for one in found]
            for row, length in enumerate(lengths):
                self._cut(row, length)
        seconds = (time.perf_counter() - began) / len(prompts)
        return [
            Reply(labels[int(np.argmax(row))], count, 0, seconds, tuple(float(score) for score in row))
            for row, count in zip(scores, asked, strict=True)
        ]

    def write(self, prompts: Sequence[str], limit: int) -> list[Reply]:
        """Answer each prompt by its likeliest tokens one after the other, at most so many."""
        began = time.perf_counter()
        lengths, logits, asked = self._read(prompts)
        told: list[list[int]] = [[] for _ in prompts]
        live = {row: int(np.argmax(one)) for row, one in enumerate(logits)}
        while live := {row: token for row, token in live.items() if not self._ended(token)}:
            for row, token in live.items():
                told[row].append(token)
            live = {row: token for row, token in live.items() if len(told[row]) < limit}
            if not live:
                break
            places = [(token, lengths[row] + len(told[row]) - 1, row) for row, token in live.items()]
            live = {row: int(np.argmax(one)) for row, one in zip(live, self._step(places), strict=True)}
        seconds = (time.perf_counter() - began) / len(prompts)
        return [
            Reply(self._text(ids), count, len(ids), seconds, cut=len(ids) >= limit)
            for ids, count in zip(told, asked, strict=True)
        ]

    def _template(self) -> Any:
        """The model's own form of a conversation, as its file has it."""
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        text = self._lib.llama_model_chat_template(self._model, None)
        if not text:
            return None
        end = self._lib.llama_vocab_get_text(
            self._vocabulary, self._lib.llama_vocab_eos(self._vocabulary)
        ).decode()
        return Jinja2ChatFormatter(template=text.decode(), eos_token=end, bos_token="")

    def _asked(self, prompt: str) -> list[int]:
        """Tokens of a prompt as a user's message; of the bare prompt, where a model knows no conversation."""
        if self._chat is None:
            return self._tokens(prompt, special=False)
        messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt}]
        return self._tokens(self._chat(messages=messages).prompt, special=True)

    def _tokens(self, text: str, special: bool) -> list[int]:
        content = text.encode("utf-8", "replace")
        room = (self._lib.llama_token * (len(content) + 8))()
        count = self._lib.llama_tokenize(
            self._vocabulary, content, len(content), room, len(room), special, special
        )
        return list(room[:count])

    def _text(self, ids: Sequence[int]) -> str:
        pieces, room = b"", ctypes.create_string_buffer(256)
        for token in ids:
            length = self._lib.llama_token_to_piece(self._vocabulary, token, room, len(room), 0, False)
            pieces += room.raw[:length]
        return pieces.decode("utf-8", "replace")

    def _ended(self, token: int) -> bool:
        return bool(self._lib.llama_vocab_is_eog(self._vocabulary, token))

    def _read(self, prompts: Sequence[str]) -> tuple[list[int], list[NDArray[np.float32]], list[int]]:
        """Read prompts, a sequence each: their lengths, what follows each, and the tokens computed for each."""
        if not 0 < len(prompts) <= AT_ONCE:
            raise MachineError(f"{len(prompts)} prompts at once: 1 to {AT_ONCE} go together.")
        every = [self._asked(prompt) for prompt in prompts]
        if sum(map(len, every)) > _CONTEXT:
            raise MachineError(
                f"prompts of {sum(map(len, every)):,} tokens together are more than {_CONTEXT:,}."
            )
        alike = _alike(every)
        self._lib.llama_memory_clear(self._memory, True)
        self._compute([(token, at, 0) for at, token in enumerate(every[0][:alike])], set())
        for row in range(1, len(every)):
            self._lib.llama_memory_seq_cp(self._memory, 0, row, -1, -1)
        places = [
            (token, alike + at, row) for row, ids in enumerate(every) for at, token in enumerate(ids[alike:])
        ]
        lasts = {(len(ids) - 1, row) for row, ids in enumerate(every)}
        logits = self._compute(places, lasts)
        asked = [len(ids) - alike + alike * (not row) for row, ids in enumerate(every)]
        return [len(ids) for ids in every], logits, asked

    def _cut(self, sequence: int, length: int) -> None:
        self._lib.llama_memory_seq_rm(self._memory, sequence, length, -1)

    def _step(self, places: Sequence[_Place]) -> list[NDArray[np.float32]]:
        return self._compute(places, {(position, row) for _, position, row in places})

    def _compute(self, places: Sequence[_Place], wanted: set[tuple[int, int]]) -> list[NDArray[np.float32]]:
        """Compute tokens, and return what follows those at the wanted places (position, sequence), in order."""
        found = []
        for start in range(0, len(places), _CHUNK):
            part, batch = places[start : start + _CHUNK], self._batch
            batch.n_tokens = len(part)
            for n, (token, position, sequence) in enumerate(part):
                batch.token[n], batch.pos[n], batch.n_seq_id[n] = token, position, 1
                batch.seq_id[n][0], batch.logits[n] = sequence, (position, sequence) in wanted
            if code := self._lib.llama_decode(self._context, batch):
                raise MachineError(
                    f"the model could not compute {len(part)} tokens (llama_decode says {code})."
                )
            found += [self._logits(n) for n, place in enumerate(part) if place[1:] in wanted]
        return found

    def _logits(self, n: int) -> NDArray[np.float32]:
        pointer = self._lib.llama_get_logits_ith(self._context, n)
        return np.ctypeslib.as_array(pointer, shape=(self._size,)).copy()


def _alike(every: Sequence[Sequence[int]]) -> int:
    """Count the tokens with which all begin; at most all but the last of each."""
    most = min(map(len, every)) - 1
    return next((at for at in range(most) if len({ids[at] for ids in every}) > 1), most)


def _log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    shifted = logits.astype(np.float64) - float(logits.max())
    found: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum())
    return found
