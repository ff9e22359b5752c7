"""Ray nodes of this machine, in a process of their own: where Ray is imported it takes signals over.

Run as a program it holds the nodes, and does what lines of its input say; ``Nodes`` is the other end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


class Nodes:
    """A head with one CPU, and further nodes by the numbers 1, 2, ..."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.address = self._take()

    def add(self, **environment: str) -> int:
        """One more node with one CPU, and variables of its environment."""
        return int(self._ask(["add", environment]))

    def kill(self, number: int) -> None:
        """As if its machine had lost its power."""
        self._ask(["kill", number])

    def kill_head(self) -> None:
        """What knows of all nodes."""
        self._ask(["kill_head"])

    def _ask(self, words: list[Any]) -> str:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        return self._take()

    def _take(self) -> str:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("nodes: "):
                return line.removeprefix("nodes: ").strip()
        raise AssertionError("Ray's nodes ended")


@contextmanager
def started(patch: pytest.MonkeyPatch) -> Iterator[Nodes]:
    """Nodes whose token, and no word of home, is in this process's environment."""
    patch.setenv("RAY_AUTH_MODE", "token")
    patch.setenv("RAY_AUTH_TOKEN", uuid.uuid4().hex * 2)
    patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    with tempfile.TemporaryDirectory(prefix="selu-", ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__)), folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        try:
            yield Nodes(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(60)


def main(folder: str) -> None:
    """Hold the nodes until the input ends."""
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 1, "include_dashboard": False, "temp_dir": folder}
    cluster, nodes = Cluster(initialize_head=True, head_node_args=head), {}
    print(f"nodes: {cluster.address}", flush=True)
    for line in sys.stdin:
        word, *rest = json.loads(line)
        if word == "add":
            nodes[len(nodes) + 1] = cluster.add_node(num_cpus=1, env_vars=rest[0] or None)
        elif word == "kill":
            cluster.remove_node(nodes[rest[0]], allow_graceful=False)
        else:
            cluster.head_node.kill_gcs_server(check_alive=False)
            os.write(1, b"nodes: 0\n")
            continue
        print(f"nodes: {len(nodes)}", flush=True)
    if cluster.head_node is not None:
        cluster.shutdown()


if __name__ == "__main__":
    main(sys.argv[1])
