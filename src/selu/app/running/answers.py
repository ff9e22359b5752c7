"""``selu run --answers``: answers of the user's own system, scored and ranked among the published ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from selu import registry
from selu.evidence.rescoring import Predictions
from selu.files import write_atomic
from selu.papers.evidence import Progress
from selu.project import REPORTS
from selu.vocabulary import SeluError


def place(root: Path, benchmark: str, file: Path, beside: Sequence[object], progress: Progress) -> list[Path]:
    """Score a file of answers and write the pages on it; returns what was written.

    Args:
        beside: filters and options, of which none may be given.

    Raises:
        SeluError: the benchmark takes no such file, something is given beside it, or as the benchmark's own.
    """
    name = registry.known(benchmark)
    answered = registry.benchmark(name).answered
    if answered is None:
        able = [paper for paper in registry.published() if registry.benchmark(paper).answered]
        raise SeluError(f"{name} takes no file of answers: --paper names one of {', '.join(able)}.")
    if any(beside):
        raise SeluError("--answers scores all answers of its file: leave filters and other options out.")
    id, files = answered(Predictions(root, name, say=progress), file, progress)
    folder = root / REPORTS / registry.local().id / name / id
    for path, content in files.items():
        write_atomic(folder / path, content)
    return [folder / path for path in files]
