"""Paired differences of runs on the same test rows, resampled together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from selu.papers.evidence import Evidence, RunSeen
from selu.papers.selu.records.reruns import ComparisonBeside, Difference
from selu.papers.selu.reruns import cells

if TYPE_CHECKING:
    from selu.papers.selu.evidence.resampling import Drawn

DUPLICATES = "duplicates across the split"


class Pair(NamedTuple):
    """The compared runs of all seeds on either side; for DUPLICATES the same runs, then on fewer rows."""

    what: str
    first: Sequence[RunSeen]
    second: Sequence[RunSeen]


def differences(
    evidence: Evidence, runs: Sequence[RunSeen], pairs: Sequence[Pair], by_seed: bool = False
) -> Iterator[ComparisonBeside]:
    """Compare runs of one task, the first minus the second on Table VI's scale.

    Args:
        runs: all that are scored on the same resamples, in an order that decides what is drawn.
        by_seed: the mean of the seeds' differences, not the difference of their means: the same number, but
            for its last bits, which tracked files hold.

    Raises:
        MachineError: the prepared rows of the task are not here.
        SeluError: a run answers other rows.
    """
    from selu.papers.selu.evidence import resampling

    task, draws, metric = runs[0].task, evidence.draws, cells.metric_of(runs[0].task)
    rows = evidence.test_rows(runs[0])
    kept = (rows["grouped"] == "test").tolist()
    answers = [list(evidence.answers(run, rows).values()) for run in runs]
    truth, labels = rows["label"].tolist(), len(task.labels)
    drawn = resampling.draw(str(task.kind), truth, answers, kept, labels, metric, draws)
    places = {run.name: place for place, run in enumerate(runs)}
    for pair in pairs:
        first, second = ([places[run.name] for run in side] for side in (pair.first, pair.second))
        yield {
            "task": task.id,
            "system": pair.first[0].system,
            "beside": pair.second[0].system,
            "kind": str(task.kind),
            "metric": str(task.metric),
            "standing": runs[0].availability,
            "what": pair.what,
            "first": [run.run for run in pair.first],
            "second": [run.run for run in pair.second],
            **_difference(drawn, pair.what, first, second, metric, draws.level, by_seed),
            "seeds": len(pair.first),
            "rows": len(kept),
            "rows_left": sum(kept) if pair.what == DUPLICATES else None,
        }


def _difference(
    drawn: Drawn,
    what: str,
    first: Sequence[int],
    second: Sequence[int],
    metric: str,
    level: float,
    by_seed: bool,
) -> Difference:
    """Return the mean over the seeds of the first minus that of the second, with bounds."""
    from selu.metrics import percentiles

    full, draws = drawn.full, drawn.full_draws
    others, other_draws = (drawn.kept, drawn.kept_draws) if what == DUPLICATES else (full, draws)
    sign = -1.0 if metric == "smape" else 1.0
    if by_seed:
        value = cells.mean([float(full[a] - others[b]) for a, b in zip(first, second, strict=True)])
        resampled = (draws[first] - other_draws[second]).sum(axis=0) / len(first)
    else:
        value = cells.mean(full[first].tolist()) - cells.mean(others[second].tolist())
        resampled = draws[first].mean(axis=0) - other_draws[second].mean(axis=0)
    bounds = percentiles.bounds(sign * resampled, level)
    return {"value": float(sign * value), "low": bounds.low, "high": bounds.high, "error": bounds.error}
