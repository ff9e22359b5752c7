from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))  # behind others: names of tests recur

import pytest
from carried import Carried


@pytest.fixture
def carried(tmp_path):
    """Requests, a server and a driver."""
    with Carried(tmp_path) as found:
        yield found
