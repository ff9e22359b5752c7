"""What the toy paper prints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from selu.papers.evidence import Tables
from selu.papers.published import PublishedTables


@dataclass(frozen=True)
class Material(PublishedTables):
    """Its one table."""

    benchmark = "toy"


def load(_root: Path, tables: Tables, _altered: bool) -> Material:
    """Take the published table."""
    return Material(tables)
