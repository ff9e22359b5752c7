"""What the tests of all benchmarks' claims share: they import ``redrawn``, which stands beside this file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # --import-mode=importlib adds no folder of its own
pytest.register_assert_rewrite("redrawn")
