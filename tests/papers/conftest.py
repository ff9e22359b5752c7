from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

FINDINGS = Path(__file__).parents[1] / "golden" / "findings.json"


@pytest.fixture(scope="session")
def hold() -> Iterator[Callable[[str, list[str]], None]]:
    """Hold what a claim says of altered and of random evidence to what it said before.

    With SELU_NEW_FINDINGS set and in one process (``-n 0``) it is written again, where a change was meant.
    """
    kept, anew = json.loads(FINDINGS.read_text("utf-8")), "SELU_NEW_FINDINGS" in os.environ

    def hold(id: str, found: list[str]) -> None:
        if anew:
            kept[id] = found
        assert found == kept.get(id)

    yield hold
    if anew:
        FINDINGS.write_text(json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")
