"""``selu score``: predictions of runs into scores with intervals, and how two runs differ on the same rows.

A score is never kept without its predictions; it is made of them and of the labels in the prepared rows.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.commands.planning import Planned
from selu.project import read_knobs
from selu.runs import record
from selu.systems.baseline.knobs import BootstrapKnobs
from selu.vocabulary import Kind, SeluError

if TYPE_CHECKING:
    import pandas as pd

_WITH_INTERVAL = {
    Kind.REGRESSION: ("smape", "mae"),
    Kind.BINARY: ("f1_macro", "accuracy"),
    Kind.MULTI_CLASS: ("f1_macro", "accuracy"),
    Kind.MULTI_LABEL: ("f1_macro", "f1_micro"),
}


def read_predictions(folder: Path, rows: pd.DataFrame, identity: str | None = None) -> list[Any]:
    """Answers of a run, in the order of the test rows; of this identity, where one is given.

    Raises:
        SeluError: the run is missing or damaged, or its ids are not those of the test rows.
    """
    import pyarrow.parquet as pq

    content = record.read_file(folder, record.PREDICTIONS, identity)
    table = pq.read_table(io.BytesIO(content)).to_pydict()
    if table["id"] != rows.loc[rows["part"] == "test", "id"].tolist():
        raise SeluError(
            f"{folder} answers other rows than the split's test rows: run it again with 'selu run'."
        )
    answers: list[Any] = table["prediction"]
    return answers


def current(root: Path, planned: Planned) -> bool:
    """Whether a run's scores are there, of its predictions, and made with the present metrics and knobs."""
    try:
        scores = record.read_scores(planned.folder)
    except SeluError:
        return False
    return bool(scores.get("made_with") == _made_with(root))


def score(root: Path, planned: Planned, rows: pd.DataFrame) -> Path:
    """Score a run from its predictions and write scores.json; returns its path.

    Raises:
        SeluError: the run is missing or damaged.
    """
    knobs = read_knobs(root, "selu", "bootstrap", BootstrapKnobs)
    run = record.read_run(planned.folder, planned.identity)
    answers = read_predictions(planned.folder, rows, planned.identity)
    content = {
        "task": planned.task.id,
        "system": planned.system,
        "run": planned.folder.name,
        "protocol": planned.protocol,
        "seed": planned.seed,
        "environment": planned.environment,
        "identity": run["identity"],
        "standing": planned.standing,
        **_measured(planned, rows[rows["part"] == "test"], answers, knobs),
        "bootstrap": {"draws": knobs.draws, "seed": knobs.seed, "level": knobs.level},
        "made_with": _made_with(root),
        "predictions": run["files"][record.PREDICTIONS],
    }
    record.write_scores(planned.folder, content)
    return planned.folder / record.SCORES


def _measured(
    planned: Planned, test: pd.DataFrame, answers: Sequence[Any], knobs: BootstrapKnobs
) -> dict[str, Any]:
    """All scores on the test rows, intervals of some, and the main score on what ``grouped`` keeps."""
    from selu.metrics import bootstrap
    from selu.metrics.evaluate import evaluate

    kind, labels, metric = planned.task.kind, len(planned.task.labels), planned.fields["pick"]["metric"]
    truth = test["label"].tolist()
    scores = evaluate(str(kind), truth, answers, labels)
    intervals = {
        name: bootstrap.interval(
            str(kind), truth, answers, labels, name, knobs.draws, knobs.seed, knobs.level
        )._asdict()
        for name in _WITH_INTERVAL[kind]
    }
    pairs = zip(truth, answers, test["grouped"], strict=True)
    left = [(value, answer) for value, answer, part in pairs if part == "test"]
    ungrouped, given = zip(*left, strict=True) if left else ((), ())
    return {
        "metric": metric,
        "value": scores[metric],
        "rows": len(truth),
        "scores": scores,
        "intervals": intervals,
        "grouped": {
            "rows": len(left),
            "value": evaluate(str(kind), ungrouped, given, labels)[metric] if left else None,
        },
        "constant": len({str(answer) for answer in answers}) == 1,
    }


def _made_with(root: Path) -> str:
    """Hash of the metrics' source and of the knobs of the intervals."""
    import selu
    from selu.runs import identity

    knobs = read_knobs(root, "selu", "bootstrap", BootstrapKnobs)
    here = Path(selu.__file__).parent
    source = identity.source([here / "metrics", here / "commands" / "scoring.py"])
    return hashlib.sha256(identity.canonical([source, knobs.draws, knobs.seed, knobs.level])).hexdigest()
