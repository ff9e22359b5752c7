"""``selu rescore``: published predictions of a benchmark's authors, scored against the original labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from selu import registry
from selu.evidence.rescoring import Predictions
from selu.papers.evidence import Progress, Rescored
from selu.vocabulary import SeluError


def rescore(
    root: Path,
    benchmark: str,
    tasks: Sequence[str] = (),
    systems: Sequence[str] = (),
    folder: Path | None = None,
    mirror: Path | None = None,
    progress: Progress = lambda _: None,
) -> Rescored:
    """Score published predictions and write the findings; arguments as in ``rescoring.Predictions``.

    Raises:
        SeluError: an unknown benchmark or one without published predictions, or as the benchmark's own.
    """
    found = registry.benchmark(registry.known(benchmark)).rescore
    if found is None:
        raise SeluError(f"{benchmark} has no published predictions that are known here.")
    return found(Predictions(root, benchmark, tasks, systems, folder, mirror, progress), progress)
