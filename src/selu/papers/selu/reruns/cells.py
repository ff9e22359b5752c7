"""Scores of Table VI beside their re-runs: values, verdicts and reasons, as pure functions of records.

All values are on Table VI's scale, where higher is better: SMAPE, which is an error, is turned into 1 - SMAPE.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, TypeVar

from selu.contents import RunContent, ScoresContent
from selu.papers.records import CELL_FIELDS as CELL_FIELDS  # read from here, beside the entries
from selu.papers.records import turned as turned
from selu.papers.selu import design
from selu.papers.selu.records.reruns import (
    Bounds,
    Difference,
    FitCost,
    Grouped,
    RerunCell,
    Summary,
    WithState,
)
from selu.papers.selu.records.rescored import RescoredCell
from selu.stats.rounding import to_digits, verdict
from selu.vocabulary import WHOLE, CellState, CellVerdict, Evidence, KnownFields, Metric, System, Task

DIGITS = 3  # of Table VI
PRESENT = "present"
NO_DATA = "no data"  # state of a cell whose task has no real rows here
SYNTHETIC = "synthetic"
NO_ROWS = "its data set is not available here; stand-in data are left out"
COLLAPSED = "every seed gives one answer to all test rows"
_REASONS = Path(__file__).parent / "deviations.yaml"
Planned = TypeVar("Planned", bound=WithState)


@dataclass(frozen=True, slots=True)
class Ran:
    """A run's files: ``record`` is run.json, ``scores`` is scores.json, if ``state`` is present.

    ``state`` is present, missing, failed, stale, damaged or not scored; ``part`` what the run stands for:
    paper (the protocol in its own environment), current (the same with the current libraries) or strict.
    """

    name: str
    part: str
    seed: int
    environment: str
    availability: str
    state: str
    record: RunContent | None = None
    scores: ScoresContent | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Paper:
    """The published score: its text, and the full digits if they are known."""

    published: str | None
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Reason(KnownFields):
    """The reason why a score differs: measured facts in one or a few sentences."""

    task: str
    system: str
    reason: str


def equal_digits(value: float, published: float) -> int | None:
    """Return the decimals, up to 12, at which both round to the same; None if they are the same number."""
    if value == published:
        return None
    places = range(12, 0, -1)
    return next((d for d in places if to_digits(value, d) == to_digits(published, d)), 0)


def side(difference: Difference) -> int:
    """Return 1 if a difference's whole interval lies above 0, -1 if below, and 0 if it includes 0.

    A bound that is no further from 0 than its Monte-Carlo error holds it.
    """
    return int(difference["low"] > difference["error"]) - int(difference["high"] < -difference["error"])


def re_run(task: Task, system: System, paper: Paper, ran: Sequence[Ran], reason: str | None) -> RerunCell:
    """Return a cell that was run again from raw bytes, or the reason why it is not there.

    Args:
        ran: its runs under the current parameters, of all parts and seeds.
        reason: why it deviates, or on which rows it is, as declared; a collapse needs no declaration.

    Returns:
        the entry of cells.json. Without every seed of the protocol there is no value: an average skips no hole.
    """
    entry = _entry(task, system, paper)
    if not ran:
        return {**entry, **_unrun(task, system)}
    parts = {part: [run for run in ran if run.part == part] for part in ("paper", "current", "strict")}
    own = parts["paper"]
    entry |= {
        "standing": own[0].availability,
        "state": _state(own),
        "states": {part: _state(runs) for part, runs in parts.items() if runs},
        "run": own[0].name,
        "environment": own[0].environment,
        "seeds": [
            {"seed": run.seed, "state": run.state, "value": run.scores and bounds(run.scores)["value"]}
            for run in own
        ],
    }
    found = _summary(own)
    if found is None:
        gone = sum(run.state != PRESENT for run in own)
        named = holes((run.name, run.state, run.error) for run in own)
        return entry | {"reason": f"{gone} of {len(own)} runs: {named}"}
    current, strict = _summary(parts["current"]), _summary(parts["strict"])
    constant = all(run.scores and run.scores["constant"] for run in own)
    return {
        **entry,
        **found,
        **_beside(paper, found, reason or (COLLAPSED if constant else None), own[0].availability in WHOLE),
        "current": current and {"value": current["value"], "difference": found["value"] - current["value"]},
        "strict": strict and {"value": strict["value"], "low": strict["low"], "high": strict["high"]},
        "chosen": _chosen(own),
        "grouped": _grouped(own),
        "constant": constant,
        "cost": _cost(own),
    }


def _beside(paper: Paper, found: Summary, reason: str | None, whole: bool) -> _Beside:
    """Compare a value with the published one; on part of the rows, equal digits are no reproduction."""
    stands = None
    if paper.published is not None:
        stands = verdict(paper.published, paper.value, found["value"], found["low"], found["high"])
        stands = CellVerdict.WITHIN_NOISE if stands is CellVerdict.REPRODUCED and not whole else stands
    return {
        "evidence": str(Evidence.RE_RUN),
        "exact": whole and paper.value is not None and found["value"] == paper.value,
        "verdict": None if stands is None else str(stands),
        "difference": None if paper.value is None else found["value"] - paper.value,
        "reason": reason if stands is CellVerdict.DEVIATES or not whole else None,
    }


def re_scored(task: Task, system: System, found: RescoredCell) -> RerunCell:
    """Return a score of ``reports/selu/rescored.json``: the authors' published predictions on our labels."""
    paper = Paper(found["printed"], found.get("their_value"))
    entry = _entry(task, system, paper) | {"state": found["state"]}
    if found["state"] != PRESENT:
        return entry | {"reason": found["finding"]}
    value, low, high = found["value"], found["interval"]["low"], found["interval"]["high"]
    stands = verdict(found["printed"], None, value, low, high)
    return {
        **entry,
        "standing": found["labels"]["standing"],
        "evidence": str(Evidence.RE_SCORED),
        "value": value,
        "low": low,
        "high": high,
        "error": found["interval"].get("error"),
        "rows": found["rows"],
        "exact": paper.value is not None and value == paper.value,
        "verdict": str(stands),
        "difference": value - (float(found["printed"]) if paper.value is None else paper.value),
        "reason": None if stands is CellVerdict.REPRODUCED else found["finding"],
        "constant": found["collapsed"] is not None,
    }


