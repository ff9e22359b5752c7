"""``selu plan``: the state of each run, and the estimated cost of the others, by timed runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import median

from selu.cost.texts import CONTEXT, count_texts, count_tokens
from selu.data.prepared import has_data
from selu.execution import results
from selu.execution.planned import Planned, Wanted
from selu.execution.plans import family_of, plan
from selu.papers.costs import RunRow
from selu.project import SHARED, read_settings
from selu.registry import rows_of
from selu.runs import nvidia, record
from selu.systems.finetune.cost.profiles import ProfileSettings
from selu.vocabulary import Task

NO_DATA, NOT_SCORED = "no data", "not scored"
# Seconds of one candidate per row and output where no run was timed yet (measured once, on two cores).
_FIRST_GUESS = {
    "tfidf-xgboost": 3e-4,
    "fasttext": 4e-5,
    "encoder-logistic": 5e-3,
    "encoder-linear": 1e-2,
    "setfit": 0.5,
}
_OTHER_GUESS = 1e-4
# Of one training per token, epoch and parameter: the median over tasks, most of which stop early (MiniLM-L6, on
# one core); ``cost.pace`` knows other machines.
_TRAINING_GUESS = 1.9e-11


@dataclass(frozen=True, slots=True)
class Timed:
    """The cost of a candidate of a timed run: seconds in all and per unit of size, and bytes of memory."""

    seconds: float
    rate: float
    memory: int


def table(root: Path, wanted: Wanted) -> list[RunRow]:
    """Show a row per planned run: its state, and where it is to be run, estimated minutes, memory and disk."""
    runs = [run for run in plan(root, wanted) if not family_of(run).paid]  # which ``prices`` covers
    history = _history(root, runs)
    return [_row(root, run, history) for run in runs]


def guesses(root: Path, runs: Sequence[Planned]) -> Mapping[str, tuple[float | None, int | None]]:
    """Guess seconds of one core (None: of unknown size), and memory where a like run was timed, by run."""
    history = _history(root, runs)
    found: dict[str, tuple[float | None, int | None]] = {}
    for run in runs:
        seconds, memory = _guess(root, run, history)
        found[run.name] = (None if seconds is None else family_of(run).fits(run) * seconds, memory)
    return found


def summary(rows: Sequence[RunRow]) -> str:
    """Summarize the table in a sentence."""
    waiting = [row for row in rows if row["state"] not in ("present", "failed", NOT_SCORED)]
    unscored = sum(row["state"] == NOT_SCORED for row in rows)
    guessed = [row["minutes"] for row in waiting if row["minutes"] is not None]
    unknown = len(waiting) - len(guessed)
    blocked = sum(row["state"] == NO_DATA for row in waiting)
    time = (
        f"about {sum(guessed):.0f} minutes of one core like those that were timed"
        if guessed or not unknown
        else "no time estimate"
    )
    text = f"{len(rows)} runs, {len(waiting)} of them not run yet; {time}"
    if unknown:
        text += f" (model size unknown for {unknown}, not counted: the model's config.json is not here)"
    if blocked:
        text += f"; {blocked} of them lack their prepared rows ('make data' fetches and prepares them)"
    if unscored:
        text += f"; {unscored} are there but not scored ('selu run' scores them)"
    return text + "."


def _row(root: Path, run: Planned, history: Mapping[str, list[Timed]]) -> RunRow:
    state: str = record.state(run.folder, run.identity).value
    todo = state not in ("present", "failed")
    if todo and not has_data(root, run.task.id):
        state = NO_DATA
    if state == "present" and not results.has_scores(root, run):
        state = NOT_SCORED
    fits = family_of(run).fits(run)
    seconds, memory = _guess(root, run, history)
    disk = _unmeasured(root, run)[1]
    return {
        "run": run.name,
        "environment": run.environment,
        "data": run.availability,
        "state": state,
        "fits": fits if todo else 0,
        "minutes": round(fits * seconds / 60, 1) if todo and seconds is not None else None,
        "memory_mb": round(memory / 2**20) if todo and memory else None,
        "disk_mb": round(disk, 1) if todo and disk is not None else None,
    }


def _guess(root: Path, run: Planned, history: Mapping[str, list[Timed]]) -> tuple[float | None, int | None]:
    """Guess seconds and memory of one candidate: of the cell's own timed runs, else of the system's by size.

    None: nothing is known of it, not even how large its model is.
    """
    own = history.get(f"{run.task.id}/{run.system}")
    if own:
        return median(timed.seconds for timed in own), max(timed.memory for timed in own)
    others = history.get(run.system)
    if others:
        return median(timed.rate for timed in others) * _size(root, run), max(timed.memory for timed in others)
    return _unmeasured(root, run)[0], None


def _size(root: Path, run: Planned) -> float:
    """Return rows times outputs (trees are grown per class or label); of a training, tokens of all epochs."""
    if family_of(run).trains:
        context = int((run.fields.get("model") or {}).get("context") or CONTEXT)
        return run.task.instances * int(run.grid[0]["epochs"]) * _tokens(root, run.task, context)
    outputs = len(run.task.labels) if run.task.kind in ("multi_class", "multi_label") else 1
    return run.task.instances * outputs


@lru_cache(maxsize=256)  # the seeds and protocols of a cell share it
def _tokens(root: Path, task: Task, context: int) -> float:
    """Count the tokens of a row on average, cut at the context, as far as lengths are tracked."""
    assumed = read_settings(root, SHARED, "profiles", ProfileSettings).assumed
    texts = count_texts(root, task, "strict", assumed)
    cut = count_tokens(texts, task, assumed.subwords, context)
    return cut.train / texts.train * sum(cut.lengths) / len(cut.lengths)  # a document is cut into many


def _unmeasured(root: Path, run: Planned) -> tuple[float | None, float | None]:
    """Guess seconds of a fit before any was timed, and megabytes on disk; None: of unknown size.

    On disk lies the lesson while it is learnt, about the rows unpacked, and the candidates' answers; of a
    training the model that it leaves, and its checkpoint: weights, the best ones, two moments of each.
    """
    if family_of(run).trains:
        size = run.parameters
        return (_TRAINING_GUESS * _size(root, run) * size, 4 * 5 * size / 1e6) if size else (None, None)
    path, instances = rows_of(root, run.task.id), run.task.instances
    rows = 6 * path.stat().st_size if path.is_file() else 300 * instances
    seconds = _FIRST_GUESS.get(run.learner, _OTHER_GUESS) * _size(root, run)
    return seconds, (rows + family_of(run).fits(run) * 8 * instances) / 1e6


def _history(root: Path, runs: Sequence[Planned]) -> Mapping[str, list[Timed]]:
    """Read timed runs by cell and by system. Whatever they were, their time tells: no identity is asked for.

    Without a GPU here, those of a CPU.
    """
    found: dict[str, list[Timed]] = {}
    for run in {run.folder: run for run in runs}.values():
        path = run.folder / record.RUN
        if not path.is_file():
            continue
        try:
            content = json.loads(path.read_text("utf-8"))
            cost, device = content["cost"], record.device_of(content)
            if device != record.CPU and not nvidia.has_gpu():
                continue  # a GPU's time says nothing about a core's
            # on a CPU the clock also counts what ran beside it
            clock = "cpu_seconds" if device == record.CPU else "unit_seconds"
            seconds, memory = cost[clock] / cost["units"], int(cost["peak_memory_bytes"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError):
            continue
        timed = Timed(seconds, seconds / _size(root, run), memory)
        for key in (f"{run.task.id}/{run.system}", run.system):
            found.setdefault(key, []).append(timed)
    return found
