"""``selu report audit``: the PDF holds every claim with its verdict, its rule and its command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from helpers import small_clone as small
from selu.app import audit_report, report
from selu.papers.page import Section
from selu.report.pdf import Document
from selu.vocabulary import SeluError


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each paragraph that goes into a document, before it is broken into lines."""
    texts: list[str] = []

    def note(_document: Document, text: str, *_: Any, **__: Any) -> None:
        texts.append(text)

    for name in ("heading", "text", "code"):
        monkeypatch.setattr(Document, name, note)
    return texts


def test_every_claim_is_there_with_what_decided_it(root: Path, written: list[str]) -> None:
    (section,) = report.sections_of(root, ["nlbse24"])
    audit_report.report(section, "abc", {"claims.json": "0" * 64})
    text = "\n".join(written)
    for claim in section.claims:
        assert f"{claim['id']}  {claim['statement']}" in text
        assert claim["because"] in text
        assert f"Holds where: {claim['rule']['holds']}" in text
        assert f"selu verify --claim {claim['id']}" in text
    assert sum("(" in line and line.startswith(("holds", "fails", "can't")) for line in written) == 61
    assert "What changes if it fails: Another team would have won the issue track." in text
    assert section.paper is not None
    assert section.paper.title in text
    assert "commit abc" in text
    assert "0" * 64 in text


def test_a_benchmark_without_claims_has_nothing_to_report(tmp_path: Path) -> None:
    with pytest.raises(SeluError, match="has no claims yet"):
        audit_report.write(tmp_path, Section("toy", "Toy", "", (), {}))


def test_no_commit_of_another_clone_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of one around the folder, nor of one whose hook calls this."""
    small.git(tmp_path, "init", "--quiet")
    small.write(tmp_path / "own" / "file", "1")
    outer = small.commit(tmp_path)
    small.git(tmp_path / "own", "init", "--quiet")
    assert audit_report.commit_of(tmp_path) == outer
    assert audit_report.commit_of(tmp_path / "own") == "not known"
    own = small.commit(tmp_path / "own")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / ".git"))
    assert audit_report.commit_of(tmp_path / "own") == own
    small.write(tmp_path / "own" / "file", "2")
    assert audit_report.commit_of(tmp_path / "own") == f"{own} with changes"
