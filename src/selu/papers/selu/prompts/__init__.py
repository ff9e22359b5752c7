"""Templates of SELU's prompts, in the form of its Figure 4, and made-up rows to show and measure them with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

FOLDER = Path(__file__).parent


def examples() -> Mapping[str, list[tuple[str, str]]]:
    """Return four texts per task, each with its answer in words, all written for this project."""
    import yaml

    parsed = yaml.safe_load((FOLDER / "examples.yaml").read_text("utf-8"))
    return {task: [(row["text"], row["answer"]) for row in rows] for task, rows in parsed.items()}
