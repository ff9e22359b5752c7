"""Possible locations of files that a benchmark's authors, or others, publish."""

from __future__ import annotations

import os
from pathlib import Path

from selu.project import RAW
from selu.vocabulary import SeluError

PREDICTIONS = "predictions"  # folder of their pins, and of their copies in the clone and in a mirror


def fetched(root: Path, benchmark: str) -> Path:
    """Return where ``selu fetch`` puts the files of a list of published ones."""
    return root / RAW / benchmark / "published"


def copies(root: Path, benchmark: str, folder: Path | None, mirror: Path | None) -> tuple[Path, ...]:
    """List the folders that may have copies, in search order."""
    named = os.environ.get("SELU_PREDICTIONS")
    first = folder or (Path(named) if named else None)
    if first is not None and not first.is_dir():
        raise SeluError(f"{first} is not a folder: give the one with the published predictions, or none.")
    given = [first / benchmark, first] if first else []
    mirrored = [mirror / benchmark / PREDICTIONS] if mirror else []
    places = (*given, *mirrored, fetched(root, benchmark))
    return tuple(place for place in places if place.is_dir())
