"""A tuned encoder-decoder asked as it was trained: the same layout of prompts, answers by beam search."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from selu.systems.texts.hub import Hub
from selu.systems.texts.reply import Reply
from selu.systems.texts.seq2seq import Layout, encode_prompt


class Taught(Hub):
    """The model of one folder, on a GPU where there is one.

    Args:
        layout: how a prompt becomes tokens, padding included.
        beams: of the search for an answer.
    """

    together = 8

    def __init__(self, folder: Path, layout: Layout, beams: int) -> None:
        super().__init__(folder)
        self._layout, self._beams = layout, beams
        self._model.to("cuda" if torch.cuda.is_available() else "cpu")

    def write(self, prompts: Sequence[str], limit: int) -> list[Reply]:
        """Answer prompts by beam search, with at most this many tokens, including an answer's first."""
        began, pad = time.perf_counter(), self._tokenizer.pad_token_id
        rows = [encode_prompt(self._tokenizer, prompt, self._layout) for prompt in prompts]
        width = max(map(len, rows))
        ids = torch.tensor([row + [pad] * (width - len(row)) for row in rows], device=self._model.device)
        with torch.inference_mode():
            found: Any = self._model.generate(
                ids, attention_mask=(ids != pad).long(), do_sample=False, num_beams=self._beams,
                early_stopping=self._beams > 1, max_length=limit,
            )  # fmt: skip
        seconds = (time.perf_counter() - began) / len(prompts)
        replies = []
        for row, answer in zip(rows, found.tolist(), strict=True):
            answered = [token for token in answer[1:] if token != pad]
            text = self._tokenizer.decode(answer, skip_special_tokens=True).strip()
            cut = len(answered) >= limit - 1 and answered[-1] != self._tokenizer.eos_token_id
            replies.append(Reply(text, len(row) - row.count(pad), len(answered), seconds, cut=cut))
        return replies
