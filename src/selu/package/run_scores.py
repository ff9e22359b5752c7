"""Scores of the runs in a clone, as other programs' formats need them: with interval, rows and origin."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from selu import registry
from selu.metrics import kinds
from selu.names import DATA, PROTOCOLS, check
from selu.project import RESULTS
from selu.runs import record
from selu.runs.pipeline import read_lock
from selu.vocabulary import RunState, SeluError, Task

if TYPE_CHECKING:
    from selu.contents import Bootstrap, RunContent

_REAL = ("equal", "package", "partial")  # availability of rows that are not stand-ins
_BETWEEN = {"smape": (0.0, 2.0), "accuracy": (0.0, 1.0), "r": (-1.0, 1.0)}


class RunScore(NamedTuple):
    """The score that represents one run.

    Attributes:
        run: its record; ``fields`` hold system, model, parameters and hashes of the data.
        between: the bounds of the metric, or None where it has none.
        settings: of the interval: draws, seed, level.
    """

    task: Task
    run: RunContent
    metric: str
    is_lower_better: bool
    between: tuple[float, float] | None
    value: float
    low: float
    high: float
    rows: int
    settings: Bootstrap

    @property
    def system(self) -> str:
        """The id of the system."""
        return str(self.run["fields"]["system"])

    @property
    def protocol(self) -> str:
        """The protocol of its selection: ``paper`` or ``strict``."""
        return str(self.run["fields"]["protocol"])

    @property
    def sample(self) -> Mapping[str, int]:
        """The number of test rows drawn for it, and the seed; empty if it answers all."""
        found: Mapping[str, int] = self.run["fields"]["data"].get("sample") or {}
        return found

    @property
    def variant(self) -> str:
        """The rest of the run's name, beside protocol, sample and seed, such as the wording; often empty."""
        _, *words = str(self.run["fields"]["run"]).split("-")
        return "-".join(word for word in words if not re.fullmatch(r"(s|sample)[0-9]+", word))

    @property
    def limits(self) -> list[str]:
        """The differences from a validation-selected score on all rows of the paper, in words."""
        limits = [PROTOCOLS["paper"]] if self.protocol == "paper" else []
        limits += [f"variant {self.variant}"] if self.variant else []
        limits += [DATA["partial"]] if self.run["standing"] == "partial" else []
        return limits + ([f"{self.sample['rows']:,} sampled test rows"] if self.sample else [])


def read(root: Path, benchmark: str, systems: Sequence[str] = ()) -> list[RunScore]:
    """Read the scores of a paper's runs, of these systems or of all, without those on stand-in rows.

    Raises:
        SeluError: no run has a score, none is of a named system, or a run is damaged.
    """
    tasks = {task.id: task for task in registry.tasks(registry.known(benchmark))}
    folders = _runs(root, benchmark)
    if not folders and not _are_tracked(root, benchmark):
        raise SeluError(
            f"{benchmark} has no runs to export: 'selu list cells --paper {benchmark} --csv' prints its "
            "published scores."
        )
    if folders:
        check(systems, systems_of(root, benchmark), "system with a run")
    chosen = [folder for folder in folders if not systems or folder.parent.name in systems]
    found = [score for folder in chosen if (score := _score(folder, tasks)) is not None]
    if not found:
        raise SeluError(
            f"no run of {benchmark} has a score on the paper's rows: 'dvc pull' brings the tracked ones, 'selu "
            "run' makes others."
        )
    return found


def _are_tracked(root: Path, benchmark: str) -> bool:
    """Return whether runs of a paper are tracked; True where no lock says it."""
    try:
        return any(f"{RESULTS}/{benchmark}" in stage.writes for stage in read_lock(root))
    except SeluError:
        return True


def systems_of(root: Path, benchmark: str) -> list[str]:
    """List the systems that have runs, those with most runs first."""
    runs = Counter(folder.parent.name for folder in _runs(root, benchmark))
    return [system for system, _ in runs.most_common()]


def _runs(root: Path, benchmark: str) -> list[Path]:
    return sorted(place.parent for place in (root / RESULTS / benchmark).glob("[!.]*/[!.]*/[!.]*/run.json"))


def _score(folder: Path, tasks: Mapping[str, Task]) -> RunScore | None:
    run = record.read_run(folder)
    task = tasks.get(run["fields"]["task"])
    if task is None or run["state"] != RunState.PRESENT or run["standing"] not in _REAL:
        return None
    scores = record.read_scores(folder)
    metric, is_lower_better = kinds.metric(task.kind)
    bounds = scores["intervals"][metric]
    between = (0.0, 1.0) if metric.startswith(("f1", "precision", "recall")) else _BETWEEN.get(metric)
    return RunScore(
        task,
        run,
        metric,
        is_lower_better,
        between,
        scores["value"],
        bounds["low"],
        bounds["high"],
        scores["rows"],
        scores["bootstrap"],
    )