def declared_reasons() -> Mapping[tuple[str, str], str]:
    """(task, system) -> why the cell deviates."""
    import yaml
    from pydantic import TypeAdapter

    entries = TypeAdapter(tuple[Reason, ...]).validate_python(yaml.safe_load(_REASONS.read_text("utf-8")))
    return {(entry.task, entry.system): entry.reason for entry in entries}


def stale_reasons(reasons: Iterable[tuple[str, str]], cells: Iterable[RerunCell]) -> list[str]:
    """List declared reasons for scores on all rows that do not differ, and for scores that do not exist.

    A cell without a verdict is left alone.
    """
    verdicts = {
        (cell["task"], cell["system"]): cell["verdict"] if cell["standing"] in WHOLE else None for cell in cells
    }
    allowed = (None, str(CellVerdict.DEVIATES))
    return [f"{task}/{system}" for task, system in reasons if verdicts.get((task, system), "") not in allowed]


def planned(cells: Iterable[Planned]) -> list[Planned]:
    """Return cells of tasks with real rows that the system can answer, run or not."""
    return [cell for cell in cells if cell["state"] not in (CellState.ABSENT_BY_DESIGN, NO_DATA)]


def mean(values: Sequence[float]) -> float:
    """Return the mean that is the value itself where all are the same, to the last bit."""
    return values[0] if len(set(values)) == 1 else math.fsum(values) / len(values)


class _Beside(TypedDict):
    evidence: str
    exact: bool
    verdict: str | None
    difference: float | None
    reason: str | None


class _Unrun(TypedDict, total=False):
    state: str
    standing: str
    reason: str


