"""A reviewer's PDF: nothing is lost or runs off the page, and the same content gives the same bytes."""

from __future__ import annotations

from typing import Any

import pytest

from selu.report.pdf import MARGIN, WIDTH, Document, lines, measure


@pytest.mark.parametrize(
    "text", ["a few short words and a ratherlongone", "", "x" * 300, "Peña ≤ 95 % “quoted”"]
)
def test_lines_keep_every_letter_and_fit(text: str) -> None:
    found = lines(text, 100, 9)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(measure(line, 9) <= 100 for line in found)


def test_bold_is_measured_as_bold() -> None:
    assert measure("minimum", 9, bold=True) > measure("minimum", 9) > 0


@pytest.mark.ci
def test_pages_fill_downwards_inside_the_margins(monkeypatch: pytest.MonkeyPatch) -> None:
    placed: list[tuple[float, float, str]] = []
    put = Document._put

    def noted(document: Document, left: float, text: str, *rest: Any) -> None:
        placed.append((left + measure(text, *rest[:2]), document._at, text))
        put(document, left, text, *rest)

    monkeypatch.setattr(Document, "_put", noted)
    document = Document("Title", "foot")
    for number in range(60):
        document.heading(f"Heading {number}")
        document.text("some words of a sentence " * 9, indent=12)
    document.table([("Name", "Number"), ("a name that is long " * 6, "1")], (0.3, 0.1))
    assert max(right for right, _, _ in placed) <= WIDTH - MARGIN
    assert min(at for _, at, _ in placed) >= MARGIN - 1
    assert sum(text == f"Heading {number}" for number in range(60) for _, _, text in placed) == 60
    content = document.content()
    assert content.startswith(b"%PDF")
    assert b"/CreationDate" not in content


def test_the_same_content_gives_the_same_bytes() -> None:
    def made() -> bytes:
        document = Document("Title", "foot")
        document.text("Words, and $signs$ that are no formula.")
        document.code("selu verify --claim C001")
        return document.content()

    assert made() == made()
