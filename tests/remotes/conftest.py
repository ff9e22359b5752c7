"""What the tests of remotes share: a server of buckets, a line to it, and no key of this machine's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bucket import Line, Server

As = Callable[[str | None], None]


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("moto") / "log") as server:
        yield server


@pytest.fixture
def server(running: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    """With empty buckets; the environment leads to it and holds no key."""
    running.empty()
    (tmp_path / "nothing").touch()
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    settings = {
        "AWS_CONFIG_FILE": str(tmp_path / "nothing"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "nothing"),
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": running.url,
        "AWS_MAX_ATTEMPTS": "1",  # a lost line is found out in seconds
        "NO_PROXY": "*",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    return running


@pytest.fixture
def line(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    """The environment leads over this line."""
    with Line(server.url) as carrying:
        monkeypatch.setenv("AWS_ENDPOINT_URL", carrying.url)
        yield carrying


@pytest.fixture
def sign(server: Server, monkeypatch: pytest.MonkeyPatch) -> As:
    """Put the key of a user into the environment: of one who may do something, a wrong one, or None."""

    def sign_as(who: str | None) -> None:
        server.ask_for_keys(True)
        for name, value in zip(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), _keys(who), strict=True):
            monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name, raising=False)

    def _keys(who: str | None) -> tuple[str, str]:
        if who == "wrong":
            return server.keys["writer"][0], "a-secret-that-is-not-theirs"
        return server.keys[who] if who else ("", "")

    return sign_as
