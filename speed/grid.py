"""The whole grid of TF-IDF+XGBoost on real tasks: the authors' way against ours, in one run.

Their way: one candidate after another, each a scikit-learn pipeline that vectorises the texts again and grows
its trees on all words with a thread per core (``n_jobs=-1``). Their script also predicts the train rows of each
candidate; that is left out of the timing. Our way: what ``selu run`` does, with its worker processes side by
side, one thread each, their start counted. Texts are vectorised once per process, and trees are grown on the
words that a split may use. Both have the same libraries and rows; protocol ``paper``, whose candidates learn
from all rows but the test rows and answer these.

Prints (and writes with ``--out``) the wall time of each way per task, the least of several interleaved rounds,
and their ratio, after it has checked that all answers of all candidates are equal. Needs the prepared rows
(``make data``) and the baselines' libraries.

    python speed/grid.py                               three tasks
    python speed/grid.py security_requirement          a first look
    python speed/grid.py --rounds 1 smell_doc story_points
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from timing import heading, print_lines

import selu
from selu.execution import plans, protocols, results
from selu.execution.plans import Planned, Wanted
from selu.project import find_root
from selu.runs import identity, seals
from selu.runs.workers import Workers

TASKS = ("security_requirement", "smell_doc", "comment_type_java")
Answers = list[list[Any]]  # of each candidate, in the order of the grid


def plain(run: Planned, fit: Any, asked: Any) -> Answers:
    """Each candidate as a pipeline of its own, one after another."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.multioutput import MultiOutputClassifier
    from sklearn.pipeline import make_pipeline
    from xgboost import XGBClassifier, XGBRegressor

    found = []
    for params in run.grid:
        settings = {**params, "random_state": run.seed, "n_jobs": -1}
        if run.learner == "tfidf-squared-error":
            settings["objective"] = "reg:squarederror"
        model: Any = (XGBRegressor if run.task.kind == "regression" else XGBClassifier)(**settings)
        if run.task.kind == "multi_label":
            model = MultiOutputClassifier(model)
        pipeline = make_pipeline(TfidfVectorizer(), model)
        pipeline.fit(fit["text"].tolist(), np.asarray(fit["label"].tolist()))
        found.append(pipeline.predict(asked["text"].tolist()).tolist())
    return found


def engine(run: Planned, fit: Any, asked: Any, jobs: int) -> Answers:
    """All candidates as units of worker processes that are started for them, as ``selu run`` has them."""
    fields = {
        "kind": str(run.task.kind),
        "labels": len(run.task.labels),
        "texts": fit["text"].tolist(),
        "answers": fit["label"].tolist(),
        "questions": asked["text"].tolist(),
        "seed": run.seed,
    }
    source = Path(selu.__file__).parent.parent
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "lesson.json").write_bytes(identity.canonical(fields))
        common = {
            "lesson": str(folder / "lesson.json"),
            "learner": run.learner,
            "source": run.source,
            "key": "",
        }
        requests = [
            {**common, "local": {}, "params": dict(params), "unit": str(folder / f"unit-{number}.json")}
            for number, params in enumerate(run.grid)
        ]
        with Workers(
            Path(sys.executable), "selu.execution.grids.worker", source, jobs, folder / "log"
        ) as workers:
            for _ in workers.each(requests):
                pass
        units = [seals.read_sealed(Path(str(request["unit"])), "a unit") for request in requests]
    return [unit["answers"] for unit in units]


def grid_of(root: Path, task: str) -> tuple[Planned, Any, Any]:
    """Return the run under protocol `paper`, its candidates' train rows, and their test rows."""
    wanted = Wanted((task,), ("tfidf-xgboost",), ("paper",), (), ("baselines",))
    run = plans.plan(root, wanted)[0]
    return (run, *protocols.candidates(results.read_rows(root, run), run.protocol))


def measure(root: Path, task: str, rounds: int, jobs: int) -> Mapping[str, Any]:
    """One row of the table.

    Raises:
        SystemExit: an answer of a candidate is not the same in both ways.
    """
    run, fit, asked = grid_of(root, task)
    ways = {"plain": lambda: plain(run, fit, asked), "ours": lambda: engine(run, fit, asked, jobs)}
    seconds = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        answers = {}
        for name, way in ways.items():
            started = time.perf_counter()
            answers[name] = way()
            seconds[name] = min(seconds[name], time.perf_counter() - started)
        for params, theirs, own in zip(run.grid, answers["plain"], answers["ours"], strict=True):
            if theirs != own:
                rows = [number for number, (a, b) in enumerate(zip(theirs, own, strict=True)) if a != b]
                raise SystemExit(
                    f"{task}, {dict(params)}: {len(rows)} answers differ, the first in row {rows[0]}"
                )
    given = sum(len(found) for found in answers["ours"])
    return {"task": task, "train": len(fit), "candidates": len(run.grid), "answers": given, **seconds}


def lines(rows: Iterator[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the table, each line as soon as it is measured."""
    yield "task                    train rows  candidates  equal answers   plain: s    ours: s   ratio"
    plain_seconds = own_seconds = 0.0
    for row in rows:
        plain_seconds, own_seconds = plain_seconds + row["plain"], own_seconds + row["ours"]
        yield (
            f"{row['task']:22}  {row['train']:10,}  {row['candidates']:10}  {row['answers']:13,}  "
            f"{row['plain']:9.2f}  {row['ours']:9.2f}  {row['plain'] / row['ours']:6.2f}"
        )
    total = f"{plain_seconds:9.2f}  {own_seconds:9.2f}  {plain_seconds / own_seconds:6.2f}"
    yield f"{'together':22}  {'':10}  {'':10}  {'':13}  {total}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks", nargs="*", default=TASKS, help="ids of tasks with prepared rows")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="our processes")
    parser.add_argument("--out", type=Path, help="also write the text there")
    chosen = parser.parse_args(arguments)
    root = find_root(Path(__file__).parent)
    rows = (measure(root, task, chosen.rounds, chosen.jobs) for task in chosen.tasks)
    conditions = (
        f"{os.cpu_count()} cores",
        f"{chosen.jobs} processes",
        f"least of {chosen.rounds} interleaved rounds",
    )
    first = heading("grid.py", conditions, ("xgboost-cpu", "scikit-learn", "scipy", "numpy"))
    print_lines(itertools.chain([first], lines(rows)), chosen.out)


if __name__ == "__main__":
    main()
