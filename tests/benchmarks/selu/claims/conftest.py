"""What the tests of claims share: they import ``alterations`` and ``claim_tests``, which stand beside them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from selu.benchmarks.selu.material import Material

sys.path.insert(0, str(Path(__file__).parent))  # --import-mode=importlib adds no folder of its own
pytest.register_assert_rewrite("claim_tests")


@pytest.fixture(scope="session")
def equal_means(quick: Material) -> Material:
    """Table IV with one mean for all systems, which leaves neither a large group nor tiers."""
    for system in quick.systems:
        quick = quick.with_printed("table4", system.name, "M", "0.500")
    return quick
