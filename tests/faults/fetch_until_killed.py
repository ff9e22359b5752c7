"""Runs fetches in child processes that die by SIGKILL, for test_fetch_faults.py, which starts this as a script.

Reads one order a line: {"pin", "folder", "mirror", "url", "after"}. Forks a child that fetches, and kills it
just before its ``after``-th operation on files in the folder (an audit event; None: never). Writes the child's
process id, then how it ended and how many such operations it made.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "sources"))

import made
import requests  # noqa: F401  (imported once, here, and not in every child)

from selu.sources.fetch import fetch
from selu.sources.pins import read_pin

_OPERATIONS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "fcntl.flock", "os.truncate")


def _child(order: dict[str, Any], counted: int) -> None:
    place, count = str(Path(order["folder"]).parent), 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal count
        if event in _OPERATIONS and (event == "fcntl.flock" or str(arguments[0]).startswith(place)):
            count += 1
            os.pwrite(counted, str(count).encode(), 0)
            if count == order["after"]:
                os.kill(os.getpid(), signal.SIGKILL)

    pin = read_pin(Path(order["pin"]))
    network = made.network(order["url"] or "http://127.0.0.1:9", read=60)
    mirror = Path(order["mirror"]) if order["mirror"] else None
    sys.addaudithook(hook)
    fetch(pin, Path(order["folder"]), mirror, network)
    os._exit(0)


def main() -> None:
    """Carry out orders until there are no more."""
    for line in sys.stdin:
        counted = os.memfd_create("counted")
        pid = os.fork()
        if pid == 0:
            try:
                _child(json.loads(line), counted)
            finally:
                os._exit(1)
        print(json.dumps(pid), flush=True)
        _, status = os.waitpid(pid, 0)
        print(json.dumps([os.waitstatus_to_exitcode(status), int(os.pread(counted, 20, 0) or 0)]), flush=True)
        os.close(counted)


if __name__ == "__main__":
    main()
