"""A model of the Hugging Face hub asked in this process: a decoder, or an encoder with a decoder."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selu.systems.loading import load_whole
from selu.systems.texts.reply import SYSTEM, Reply
from selu.vocabulary import MachineError

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


class Hub:
    """The model of one folder: config.json, a tokenizer and safetensors. No code of its own is run.

    Prompts are read one by one, so that no answer depends on its neighbours.

    Raises:
        MachineError: transformers is not installed, or the folder holds no such model.
    """

    together = 1

    def __init__(self, folder: Path) -> None:
        try:
            import torch
            from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer
        except ImportError:
            raise MachineError(
                "transformers, which reads this model, is not installed: run 'make finetune-environment'."
            ) from None
        given = {"local_files_only": True, "trust_remote_code": False}
        try:
            config = AutoConfig.from_pretrained(str(folder), **given)
            kind = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
            self._tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(str(folder), **given)
            self._model: PreTrainedModel = load_whole(kind, folder, dtype=torch.float32).eval()
        except (OSError, ValueError) as error:
            why = (str(error).splitlines() or ["unreadable"])[0]
            raise MachineError(f"{folder} holds no model that transformers reads ({why}).") from None
        self.parameters = int(self._model.num_parameters())
        self._torch = torch
        self._is_encoder_decoder: bool = config.is_encoder_decoder

    def choose(self, prompts: Sequence[str], labels: Sequence[str]) -> list[Reply]:
        """Answer each prompt with the label that is likeliest as the whole answer."""
        return [self._chosen(prompt, labels) for prompt in prompts]

    def write(self, prompts: Sequence[str], limit: int) -> list[Reply]:
        """Answer each prompt by its likeliest tokens in sequence, at most this many."""
        return [self._written(prompt, limit) for prompt in prompts]

    def _chosen(self, prompt: str, labels: Sequence[str]) -> Reply:
        began, asked = time.perf_counter(), self._asked(prompt)
        scores = []
        for label in labels:
            ids = self._tokenizer(label, add_special_tokens=False)["input_ids"]
            wanted = self._torch.tensor([[*ids, self._tokenizer.eos_token_id]])
            with self._torch.inference_mode():
                if self._is_encoder_decoder:
                    logits = self._model(input_ids=asked, labels=wanted).logits
                else:
                    whole = self._torch.cat([asked, wanted], dim=1)
                    logits = self._model(input_ids=whole).logits[:, asked.shape[1] - 1 : -1]
            chosen = self._torch.log_softmax(logits.double(), dim=-1).gather(2, wanted[:, :, None])
            scores.append(float(chosen.sum()))
        best = labels[scores.index(max(scores))]
        return Reply(best, int(asked.shape[1]), 0, time.perf_counter() - began, tuple(scores))

    def _written(self, prompt: str, limit: int) -> Reply:
        began, asked = time.perf_counter(), self._asked(prompt)
        with self._torch.inference_mode():
            found = self._model.generate(
                asked, attention_mask=self._torch.ones_like(asked), do_sample=False, num_beams=1,
                max_new_tokens=limit, pad_token_id=self._padding,
            )[0]  # fmt: skip
        ids = found[
            1 if self._is_encoder_decoder else asked.shape[1] :
        ]  # an encoder's answer begins with a mark
        text = self._tokenizer.decode(ids, skip_special_tokens=True)
        cut = len(ids) >= limit
        return Reply(text, int(asked.shape[1]), len(ids), time.perf_counter() - began, cut=cut)

    @property
    def _padding(self) -> int:
        found = self._tokenizer.pad_token_id
        return int(self._tokenizer.eos_token_id if found is None else found)

    def _asked(self, prompt: str) -> Tensor:
        """Return token ids of a prompt, shape (1, tokens): as a message, if the model knows conversations."""
        marks = True
        if self._tokenizer.chat_template and not self._is_encoder_decoder:
            messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt}]
            prompt = self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
            marks = False
        ids: Tensor = self._tokenizer(prompt, add_special_tokens=marks, return_tensors="pt")["input_ids"]
        return ids
