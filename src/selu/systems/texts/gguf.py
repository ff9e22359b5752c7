"""A GGUF asked in this process by llama-cpp-python: likelihoods of labels, and texts of several rows at once.

Labels are scored by the program that serves their likelihoods, a prompt after the other; what a prompt and the
one before it begin with alike is computed once.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from selu.systems.prompt.likelihood import Scorer, Token, count_alike, most_likely
from selu.systems.texts.reply import SYSTEM, Reply
from selu.vocabulary import MachineError

AT_ONCE = 8  # prompts of a batch
_CONTEXT = 16384  # tokens of all that is held: a batch of the longest prompts and answers


class Gguf(Scorer):
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
            super().__init__(str(file), _CONTEXT, threads)
        except ImportError:
            raise MachineError(
                "llama-cpp-python, which reads this model, is not installed: run 'make local-environment'."
            ) from None
        except ValueError as error:
            raise MachineError(f"{file} is no GGUF that llama-cpp-python reads ({error}).") from None

    def choose(self, prompts: Sequence[str], labels: Sequence[str]) -> list[Reply]:
        """Answer each prompt with the label that is likeliest as the whole answer."""
        every = [self._asked(prompt) for prompt in prompts]
        _refuse_longer(max(map(len, every)) + sum(len(self._tokens(label)) + 1 for label in labels))
        self._before = every[-1]  # so that what a batch begins with is remembered from its first prompt on
        return [self._chosen(prompt, labels) for prompt in every]

    def _chosen(self, prompt: Sequence[int], labels: Sequence[str]) -> Reply:
        began, before = time.perf_counter(), self.computed
        try:
            (found,) = self.score([prompt], labels)
        except ValueError as error:
            raise MachineError(f"a prompt with {len(labels)} labels can't be scored: {error}.") from None
        asked = self.computed - before - sum(score.tokens - 1 for score in found)
        scores = tuple(score.log_probability for score in found)
        return Reply(labels[most_likely(found)], asked, 0, time.perf_counter() - began, scores)

    def write(self, prompts: Sequence[str], limit: int) -> list[Reply]:
        """Answer each prompt by its likeliest tokens in sequence, at most this many."""
        if not 0 < len(prompts) <= AT_ONCE:
            raise MachineError(f"{len(prompts)} prompts at once: 1 to {AT_ONCE} go together.")
        began = time.perf_counter()
        every = [self._asked(prompt) for prompt in prompts]
        _refuse_longer(sum(len(ids) + limit for ids in every))
        try:
            written, asked = self._written(every, limit)
        except ValueError as error:
            raise MachineError(f"{len(prompts)} prompts can't be answered: {error}.") from None
        finally:
            for row in range(1, 1 + len(every)):
                self._llama.llama_memory_seq_rm(self._memory, row, -1, -1)
        seconds = (time.perf_counter() - began) / len(prompts)
        return [
            Reply(self._text(ids), asked[row], len(ids), seconds, cut=len(ids) >= limit)
            for row, ids in enumerate(written)
        ]

    def _written(self, every: Sequence[Sequence[int]], limit: int) -> tuple[list[list[int]], list[int]]:
        """Write to prompts in sequences from 1 on: tokens of each answer, and of each prompt those computed."""
        first = every[0]
        known = min(min(count_alike(first, ids), len(ids) - 1) for ids in every)
        self._kept = []  # a batch begins with nothing remembered: its replies depend on its prompts alone
        self._llama.llama_memory_seq_rm(self._memory, 0, -1, -1)
        list(self._computed([Token(token, at, 0, False) for at, token in enumerate(first[:known])]))
        asked = [len(ids) - known * (row > 0) for row, ids in enumerate(every)]
        places: list[Token] = []
        for row, ids in enumerate(every, start=1):
            self._llama.llama_memory_seq_cp(self._memory, 0, row, 0, known)
            last = len(ids) - 1
            places += [Token(ids[at], at, row, at == last) for at in range(known, len(ids))]
        written: list[list[int]] = [[] for _ in every]
        live = list(range(len(every)))
        while live:
            following = [int(np.argmax(logits)) for logits in self._computed(places)]
            for row, token in zip(live, following, strict=True):
                if not self._ended(token):
                    written[row].append(token)
            live = [
                row
                for row, token in zip(live, following, strict=True)
                if not self._ended(token) and len(written[row]) < limit
            ]
            places = [
                Token(written[row][-1], len(every[row]) + len(written[row]) - 1, row + 1, True) for row in live
            ]
        return written, asked

    def _asked(self, prompt: str) -> list[int]:
        """Return the tokens of a prompt as a user's message, or bare if a model knows no conversation."""
        if "tokenizer.chat_template" not in self._model.metadata:
            return self._tokens(prompt)
        return self.prompt([{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt}])

    def _text(self, ids: Sequence[int]) -> str:
        found: bytes = self._model.detokenize(list(ids))
        return found.decode("utf-8", "replace")

    def _ended(self, token: int) -> bool:
        return bool(self._llama.llama_vocab_is_eog(self._model._model.vocab, token))


def _refuse_longer(tokens: int) -> None:
    if tokens > _CONTEXT:
        raise MachineError(f"prompts and answers of {tokens:,} tokens together are more than {_CONTEXT:,}.")
