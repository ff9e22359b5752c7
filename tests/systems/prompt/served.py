"""A server of our own without weights: started and ended as the real one is, it answers by a rule.

``COMMAND`` starts it. It writes its number into the folder SERVED, and answers DELAY seconds after it is asked.
With DIES it ends before it is ready, with DIES_ASKED when it is asked.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

COMMAND = (sys.executable, __file__)


def answer(prompt: str) -> str:
    """Right or wrong, by the prompt alone."""
    if os.environ.get("DIES_ASKED"):
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(float(os.environ.get("DELAY", "0")))
    return "yes" if len(prompt) % 2 else "no"


def serve(settings: dict[str, Any], listening: socket.socket, ready: Callable[[], None]) -> None:
    from api_server import Server

    if os.environ.get("DIES"):
        os._exit(3)
    Path(os.environ["SERVED"], str(os.getpid())).touch()
    server = Server(answer)
    server.openai_key = settings["key"]
    server.openai.models = {settings["model"]: os.environ.get("ANSWERS_AS", settings["model"])}
    server._http.socket.close()
    server._http.socket = listening
    ready()
    server._http.serve_forever(0.02)


if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parent))
    from selu.systems.prompt.serve import main

    main(serve)
