from __future__ import annotations

from pathlib import Path

import pytest
import tiny


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small plain encoder, as the authors' BERTOverflow is one; nobody writes into it."""
    return tiny.make("bert", tmp_path_factory.mktemp("models") / "bert")
