"""``selu score``: predictions of runs, however they learnt, into scores with intervals.

A score is never kept without its predictions; it is made of them and of the labels in the prepared rows. What
decides it are modules of ``metrics`` (``measured.DECIDING`` names them); here it is read and written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.execution import predictions
from selu.execution.planned import Planned, metric_of
from selu.metrics import kinds
from selu.project import SHARED, read_knobs
from selu.runs import record
from selu.systems.baseline.knobs import BootstrapKnobs
from selu.vocabulary import Kind, SeluError

if TYPE_CHECKING:
    import pandas as pd


def current(root: Path, planned: Planned) -> bool:
    """Say whether a run's scores are there, of its predictions, and made with the present metrics and knobs."""
    try:
        scores = record.read_scores(planned.folder)
    except SeluError:
        return False
    return bool(scores.get("made_with") == made_with(knobs_of(root), planned.task.kind))


def stands(root: Path, planned: Planned) -> bool:
    """Say whether a run is there as it is planned now, with scores as they should be now."""
    present = record.state(planned.folder, planned.identity) is record.State.PRESENT
    return present and current(root, planned)


def score(root: Path, planned: Planned, rows: pd.DataFrame) -> Path:
    """Score a run from its predictions and write scores.json; returns its path.

    Raises:
        SeluError: the run is missing or damaged.
    """
    knobs = knobs_of(root)
    run = record.read_run(planned.folder, planned.identity)
    answers = predictions.read(planned.folder, rows, planned.identity)
    found = points(run, rows, answers)
    intervals = _intervals(run, rows, answers, knobs)
    content = {
        "task": planned.task.id,
        "system": planned.system,
        "run": planned.folder.name,
        "protocol": planned.protocol,
        "seed": planned.seed,
        "environment": planned.environment,
        "identity": run["identity"],
        "standing": planned.standing,
        **{name: found[name] for name in ("metric", "value", "rows", "scores")},
        "intervals": intervals,
        **{name: found[name] for name in ("grouped", "constant")},
        "bootstrap": {"draws": knobs.draws, "seed": knobs.seed, "level": knobs.level},
        "made_with": made_with(knobs, planned.task.kind),
        "predictions": run["files"][record.PREDICTIONS],
    }
    record.write_scores(planned.folder, content)
    return planned.folder / record.SCORES


def points(run: Mapping[str, Any], rows: pd.DataFrame, answers: list[Any]) -> dict[str, Any]:
    """Compute all of a run's scores that need no draws (``measured.points``).

    Args:
        run: its record.
        rows: rows of its task, of which the test rows are taken.
        answers: as ``predictions.read`` gives them.
    """
    from selu.metrics import measured

    kind, truth, given, labels = _asked(run, rows, answers)
    kept = (rows.loc[rows["part"] == "test", "grouped"] == "test").tolist()
    return measured.points(kind, truth, given, kept, labels, metric_of(kind), kinds.added(kind))


def interval(
    run: Mapping[str, Any], rows: pd.DataFrame, answers: list[Any], knobs: BootstrapKnobs
) -> dict[str, float]:
    """Draw the bounds of a run's main score; arguments as ``points``."""
    name = metric_of(run["fields"]["kind"])
    return _intervals(run, rows, answers, knobs, (name,))[name]


def _intervals(
    run: Mapping[str, Any],
    rows: pd.DataFrame,
    answers: list[Any],
    knobs: BootstrapKnobs,
    names: tuple[str, ...] = (),
) -> dict[str, dict[str, float]]:
    from selu.metrics import measured

    kind, truth, given, labels = _asked(run, rows, answers)
    settings = (labels, knobs.draws, knobs.seed, knobs.level, names, kinds.added(kind))
    return measured.intervals(kind, truth, given, *settings)


def knobs_of(root: Path) -> BootstrapKnobs:
    """Read how intervals are drawn."""
    return read_knobs(root, SHARED, "bootstrap", BootstrapKnobs)


def _asked(
    run: Mapping[str, Any], rows: pd.DataFrame, answers: list[Any]
) -> tuple[str, list[Any], list[Any], Any]:
    """Kind, truth, answers and labels as the metrics take them."""
    kind, names = run["fields"]["kind"], run["fields"]["labels"]
    by_kind = {Kind.ENTITIES: names, Kind.MASKED: run.get("vocabulary")}
    labels = names if kinds.added(kind) else by_kind.get(kind, len(names))
    return kind, rows.loc[rows["part"] == "test", "label"].tolist(), answers, labels


def made_with(knobs: BootstrapKnobs, kind: str) -> str:
    """Hash the metrics that decide the scores of this kind, and the knobs of the intervals."""
    import selu
    from selu.metrics import measured
    from selu.runs import identity

    here = Path(selu.__file__).parent / "metrics"
    files = [here / f"{name}.py" for name in measured.DECIDING.get(kind, ("measured", "percentiles"))]
    if spec := kinds.added(kind):
        files += [Path(str(import_module(name).__file__)) for name in spec.made_with]
    source = identity.source(files)
    decided = [source, metric_of(kind), knobs.draws, knobs.seed, knobs.level]
    return hashlib.sha256(identity.canonical(decided)).hexdigest()
