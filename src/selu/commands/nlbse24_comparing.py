"""``selu report comparisons`` and ``reruns`` of NLBSE'24: what its runs score, beside the print.

``comparisons`` resamples test rows, so it takes the prepared rows, which are third-party data and tracked
nowhere, and the predictions. ``reruns`` lays the scores that it found out as a table.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from selu.benchmarks.nlbse24 import material, reruns, results
from selu.benchmarks.nlbse24.rescored import Draws
from selu.commands import nlbse24_runs
from selu.commands.nlbse24_runs import BENCHMARK
from selu.project import read_json, read_knobs, read_tables, to_json, write_atomic
from selu.systems.baseline.knobs import BootstrapKnobs

REPORTS = Path("reports") / BENCHMARK
FOUND, RERUNS = "results.json", "reruns.csv"
Progress = Callable[[str], None]
Record = dict[str, Any]


def compare(root: Path, progress: Progress = lambda _: None) -> list[Path]:
    """Score all standing runs with intervals, differences and ranks, and write what was found.

    Raises:
        SeluError: no run is there, one is stale or damaged, or the prepared rows of a task are not here.
    """
    path = root / REPORTS / FOUND
    write_atomic(path, to_json(entries(root, progress)))
    return [path, *tabulate(root)]


def tabulate(root: Path) -> list[Path]:
    """Write the scores of the record of results as one long table.

    Raises:
        SeluError: the record is missing or damaged.
    """
    path = root / REPORTS / RERUNS
    found = read_json(
        root / REPORTS / FOUND, f"selu report comparisons --benchmark {BENCHMARK}", results.TRACKS
    )
    write_atomic(path, reruns.to_csv(found))
    return [path]


def entries(root: Path, progress: Progress) -> Record:
    """The record of both tracks; errors as of ``compare``."""
    knobs = read_knobs(root, "selu", "bootstrap", BootstrapKnobs)
    draws = Draws(knobs.draws, knobs.seed, knobs.level)
    printed = material.read(read_tables(root, BENCHMARK))
    groups = nlbse24_runs.standing(root)
    test = nlbse24_runs.test_rows(root, groups)
    ways = (nlbse24_runs.issue_questions, results.issues), (nlbse24_runs.comment_questions, results.comments)
    found: Record = {"bootstrap": {"draws": draws.draws, "seed": draws.seed, "level": draws.level}}
    for track, (questions, score) in zip(results.TRACKS, ways, strict=True):
        entrants = [nlbse24_runs.entrant(runs, test) for key, runs in groups.items() if key.track == track]
        progress(f"{track}: {len(entrants)} entrants, {draws.draws} draws")
        found[track] = score(printed, questions(test), entrants, draws)
    return found | {"not_run": nlbse24_runs.not_run(root, groups)}
