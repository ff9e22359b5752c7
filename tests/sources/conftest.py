"""What the tests of sources share: they import modules that stand beside them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from made import FILES, A, B, network, raw_path
from server import Server

from selu.sources.network import Network

pytest.register_assert_rewrite("one_file")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server that stands for both hosts, and no token or mirror of the machine's own."""
    for variable in ("SELU_GITHUB_TOKEN", "SELU_MIRROR", "SELU_RAW_HOST", "SELU_LFS_HOST"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    with Server() as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A task's folder, not made yet."""
    return tmp_path / "raw" / "incivility"


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    place = tmp_path / "mirror" / "set"
    place.mkdir(parents=True)
    (place / "a.csv").write_bytes(A)
    (place / "b.csv").write_bytes(B)
    return tmp_path / "mirror"


@pytest.fixture
def no_network(server: Server) -> Network:
    """A server that has nothing; ``server.asked`` shows whether it was asked."""
    return network(server.url)


@pytest.fixture
def original(server: Server, no_network: Network) -> Network:
    """A server that has the origin ``original``."""
    for file, data in zip(FILES, (A, B), strict=True):
        server.put(raw_path(file), data)
    return no_network
