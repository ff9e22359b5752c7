"""Serves a GGUF on this machine's loopback, for the process that started it and no longer.

``python -m selu.systems.prompt.serve`` reads its settings as a line of JSON and answers with a line that names
its port. Its standard input stays open as long as the process that asks lives: at its end, however that came,
the server ends too.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

LOOPBACK = "127.0.0.1"
# Tokens are computed in groups. A prompt that goes on behind what is remembered has the same groups, and so the
# same numbers to the last bit, only where that ends with a group: of 4 by the kernels measured, 16 to be safe.
GROUP = 16
Serve = Callable[[dict[str, Any], socket.socket, Callable[[], None]], None]


def main(serve: Serve) -> None:
    """Serve until standard input ends.

    Args:
        serve: is handed the settings, a socket that listens, and what is called once requests are answered.
    """
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is not an answer
    settings = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with socket.create_server((LOOPBACK, 0)) as listening:

        def ready() -> None:
            answers.write(json.dumps({"port": listening.getsockname()[1]}) + "\n")
            answers.flush()

        serve(settings, listening, ready)


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)


def taken(body: Mapping[str, Any]) -> dict[str, Any]:
    """Write a request's body in the form that llama-cpp-python takes: a schema as a grammar of bare answers.

    They are what a free answer should be, without the dozen tokens of JSON around it.
    """
    found = dict(body)
    if form := found.pop("response_format", None):
        (value,) = form["json_schema"]["schema"]["properties"].values()
        found["grammar"] = grammar(value)
    return found


def grammar(value: Mapping[str, Any]) -> str:
    """Write the grammar (GBNF) of a label, of labels between commas or ``none``, or of a number.

    Args:
        value: JSON schema of the answer: a string or an array of some, or a number.
    """
    if value["type"] == "number":
        return 'root ::= "-"? [0-9]{1,9} ("." [0-9]{1,6})?'
    labels = value.get("items", value)["enum"]
    choice = " | ".join(json.dumps(label, ensure_ascii=False) for label in labels)
    if value["type"] == "string":
        return f"root ::= {choice}"
    return f'root ::= "none" | one (", " one){{0,{len(labels) - 1}}}\none ::= {choice}'


def remembered(before: Sequence[int], tokens: Sequence[int]) -> int:
    """Count the tokens of a prompt that need not be computed again, for the prompt before began alike.

    Whole groups, and never the last token, whose answer is asked for.
    """
    alike = 0
    for earlier, token in zip(before, tokens[:-1], strict=False):
        if earlier != token:
            break
        alike += 1
    return alike - alike % GROUP


def llama(settings: dict[str, Any], listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serve by llama-cpp-python, one request after the other.

    What prompts begin with alike is computed once, in a way that no answer depends on the prompts before.

    Args:
        settings: ``file`` (the GGUF), ``model`` (its name), ``context``, ``threads``, ``seed``, ``key``.
    """
    import uvicorn
    from llama_cpp import Llama
    from llama_cpp.server.app import create_app
    from llama_cpp.server.settings import ModelSettings, ServerSettings

    generate = Llama.generate

    def generate_alike(self: Any, tokens: Sequence[int], *given: Any, **named: Any) -> Any:
        self.n_tokens = remembered(self.input_ids[: self.n_tokens].tolist(), tokens)
        return generate(self, tokens, *given, **named)

    Llama.generate = generate_alike
    model = ModelSettings(
        model=settings["file"],
        model_alias=settings["model"],
        n_ctx=settings["context"],
        n_threads=settings["threads"],
        n_threads_batch=settings["threads"],
        seed=settings["seed"],
        logits_all=False,  # else logits of every token of a prompt are computed and held
        verbose=False,
    )
    server = ServerSettings(api_key=settings["key"], interrupt_requests=False)
    app = create_app(server_settings=server, model_settings=[model])
    ready()
    uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[listening])


if __name__ == "__main__":
    main(llama)