def _entry(task: Task, system: System, paper: Paper) -> RerunCell:
    """Return the entry of a score of which only the published number is known."""
    return {
        "task": task.id,
        "system": system.id,
        "name": system.name,
        "kind": str(task.kind),
        "metric": str(task.metric),
        "printed": paper.published,
        "published": paper.value,
        "evidence": str(Evidence.PUBLISHED) if paper.published is not None else None,
        "standing": None,
        "state": "missing",
        "states": {},
        "value": None,
        "low": None,
        "high": None,
        "error": None,
        "rows": None,
        "seeds": [],
        "exact": False,
        "verdict": None,
        "difference": None,
        "reason": None,
        "run": None,
        "environment": None,
        "chosen": None,
        "current": None,
        "strict": None,
        "grouped": None,
        "constant": None,
        "cost": None,
    }


def _unrun(task: Task, system: System) -> _Unrun:
    absence = design.absence(system, task)
    if absence is not None:
        return {"state": str(CellState.ABSENT_BY_DESIGN), "reason": absence}
    return {
        "state": NO_DATA,
        "standing": SYNTHETIC,
        "reason": "its data set is not available here, and stand-in data give no score of the paper's",
    }


def _state(runs: Sequence[Ran]) -> str:
    """Return PRESENT if every run is present, else the first other state."""
    return next((run.state for run in runs if run.state != PRESENT), PRESENT)


def holes(runs: Iterable[tuple[str, str, str | None]]) -> str:
    """Name the runs that are missing, each with its state, and the errors of those that failed.

    Args:
        runs: name, state and error of each.
    """
    gone = [run for run in runs if run[1] != PRESENT]
    states = ", ".join(f"{name.rpartition('/')[2]} {state}" for name, state, _ in gone)
    return "; ".join([states, *dict.fromkeys(error for _, _, error in gone if error)])


def _summary(runs: Sequence[Ran]) -> Summary | None:
    """Return mean, lowest low and highest high over the seeds; None if one is not present.

    ``error`` is the largest Monte-Carlo standard error of these bounds.
    """
    scores = [run.scores for run in runs if run.state == PRESENT and run.scores is not None]
    if not runs or len(scores) < len(runs):
        return None
    found = [bounds(run) for run in scores]
    return {
        "value": mean([score["value"] for score in found]),
        "low": min(score["low"] for score in found),
        "high": max(score["high"] for score in found),
        "error": max(run["intervals"][run["metric"]]["error"] for run in scores),
        "rows": scores[0]["rows"],
    }


def _chosen(runs: Sequence[Ran]) -> Mapping[str, object] | None:
    """Return the picked candidate if all seeds picked the same; a training has one."""
    picks = [run.record and run.record.get("chosen") for run in runs]
    return dict(picks[0]) if picks[0] and all(pick == picks[0] for pick in picks) else None


def bounds(scores: ScoresContent) -> Bounds:
    """Return a run's score with its interval on Table VI's scale."""
    metric, interval = scores["metric"], scores["intervals"][scores["metric"]]
    low, high = sorted(turned(metric, interval[end]) for end in ("low", "high"))
    return {"value": turned(metric, scores["value"]), "low": low, "high": high}


def _grouped(runs: Sequence[Ran]) -> Grouped:
    scores = [run.scores for run in runs if run.scores]
    left = scores[0]["grouped"]["rows"]
    grouped = ((run["metric"], run["grouped"]["value"]) for run in scores)
    values = [turned(metric, value) for metric, value in grouped if value is not None] if left else []
    return {"rows": scores[0]["rows"], "rows_left": left, "value": mean(values) if values else None}


def _cost(runs: Sequence[Ran]) -> FitCost:
    """Sum the cost of the fits of all seeds; joules only if every run measured them."""
    costs = [run.record["cost"] for run in runs if run.record]
    joules = [cost["joules"] for cost in costs if cost.get("joules") is not None]
    return {
        "seconds": math.fsum(cost["unit_seconds"] for cost in costs),
        "cpu_seconds": math.fsum(cost["cpu_seconds"] for cost in costs),
        "joules": math.fsum(joules) if len(joules) == len(costs) else None,
        "fits": sum(cost["units"] for cost in costs),
    }


def metric_of(task: Task) -> str:
    """Return the name of a run's score that is the score of the task."""
    return "smape" if task.metric is Metric.ONE_MINUS_SMAPE else str(task.metric)
