from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path

sys.path.append(str(Path(__file__).parent))  # behind others: names of tests recur

import pytest
from carried import Carried


@pytest.fixture(scope="session", autouse=True)
def certificates():
    """Read once, not by each of hundreds of clients: nothing here goes over TLS."""
    import httpcore2

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpcore2, "default_ssl_context", lru_cache(httpcore2.default_ssl_context))
        yield


@pytest.fixture
def carried(tmp_path):
    """Requests, a server and a driver."""
    with Carried(tmp_path) as found:
        yield found
