"""Where the default benchmark's files lie in a clone."""

from __future__ import annotations

from pathlib import Path

from selu import project
from selu.registry import DEFAULT

CLEAN = project.CLEAN / DEFAULT
SPLITS = project.SPLITS / DEFAULT
RESULTS = project.RESULTS / DEFAULT
RECORDS = Path("reports") / DEFAULT / "data"
