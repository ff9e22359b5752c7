"""The tests of the readers import ``reader_bench``, which stands beside them."""

from __future__ import annotations

from pathlib import Path

import pytest
from reader_bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)
