"""What a search of the site looks through."""

from __future__ import annotations

import re
from pathlib import Path

from .conftest import searched


def test_scores_that_end_in_zero_are_found_as_the_paper_prints_them(root: Path) -> None:
    """Whoever looked for .880 found nothing: the entry was 0.88."""
    site = {"assets/index.js": (root / "reports" / "site" / "assets" / "index.js").read_bytes()}
    scores = [text for paper, kind, text, _ in searched(site) if (paper, kind) == ("SELU", "score")]
    assert len(scores) > 500
    assert [text for text in scores if not re.match(r"-?\d\.\d{3},", text)] == []


def test_how_to_cite_and_licences_are_found(site: dict[str, bytes]) -> None:
    pages = [(text, address) for _, kind, text, address in searched(site) if kind == "page"]
    assert any("cite" in text and address == "index.html#cite" for text, address in pages)
    assert any("Licences" in text for text, _ in pages)
