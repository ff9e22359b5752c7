"""Scores of runs for reports: recomputed from the predictions if the rows are here.

A seal guards against accidents alone: anyone who edits a score can seal it again. The predictions decide.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from selu import registry
from selu.data.prepared import truth_of
from selu.execution import results
from selu.metrics.further import FURTHER
from selu.project import RESULTS
from selu.runs import record
from selu.vocabulary import SeluError

if TYPE_CHECKING:
    import pandas as pd

    from selu.contents import RunContent, ScoresContent

_CLOSE = 1e-9  # machines round sums and logarithms differently in the last digits
_ERRORS = 8  # Monte-Carlo errors by which bounds of other draws may differ: a machine may draw others
_POINTS = ("metric", "value", "rows", "scores", "grouped", "constant")


class Scores:
    """Reads scores of runs and holds them to the predictions.

    Args:
        bounds: whether the interval of the main score is drawn again too; that takes most of the time.
    """

    def __init__(self, root: Path, bounds: bool = True) -> None:
        self.root = root
        self.seen, self.unchecked = 0, 0
        self._bounds = bounds
        self._rows: dict[tuple[str, str], pd.DataFrame | None] = {}
        self._lacking: dict[str, dict[str, None]] = {}  # why rows are not taken -> tasks

    def read(self, folder: Path) -> ScoresContent:
        """Read a run's scores.

        Raises:
            SeluError: as ``record.read_scored``, or its predictions give other ones.
        """
        self.seen += 1
        run, scores = record.read_scored(folder)
        rows = self._test_rows(run["fields"]["task"], run["fields"]["protocol"])
        if rows is None:
            self.unchecked += 1
            return scores
        try:
            difference = self._difference(folder, scores, run, rows)
        except (ValueError, TypeError, KeyError) as error:
            difference = f"what can't be computed from its predictions ({error})"
        if difference:
            task, system = folder.parts[-3:-1]
            again = f"selu score --task {task} --system {system}"
            raise SeluError(
                f"{folder / record.SCORES} says {difference}: score it again with '{again}', or bring a "
                f"tracked run back with 'dvc checkout --force {folder}'."
            )
        return scores

    def note(self) -> str | None:
        """Describe how many scores could not be recomputed, why, and what to do; None if all were."""
        if not self.unchecked:
            return None
        why = "; ".join(f"{reason} ({_some(list(names))})" for reason, names in self._lacking.items())
        return f"{self.unchecked} of {self.seen} scores could not be recomputed from their predictions: {why}."

    def _test_rows(self, name: str, protocol: str) -> pd.DataFrame | None:
        key = name, protocol
        if key not in self._rows:
            try:
                self._rows[key] = truth_of(self.root, registry.task_of(self.root, name), protocol)
            except (SeluError, OSError):
                self._rows[key] = None
                self._lacking.setdefault(self._reason(name), {})[name] = None
        return self._rows[key]

    def _reason(self, name: str) -> str:
        if not registry.rows_of(self.root, name).is_file():
            return f"their rows are not here, {_how_prepared(name)}"
        return "the rows here are not the recorded ones, 'selu prepare' with the task makes them again"

    def _difference(
        self, folder: Path, scores: ScoresContent, run: RunContent, rows: pd.DataFrame
    ) -> str | None:
        """Describe where the scores differ from the predictions; None if they agree."""
        rows = results.asked_rows(rows, run["fields"])
        answers = results.read_answers(folder, rows, run["identity"])
        found = results.compute_scores(run, rows, answers)
        newer = FURTHER.get(run["fields"]["kind"], {}).keys() - scores["scores"].keys()
        found["scores"] = {name: value for name, value in found["scores"].items() if name not in newer}
        if difference := _apart({name: value for name, value in scores.items() if name in _POINTS}, found):
            return difference
        if not self._bounds:
            return None
        name, settings = found["metric"], results.read_bootstrap(self.root)
        drawn = results.draw_intervals(run, rows, answers, settings, (name,))[name]
        allowed = _ERRORS * drawn["error"] + 2 / found["rows"]  # the score of one row more or less is a step
        for bound, value in drawn.items():
            given = scores["intervals"][name][bound]
            if not abs(given - value) <= allowed:
                return f"{bound} {given} for its interval, but the predictions give {value:.4f}"
        return None


def _how_prepared(task: str) -> str:
    """Write the command that prepares the rows of a task with those beside it."""
    benchmark = registry.benchmark_of(task)
    if benchmark == registry.DEFAULT:
        return "'make data' fetches and prepares them"
    if registry.local_tasks(task):
        return "'selu prepare' with the task prepares them"
    return f"'selu prepare --paper {benchmark}' prepares them"


def check(root: Path, benchmark: str) -> tuple[list[str], str | None]:
    """Compute the scores of all runs of a benchmark again, without their intervals.

    Returns:
        a sentence per run whose scores are not those of its predictions, and in one how many were computed, or
        None where no run is here.
    """
    scores, wrong = Scores(root, bounds=False), []
    for path in sorted((root / RESULTS / benchmark).glob(f"*/*/[!.]*/{record.SCORES}")):
        try:
            scores.read(path.parent)
        except SeluError as error:
            wrong.append(str(error))
    sentences = []
    if same := scores.seen - scores.unchecked - len(wrong):
        sentences = [f"{same} of {scores.seen} scores of runs match their predictions."]
    return wrong, " ".join([*sentences, *filter(None, [scores.note()])]) or None


def _apart(given: object, found: object, name: str = "") -> str | None:
    """Find the first place where two records differ by more than rounding, in words."""
    if isinstance(given, dict) and isinstance(found, dict) and given.keys() == found.keys():
        pairs = [(given[key], found[key], f"{name}.{key}".lstrip(".")) for key in found]
    elif isinstance(given, list) and isinstance(found, list) and len(given) == len(found):
        pairs = [(left, right, name) for left, right in zip(given, found, strict=True)]
    elif isinstance(given, float) and isinstance(found, float):
        same = math.isclose(given, found, rel_tol=_CLOSE, abs_tol=_CLOSE)
        return None if same else f"{name} {given}, but the predictions give {found}"
    else:
        return None if given == found else f"{name} {given}, but the predictions give {found}"
    return next((difference for pair in pairs if (difference := _apart(*pair))), None)


def _some(names: list[str]) -> str:
    rest = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + rest
