"""Real Ray, in the process where it lives; ``tests/sweep/test_sweep_ray.py`` has it on two nodes."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import ray_nodes
from selu.cost.schedule import Needs
from selu.sweep import cluster
from selu.sweep.cluster import Cluster
from selu.sweep.messages import Answer, Failed, Nodes
from selu.vocabulary import MachineError, SeluError

SECONDS = 120


@pytest.mark.parametrize("address", ["10.0.0.1", "host:", "host:0", "host:70000", "ray://host:1", "host:x"])
def test_an_address_that_is_none(tmp_path, address):
    with pytest.raises(SeluError) as caught:
        Cluster(address, None, tmp_path / "log")
    assert str(caught.value) == (
        f"--address takes HOST:PORT of a Ray head, as 10.0.0.1:6379, or auto, not {address!r}."
    )


def test_where_nothing_listens(tmp_path):
    with pytest.raises(MachineError) as caught:
        Cluster("127.0.0.1:1", None, tmp_path / "log")
    assert str(caught.value) == (
        "the Ray head at 127.0.0.1:1 can't be reached (connection refused): start it there with 'ray start "
        "--head', or correct --address."
    )


def test_a_name_that_nobody_knows(tmp_path):
    with pytest.raises(MachineError, match=r"^the Ray head at nowhere\.invalid:6379 can't be reached \("):
        Cluster("nowhere.invalid:6379", None, tmp_path / "log")


@pytest.mark.slow
@pytest.mark.nodes
def test_where_something_else_listens(tmp_path, monkeypatch):
    """Ray would wait for it for ever."""
    monkeypatch.setattr(cluster, "_JOIN_SECONDS", 6)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(MachineError) as caught:
            Cluster(address, None, tmp_path / "log")
    assert str(caught.value) == (
        f"the Ray head at {address} gives no answer in 6 s: make sure that a Ray head runs there; what was "
        f"printed is in {tmp_path / 'log'}."
    )


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[ray_nodes.Nodes]:
    with ray_nodes.started(monkeypatch) as found:
        yield found


def answer(work: Cluster) -> Answer | Failed:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        event = work.next(1.0)
        if isinstance(event, (Answer, Failed)):
            return event
    raise AssertionError("no answer")


@pytest.mark.slow
@pytest.mark.nodes
def test_tasks_of_a_cluster_and_its_loss(nodes, tmp_path, monkeypatch):
    monkeypatch.setenv("RAY_gcs_rpc_server_reconnect_timeout_s", "3")
    with Cluster(nodes.address, None, tmp_path / "log") as work:
        first = work.next(1.0)
        assert isinstance(first, Nodes)
        (node,) = first.nodes
        assert (node.cpus, node.gpus) == (1, 0)
        work.submit("well", "builtins:dict", {"a": 1}, Needs(1, memory=2**20), node.id)
        assert answer(work) == Answer("well", {"a": 1}, node.id)
        work.submit("badly", "selu.vocabulary:missing", {}, Needs(1), node.id)
        failed = answer(work)
        assert failed == Failed(
            "badly", "AttributeError: module 'selu.vocabulary' has no attribute 'missing'", False
        )
        work.submit("nowhere", "builtins:dict", {}, Needs(1), "0" * 56)
        nowhere = answer(work)
        assert isinstance(nowhere, Failed)
        assert (nowhere.task, nowhere.lost) == ("nowhere", True)
        work.submit("long", "subprocess:run", {"sleep": None, "600": None}, Needs(1), node.id)
        assert work.next(2.0) is None
        work.cancel("long")
        assert answer(work).task == "long"  # its process was killed, or the one that it waits for
        nodes.kill_head()
        with pytest.raises(MachineError) as caught:
            answer(work)
    assert str(caught.value) == (
        f"the Ray head at {nodes.address} was lost; what it printed is in {tmp_path / 'log'}. All that was "
        "done stays: 'selu sweep' continues from there."
    )
