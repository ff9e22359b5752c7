"""Answers by the likelihood of the labels: which of them would a model say after a prompt, and how sure is it.

A label's log-probability is that of the whole answer: of its tokens, and of the end of the turn behind them, so
that no label gains by being the beginning of another. It is a sum and is not divided by the number of tokens:
it is the probability that the model, left free, says exactly this. The number of tokens stands beside it.

``python -m selu.systems.prompt.likelihood`` serves a GGUF on loopback as ``serve`` does. It takes a chat
completion whose schema lists labels, and answers with the most likely one (of equal ones the first) as its
content and with ``likelihoods``: for each label ``log_probability`` and ``tokens``.
"""

from __future__ import annotations

import hmac
import math
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Tokens, as of ``serve.GROUP``: what is remembered ends with a group, and a group at least is computed behind
# it. Else later bits are others, as was seen with 2 and 6 tokens behind it, and with an end within 4 tokens.
GROUP = 16
BATCH = 512  # tokens computed at once
MOST_SEQUENCES = 256  # of llama.cpp


class Likelihood(NamedTuple):
    """Natural logarithm of the probability of an answer, and of how many tokens it is made."""

    log_probability: float
    tokens: int


class Scorer:
    """A GGUF that gives the likelihood of labels after prompts; not for several threads at once.

    Args:
        file: path of the GGUF.
        context: tokens of what is remembered, of prompts that are scored at once, and of their labels.
        threads: of the computation.
        remember: whether what a prompt and the one before it begin with alike is computed once.
    """

    def __init__(self, file: str, context: int, threads: int = 1, remember: bool = True) -> None:
        import llama_cpp

        self._llama = llama_cpp
        self._model = llama_cpp.Llama(file, n_ctx=BATCH, n_threads=threads, logits_all=False, verbose=False)
        params = llama_cpp.llama_context_default_params()
        params.n_ctx, params.n_batch, params.n_ubatch = context, BATCH, BATCH
        params.n_threads = params.n_threads_batch = threads
        params.n_seq_max, params.kv_unified = MOST_SEQUENCES, True
        # Its tiles depend on how many tokens are computed at once, and so would the numbers.
        params.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED
        self._context = llama_cpp.llama_init_from_model(self._model._model.model, params)
        self._memory = llama_cpp.llama_get_memory(self._context)
        self._batch = llama_cpp.llama_batch_init(BATCH, 0, 1)
        self._words = self._model.n_vocab()
        self._end = [self._model.token_eos()]
        self._size, self.remember, self.computed = context, remember, 0
        self._kept: list[int] = []  # tokens of sequence 0
        self._before: list[int] = []  # of the prompt before

    def prompt(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        """Write messages as the tokens of the model's own chat form, up to where its answer begins."""
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        model = self._model
        words = [model._model.token_get_text(token) for token in (model.token_eos(), model.token_bos())]
        form = Jinja2ChatFormatter(model.metadata["tokenizer.chat_template"], *words)(messages=list(messages))
        return self._tokens(form.prompt, special=True)

    def score(self, prompts: Sequence[Sequence[int]], labels: Sequence[str]) -> list[list[Likelihood]]:
        """Return the likelihood of each label after each prompt; all prompts are computed in the same batches.

        Args:
            prompts: of ``prompt``.
            labels: as they would be answered.

        Raises:
            ValueError: prompts and labels do not fit the context, or are too many.
        """
        answers = [[*self._tokens(label), *self._end] for label in labels]
        known = self._remember(prompts)
        sequences = 1 + len(prompts) * (1 + len(answers))
        longest = known + sum(len(tokens) - known + sum(map(len, answers)) for tokens in prompts)
        if sequences > MOST_SEQUENCES or longest > self._size:
            raise ValueError(f"{len(prompts)} prompts and {len(labels)} labels of {longest} tokens in all")
        try:
            return self._scored(prompts, answers, known)
        finally:
            for other in range(1, sequences):
                self._llama.llama_memory_seq_rm(self._memory, other, -1, -1)

    def _scored(
        self, prompts: Sequence[Sequence[int]], answers: Sequence[Sequence[int]], known: int
    ) -> list[list[Likelihood]]:
        copy, memory = self._llama.llama_memory_seq_cp, self._memory
        asked: list[Token] = []
        for row, tokens in enumerate(prompts, start=1):
            copy(memory, 0, row, 0, known)
            asked += [Token(token, known + at, row, False) for at, token in enumerate(tokens[known:-1])]
            asked.append(Token(tokens[-1], len(tokens) - 1, row, True))
        begins = list(self._computed(asked))
        rest: list[Token] = []
        sequence = len(prompts)
        for row, tokens in enumerate(prompts, start=1):
            for answer in answers:
                sequence += 1
                copy(memory, row, sequence, -1, -1)
                places = range(len(tokens), len(tokens) + len(answer) - 1)
                rest += [Token(token, at, sequence, True) for token, at in zip(answer, places, strict=False)]
        follow = self._computed(rest)
        return [
            [_likelihood(answer, [begin, *islice(follow, len(answer) - 1)]) for answer in answers]
            for begin in begins
        ]

    def _tokens(self, text: str, special: bool = False) -> list[int]:
        found: list[int] = self._model.tokenize(text.encode(), add_bos=False, special=special)
        return found

    def _remember(self, prompts: Sequence[Sequence[int]]) -> int:
        """Compute into sequence 0 what prompts begin with alike; returns how much of it they take.

        Of one prompt it is what the one before it began with, too.
        """
        if not self.remember:
            self._llama.llama_memory_seq_rm(self._memory, 0, -1, -1)
            return 0
        first, last = [*prompts[0]], [*prompts[-1]]
        alike = count_alike(self._before if len(prompts) == 1 else last, first)
        for prompt in prompts[1:-1]:
            alike = min(alike, count_alike(prompt, first))
        self._before = last
        wanted = max(0, min(alike, *(len(prompt) - GROUP for prompt in prompts)))
        wanted -= wanted % GROUP
        have = min(count_alike(self._kept, first), wanted)
        have -= have % GROUP
        # Nothing is kept beside it: what lies between the tokens of a prompt changes how they are summed.
        self._llama.llama_memory_seq_rm(self._memory, 0, have, -1)
        self._kept = first[:have]  # all that is there, if the model stops computing
        list(self._computed([Token(token, have + at, 0, False) for at, token in enumerate(first[have:wanted])]))
        self._kept = first[:wanted]
        return wanted

    def _computed(self, tokens: Sequence[Token]) -> Iterator[NDArray[np.float64]]:
        """Compute tokens; yields the logarithms of probabilities of the next one, where they are wanted."""
        batch = self._batch
        for start in range(0, len(tokens), BATCH):
            part = tokens[start : start + BATCH]
            batch.n_tokens = len(part)
            for at, (token, position, sequence, wanted) in enumerate(part):
                batch.token[at], batch.pos[at], batch.logits[at] = token, position, wanted
                batch.n_seq_id[at], batch.seq_id[at][0] = 1, sequence
            self.computed += len(part)
            if self._llama.llama_decode(self._context, batch):
                raise ValueError("the model computes no more")
            for at, entry in enumerate(part):
                if entry.wanted:
                    logits = self._llama.llama_get_logits_ith(self._context, at)
                    yield _logarithms(np.ctypeslib.as_array(logits, (self._words,)))


class Token(NamedTuple):
    """A token to be read, its place in its sequence, and whether what may follow it is wanted."""

    token: int
    position: int
    sequence: int
    wanted: bool


def count_alike(first: Sequence[int], second: Sequence[int]) -> int:
    """Count the tokens that both begin with."""
    pairs = zip(first, second, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def _logarithms(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    found = logits.astype(np.float64)
    found -= found.max()
    found -= np.log(np.exp(found).sum())
    return found


def _likelihood(answer: Sequence[int], logs: Sequence[NDArray[np.float64]]) -> Likelihood:
    each = [float(log[token]) for log, token in zip(logs, answer, strict=True)]
    return Likelihood(math.fsum(each), len(each))


def most_likely(found: Sequence[Likelihood]) -> int:
    """Return the place of the most likely label; of equal ones the first."""
    return max(range(len(found)), key=lambda place: (found[place].log_probability, -place))


# -- the server ---------------------------------------------------------------------------------------


def reply(body: Mapping[str, Any], scorer: Scorer, model: str) -> dict[str, Any]:
    """Answer the body of a chat completion whose schema lists labels.

    Raises:
        ValueError, KeyError, TypeError: it lists none, or its prompt is too long.
    """
    (value,) = body["response_format"]["json_schema"]["schema"]["properties"].values()
    labels, prompt = value["enum"], scorer.prompt(body["messages"])
    (found,) = scorer.score([prompt], labels)
    message = {"role": "assistant", "content": labels[most_likely(found)]}
    return {
        "object": "chat.completion",
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": len(prompt),
            "completion_tokens": sum(score.tokens for score in found),
            "total_tokens": len(prompt) + sum(score.tokens for score in found),
        },
        "likelihoods": {label: score._asdict() for label, score in zip(labels, found, strict=True)},
    }


def likelihoods(settings: dict[str, Any], listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serve requests one after the other; arguments as in ``serve.llama``."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    scorer = Scorer(settings["file"], settings["context"], settings["threads"])
    lock, model = threading.Lock(), settings["model"]

    def answered(body: Mapping[str, Any]) -> Response:
        with lock:
            try:
                return JSONResponse(reply(body, scorer, model))
            except (ValueError, KeyError, TypeError) as error:
                error_record = {
                    "message": f"no labels, or no prompt, that can be scored: {error}",
                    "type": "bad",
                }
                return JSONResponse({"error": error_record}, 400)

    def known(request: Request) -> bool:
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        return hmac.compare_digest(key.encode(), settings["key"].encode())

    async def complete(request: Request) -> Response:
        if not known(request):
            return JSONResponse({"error": {"message": "another key"}}, 401)
        return await run_in_threadpool(answered, await request.json())

    async def models(request: Request) -> Response:
        if not known(request):
            return JSONResponse({"error": {"message": "another key"}}, 401)
        return JSONResponse({"object": "list", "data": [{"id": model, "object": "model"}]})

    routes = [
        Route("/v1/chat/completions", complete, methods=["POST"]),
        Route("/v1/models", models),
    ]
    ready()
    app = Starlette(routes=routes)
    uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[listening])


if __name__ == "__main__":
    from selu.systems.prompt.serve import main

    main(likelihoods)
