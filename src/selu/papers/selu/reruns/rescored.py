"""One re-scored cell: the authors' published answers against labels from the source, and what they report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from selu.metrics.percentiles import Resampling
from selu.papers.evidence import Truth
from selu.papers.selu.records.rescored import FlipEntry, Interval, Report, Rescoring, RescoringFound
from selu.papers.selu.reruns import flips, predictions
from selu.vocabulary import Kind, Metric, Task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HALF = 0.0005  # half a unit of the last published digit
_BFLOAT16 = 2.0**-8  # relative step of bfloat16, in which the authors' models answer
_WHY = (
    "Their trainer scores texts padded to the full length, and a pipeline that pads batch by batch then "
    "answers again for the published file; in bfloat16 an answer this near can fall on either side"
)


class Published(NamedTuple):
    """The authors' publications on a score.

    Attributes:
        name: how messages call the cell.
        predictions: bytes of their predictions.
        results: bytes of the scores that they report beside them, if they are available.
        published: the number in the paper's Table VI.
        is_pinned: whether the predictions are held by a hash.
    """

    name: str
    predictions: bytes
    results: bytes | None
    published: str
    is_pinned: bool


def rescore(task: Task, truth: Truth, cell: Published, draws: Resampling) -> RescoringFound:
    """Return the re-scored entry, compared with the authors' report and the published number.

    Raises:
        SeluError: a file is damaged, or not of this task.
    """
    from selu.metrics.evaluate import evaluate

    kind, count = task.kind, len(task.labels)
    file = f"{cell.name}/test_predictions.csv"
    published = predictions.read_scores(cell.predictions, task, len(truth.ids), file)
    report: Report = {}
    if cell.results is not None:
        report = predictions.read_report(cell.results, f"{cell.name}/test_results.json")
    given = predictions.answers(kind, published)
    scores = evaluate(str(kind), truth.labels, given, count)
    apart = predictions.apart(scores, report)
    needed = flips.needed(kind, truth.labels, published, report) if apart else None
    settled = False
    if needed:
        after = evaluate(str(kind), truth.labels, flips.changed(kind, published, needed), count)
        settled = not predictions.apart(after, report)
    value, theirs = primary(task.metric, scores), primary(task.metric, report)
    entry: Rescoring = {
        "metric": str(task.metric),
        "value": value,
        "rows": len(truth.ids),
        "interval": _interval(task, truth, given, draws),
        "their_value": None if math.isnan(theirs) else theirs,
        "printed": cell.published,
        "printed_equal": abs(float(cell.published) - value) <= HALF + 1e-12,
        "verdict": None if not report else "differs" if apart else "equal",
        "apart": apart,
        "flips": [_flip(task, truth, flip) for flip in needed or ()],
        "flips_settle": settled,
        "collapsed": collapsed(task, given),
        "ties": _ties(kind, published),
        "scores": scores,
    }
    return {"finding": " ".join(_sentences(task, entry, report, truth.availability, cell.is_pinned)), **entry}


def collapsed(task: Task, given: NDArray[np.number]) -> str | None:
    """Return the answer that every row gets, in words, or None where answers differ."""
    if len(given) == 0 or (given != given[0]).any():
        return None
    if task.kind is Kind.REGRESSION:
        return f"{float(given[0]):g}"
    if task.kind is Kind.MULTI_LABEL:
        names = [label.name for label, yes in zip(task.labels, given[0], strict=True) if yes]
        return " + ".join(names) or "no label"
    return task.labels[int(given[0])].name


def primary(metric: str, scores: Report) -> float:
    """Return the main score of a task, nan if it is missing."""
    if metric is Metric.ONE_MINUS_SMAPE:
        return 1 - float(scores.get("smape", "nan"))
    return float(scores.get(str(metric), "nan"))


def _interval(task: Task, truth: Truth, given: NDArray[np.number], draws: Resampling) -> Interval:
    from selu.metrics import bootstrap

    turned = task.metric is Metric.ONE_MINUS_SMAPE
    name = "smape" if turned else str(task.metric)
    found = bootstrap.interval(str(task.kind), truth.labels, given, len(task.labels), name, draws)
    low, high = float(found[0]), float(found[1])
    low, high = (1 - high, 1 - low) if turned else (low, high)
    return {
        "low": low,
        "high": high,
        "error": found.error,
        "draws": draws.draws,
        "seed": draws.seed,
        "level": draws.level,
    }


def _ties(kind: str, published: NDArray[np.float64]) -> int:
    """Count rows whose highest probability is shared by two classes, or that lie exactly at the threshold."""
    if kind is Kind.REGRESSION:
        return 0
    if kind is Kind.MULTI_LABEL:
        return int((published == predictions.THRESHOLD).sum())
    return int(((published == published.max(axis=1, keepdims=True)).sum(axis=1) > 1).sum())


def _flip(task: Task, truth: Truth, flip: flips.Flip) -> FlipEntry:
    """Describe a flip: its row among the test rows (from 0), its id, and the label or class it concerns."""
    yes_no = flip.label is not None
    return {
        "row": flip.row,
        "id": truth.ids[flip.row],
        "label": task.labels[flip.after if flip.label is None else flip.label].name,
        "before": bool(flip.before) if yes_no else task.labels[flip.before].name,
        "after": bool(flip.after) if yes_no else task.labels[flip.after].name,
        "score": flip.score,
        "margin": flip.margin,
    }


def _sentences(task: Task, entry: Rescoring, report: Report, availability: str, pinned: bool) -> list[str]:
    value, metric = entry["value"], entry["metric"]
    labels = "labels from the source" if availability == "equal" else "labels of the authors' own file"
    published = "the published number" if entry["printed_equal"] else f"not the published {entry['printed']}"
    sentences = [f"The authors' predictions against {labels} give {metric} {value:.4f}, {published}."]
    if not report:
        sentences.append("The scores that they report beside them were not available here.")
    elif not entry["apart"]:
        sentences.append(f"All {len(report)} scores that they report are equal to 12 digits.")
    else:
        sentences += _difference(entry, len(report), task.kind)
    if entry["collapsed"] is not None:
        sentences.append(f"Every row gets the same answer: {entry['collapsed']}.")
    if entry["ties"]:
        sentences.append(f"{entry['ties']} answers are ties, which go to the lower index (or to no).")
    if not pinned:
        sentences.append("The bytes have no pinned hash; only the commit fixes them.")
    return sentences


def _difference(entry: Rescoring, reported: int, kind: str) -> list[str]:
    theirs = "" if entry["their_value"] is None else f" (they report {entry['their_value']:.4f})"
    sentences = [
        f"{len(entry['apart'])} of {reported} reported scores differ{theirs}: {', '.join(entry['apart'])}."
    ]
    changes = entry["flips"]
    if not changes:
        why = "it gives no counts" if kind is Kind.REGRESSION else "its counts don't fit these labels"
        return [*sentences, f"Their report does not tell how many answers differ: {why}."]
    first = changes[0]
    answers = "1 answer" if len(changes) == 1 else f"{len(changes)} answers"
    effect = "makes all scores equal" if entry["flips_settle"] else "gives their counts, but not all scores"
    sentences.append(
        f"Changing {answers} {effect}; the nearest is {first['label']} in test row {first['row']} "
        f"({first['id']}), {first['margin']:.2g} from the other side with a score of {first['score']:.5f}."
    )
    if changes[-1]["margin"] <= _BFLOAT16:
        sentences.append(f"{_WHY}.")
    return sentences
