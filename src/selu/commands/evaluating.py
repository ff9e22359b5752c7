"""Scores of a run, whichever way it learnt: baselines by ``scoring``, fine-tuned systems here.

``scoring`` is left as it is: its source is part of what the tracked scores of the baselines were made with.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from selu.commands import scoring
from selu.commands.planned import Planned, metric_of
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
    Kind.ENTITIES: ("f1_micro", "f1_macro"),
    Kind.MASKED: ("accuracy", "perplexity"),
}


class _Marked(NamedTuple):
    """Truth and answers as the metrics take them; for masked verbs one of each per masked token."""

    truth: Sequence[Any]
    answers: Any


def current(root: Path, planned: Planned) -> bool:
    """Whether a run's scores are there, of its predictions, and made with the present metrics and knobs."""
    if not planned.finetuned:
        return scoring.current(root, planned)
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
    if not planned.finetuned:
        return scoring.score(root, planned, rows)
    knobs = read_knobs(root, "selu", "bootstrap", BootstrapKnobs)
    run = record.read_run(planned.folder, planned.identity)
    answers = scoring.read_predictions(planned.folder, rows, planned.identity)
    content = {
        "task": planned.task.id,
        "system": planned.system,
        "run": planned.folder.name,
        "protocol": planned.protocol,
        "seed": planned.seed,
        "environment": planned.environment,
        "identity": run["identity"],
        "standing": planned.standing,
        **_measured(planned, rows[rows["part"] == "test"], answers, run["vocabulary"], knobs),
        "bootstrap": {"draws": knobs.draws, "seed": knobs.seed, "level": knobs.level},
        "made_with": _made_with(root),
        "predictions": run["files"][record.PREDICTIONS],
    }
    record.write_scores(planned.folder, content)
    return planned.folder / record.SCORES


def _measured(
    planned: Planned, test: pd.DataFrame, answers: Sequence[Any], vocabulary: int | None, knobs: BootstrapKnobs
) -> dict[str, Any]:
    """All scores on the test rows, intervals of some, and the main score on what ``grouped`` keeps."""
    from selu.metrics import bootstrap
    from selu.metrics.evaluate import evaluate

    task, metric = planned.task, metric_of(planned.task.kind)
    kind, labels = str(task.kind), _labels(planned, vocabulary)
    truth = test["label"].tolist()
    marked = _marked(task.kind, truth, answers)
    scores = evaluate(kind, marked.truth, marked.answers, labels)
    settings = (knobs.draws, knobs.seed, knobs.level)
    intervals = {
        name: bootstrap.interval(kind, marked.truth, marked.answers, labels, name, *settings)._asdict()
        for name in _WITH_INTERVAL[task.kind]
    }
    pairs = zip(truth, answers, test["grouped"], strict=True)
    left = [(value, answer) for value, answer, part in pairs if part == "test"]
    value = None
    if left:
        ungrouped = _marked(task.kind, *zip(*left, strict=True))
        value = evaluate(kind, ungrouped.truth, ungrouped.answers, labels)[metric]
    return {
        "metric": metric,
        "value": scores[metric],
        "rows": len(truth),
        "scores": scores,
        "intervals": intervals,
        "grouped": {"rows": len(left), "value": value},
        "constant": _constant(task.kind, answers),
    }


def _labels(planned: Planned, vocabulary: int | None) -> Any:
    """Labels as the metrics of the kind take them."""
    if planned.task.kind is Kind.ENTITIES:
        return [label.name for label in planned.task.labels]
    return vocabulary if planned.task.kind is Kind.MASKED else len(planned.task.labels)


def _marked(kind: Kind, truth: Sequence[Any], answers: Sequence[Any]) -> _Marked:
    """Raises SeluError where a masked token is no verb of the prepared rows."""
    if kind is not Kind.MASKED:
        return _Marked(truth, answers)
    from selu.metrics.masked import Answers

    places = [place for row in answers for place in row]
    for tags, row in zip(truth, answers, strict=True):
        if any(place["position"] >= len(tags) or tags[place["position"]] != "VERB" for place in row):
            raise SeluError("predictions fill other words than the verbs of the prepared rows: run them again.")
    given = Answers([place["answer"] for place in places], [place["log_probability"] for place in places])
    return _Marked([place["truth"] for place in places], given)


def _constant(kind: Kind, answers: Sequence[Any]) -> bool:
    """Whether all answers are the same one; of token tasks, those to all words or masked tokens."""
    if kind is Kind.ENTITIES:
        answers = [tag for tags in answers for tag in tags]
    elif kind is Kind.MASKED:
        answers = [place["answer"] for row in answers for place in row]
    return len({str(answer) for answer in answers}) == 1


def _made_with(root: Path) -> str:
    """Hash of the metrics' source and of the knobs of the intervals."""
    import selu
    from selu.runs import identity

    knobs = read_knobs(root, "selu", "bootstrap", BootstrapKnobs)
    here = Path(selu.__file__).parent
    source = identity.source([here / "metrics", here / "commands" / "evaluating.py"])
    return hashlib.sha256(identity.canonical([source, knobs.draws, knobs.seed, knobs.level])).hexdigest()
