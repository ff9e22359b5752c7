"""One part of the report."""

from __future__ import annotations

from collections.abc import Mapping

from selu.papers.evidence import Evidence, Part, Progress


def _errors(evidence: Evidence, _progress: Progress) -> Mapping[str, str]:
    """Write the score of each run."""
    runs = evidence.runs(systems=("overlap",))
    lines = [f"{run.task.id},{evidence.scores(run)['value']:.6f}" for run in runs]
    return {"errors.csv": "\n".join(["task,mean error", *lines]) + "\n"}


PARTS = {"errors": Part(_errors)}
