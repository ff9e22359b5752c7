"""``selu score``: predictions of runs, however they learnt, into scores with intervals.

A score is never kept without its predictions; it is made of them and of the labels in the prepared rows. What
decides it are modules of ``metrics`` (``measured.DECIDING`` names them); here it is read and written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.commands.planned import Planned, metric_of
from selu.project import read_knobs
from selu.runs import record
from selu.systems.baseline.knobs import BootstrapKnobs
from selu.vocabulary import Kind, SeluError

if TYPE_CHECKING:
    import pandas as pd


def read_predictions(folder: Path, rows: pd.DataFrame, identity: str | None = None) -> list[Any]:
    """Read the answers of a run, in the order of the test rows; of this identity, where one is given.

    Raises:
        SeluError: the run is missing or damaged, or its ids are not those of the test rows.
    """
    table = record.read_predictions(folder, identity)
    if table["id"] != rows.loc[rows["part"] == "test", "id"].tolist():
        raise SeluError(
            f"{folder} answers other rows than the split's test rows: run it again with 'selu run'."
        )
    answers: list[Any] = table["prediction"]
    return answers


def current(root: Path, planned: Planned) -> bool:
    """Say whether a run's scores are there, of its predictions, and made with the present metrics and knobs."""
    try:
        scores = record.read_scores(planned.folder)
    except SeluError:
        return False
    return bool(scores.get("made_with") == made_with(knobs_of(root), planned.task.kind))


def score(root: Path, planned: Planned, rows: pd.DataFrame) -> Path:
    """Score a run from its predictions and write scores.json; returns its path.

    Raises:
        SeluError: the run is missing or damaged.
    """
    from selu.metrics import measured

    knobs = knobs_of(root)
    run = record.read_run(planned.folder, planned.identity)
    answers = read_predictions(planned.folder, rows, planned.identity)
    found = points(run, rows, answers)
    intervals = measured.intervals(*_asked(run, rows, answers), knobs.draws, knobs.seed, knobs.level)
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
        answers: as ``read_predictions`` gives them.
    """
    from selu.metrics import measured

    kind, truth, given, labels = _asked(run, rows, answers)
    kept = (rows.loc[rows["part"] == "test", "grouped"] == "test").tolist()
    return measured.points(kind, truth, given, kept, labels, metric_of(Kind(kind)))


def interval(
    run: Mapping[str, Any], rows: pd.DataFrame, answers: list[Any], knobs: BootstrapKnobs
) -> dict[str, float]:
    """Draw the bounds of a run's main score; arguments as ``points``."""
    from selu.metrics import measured

    name = metric_of(Kind(run["fields"]["kind"]))
    settings = (knobs.draws, knobs.seed, knobs.level)
    return measured.intervals(*_asked(run, rows, answers), *settings, names=(name,))[name]


def knobs_of(root: Path) -> BootstrapKnobs:
    """Read how intervals are drawn."""
    return read_knobs(root, "selu", "bootstrap", BootstrapKnobs)


def _asked(
    run: Mapping[str, Any], rows: pd.DataFrame, answers: list[Any]
) -> tuple[str, list[Any], list[Any], Any]:
    """Kind, truth, answers and labels as the metrics take them."""
    kind, names = run["fields"]["kind"], run["fields"]["labels"]
    labels = {Kind.ENTITIES: names, Kind.MASKED: run.get("vocabulary")}.get(kind, len(names))
    return kind, rows.loc[rows["part"] == "test", "label"].tolist(), answers, labels


def made_with(knobs: BootstrapKnobs, kind: Kind) -> str:
    """Hash the metrics that decide the scores of this kind, and the knobs of the intervals."""
    import selu
    from selu.metrics import measured
    from selu.runs import identity

    here = Path(selu.__file__).parent / "metrics"
    source = identity.source([here / f"{name}.py" for name in measured.DECIDING[kind]])
    decided = [source, metric_of(kind), knobs.draws, knobs.seed, knobs.level]
    return hashlib.sha256(identity.canonical(decided)).hexdigest()
