from __future__ import annotations

from pathlib import Path

import pytest

from selu.papers.blanca.material import Material
from selu.registry import load


@pytest.fixture(scope="session")
def paper(root: Path) -> Material:
    """The paper with its tracked evidence."""
    return load(root, "blanca")  # type: ignore[return-value]
